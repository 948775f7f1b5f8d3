//! The second person: who cannot let the call of a request run alone.

use std::sync::Arc;

use crate::ids::principal::{Party, Person};
use crate::ids::{AgentName, RequestId};
use crate::spec::rules::Rules;
use crate::tool::{EffectClass, ToolSpec};
use crate::world::meters::episode;
use crate::world::{Request, RequestKind, World};

impl World {
    /// The people who began what led to the call of a request, if the room wants somebody else to
    /// let that call run. `None`: whoever may decide can, or no such request waits. Everybody may
    /// say no.
    #[must_use]
    pub fn barred_from(&self, request: RequestId) -> Option<Vec<&Person>> {
        let request = self.consent.pending().get(&request)?;
        self.wants_another(request)
            .then(|| began_by(self, &request.agent, 0))
    }

    /// Tells whether `party` may not let the call of a request run: a person who may be one of
    /// those whom [`barred_from`](Self::barred_from) names, under whatever name, or any service.
    #[must_use]
    pub fn is_barred_from(&self, request: RequestId, party: &Party) -> bool {
        self.barred_from(request).is_some_and(|barred| {
            party.person().is_none_or(|person| {
                barred
                    .into_iter()
                    .any(|one| self.people.is_one_hand(one, person))
            })
        })
    }

    /// The tool that a request is about, as the rules of its turn have it; `None` if they have
    /// none, or no such request waits.
    #[must_use]
    pub fn tool_asked_about(&self, request: RequestId) -> Option<&ToolSpec> {
        self.tool_of(self.consent.pending().get(&request)?)
    }

    /// The rules that an agent works by: those that its open turn began under, else those in force.
    pub(in crate::world) fn rules_of_turn(&self, agent: &AgentName) -> &Arc<Rules> {
        self.agents
            .turn(agent)
            .map_or(&self.rules, |turn| &turn.rules)
    }

    fn tool_of(&self, request: &Request) -> Option<&ToolSpec> {
        let rules = self.rules_of_turn(&request.agent);
        rules.spec().tools.get(request.tool.as_ref()?)
    }

    fn wants_another(&self, request: &Request) -> bool {
        let memory = self.agents.memory(&request.agent);
        let open = memory.and_then(|memory| memory.open_calls.get(&request.call));
        let effect = match &request.kind {
            RequestKind::Approval { effect, .. } => Some(*effect),
            RequestKind::Outcome { is_open: true, .. } => open
                .and_then(|open| open.effect)
                .or_else(|| self.tool_of(request).map(|tool| tool.effect)),
            RequestKind::Outcome { is_open: false, .. } | RequestKind::Question { .. } => None,
        };
        effect.is_some_and(|effect| {
            open.is_some_and(|open| open.wants_two) || wants_two(self, &request.agent, effect)
        })
    }
}

/// Tells whether a call of `agent` with this effect needs somebody who did not begin what led to
/// it: by the rules of its turn or by those in force. Either alone could be changed round the other
/// (decision 0023).
pub(in crate::world) fn wants_two(world: &World, agent: &AgentName, effect: EffectClass) -> bool {
    let mut rules = [world.rules_of_turn(agent), &world.rules].into_iter();
    rules.any(|rules| rules.spec().policy.four_eyes.contains(&effect))
}

/// The people who began what led to the agent's turn; without one, who led to the `opened` oldest
/// messages that wait for it.
pub(in crate::world) fn began_by<'w>(
    world: &'w World,
    agent: &AgentName,
    opened: usize,
) -> Vec<&'w Person> {
    match world.agents.turn(agent) {
        Some(turn) => turn.began_by.iter().collect(),
        None => episode::began_by(world, agent, opened).collect(),
    }
}
