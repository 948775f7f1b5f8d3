//! The rules of now, beside those that a call was taken up under: it must be allowed by both.

use std::sync::Arc;

use serde_json::Value;

use crate::event::{CallStatus, UnknownCause};
use crate::ids::{AgentName, Attempt, CallId};
use crate::spec::rules::Ruling;
use crate::tool::ToolSpec;
use crate::world::World;
use crate::world::calls::decide::admission::Asking;
use crate::world::calls::decide::{admission, call};
use crate::world::consent::decide::{approval, grant};
use crate::world::consent::second;
use crate::world::decide::Draft;
use crate::world::memory::{CallState, OpenCall};
use crate::world::turns::decide::turn;

/// The ruling of the rules in force on a call that other rules allow, or ask about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::world) enum Now {
    /// The rules in force have nothing against it, or are the same rules.
    Runs,
    /// The rules in force want a person to be asked.
    Asks,
    /// The rules in force deny it.
    Ends(CallStatus),
}

impl World {
    /// Tells whether the turn of `agent` began under other rules than those in force.
    pub(crate) fn is_under_other_rules(&self, agent: &AgentName) -> bool {
        let turn = self.agents.turn(agent);
        // Rules that were read from a checkpoint can be equal without being the same.
        turn.is_some_and(|turn| !Arc::ptr_eq(&turn.rules, &self.rules) && turn.rules != self.rules)
    }
}

/// Returns what the rules in force make of a call of `tool`, which is that of the agent's turn. A
/// tool that is not what it was is none that the turn can call: what a person read, and what is
/// recorded of its effect, was the other one.
pub(in crate::world) fn ruled_now(
    world: &World,
    agent: &AgentName,
    tool: &ToolSpec,
    arguments: &str,
) -> Now {
    // The turn's own rules have been asked already.
    if !world.is_under_other_rules(agent) {
        return Now::Runs;
    }
    let known = world.rules.tool_of(agent, tool.name.as_str());
    let Some(known) = known.filter(|known| known.acts_like(tool) && known.kind == tool.kind) else {
        return Now::Ends(CallStatus::Missing);
    };
    let findings = world.rules.findings(&known.name, arguments);
    let errors: Vec<_> = findings
        .into_iter()
        .filter(|finding| finding.severity.is_error())
        .collect();
    if !errors.is_empty() {
        return Now::Ends(CallStatus::Invalid(errors));
    }
    // What has no errors is JSON.
    let value: Value = serde_json::from_str(arguments).unwrap_or_default();
    if world.rules.forbids(known, &value) {
        return Now::Ends(CallStatus::Forbidden);
    }
    match world.rules.ruling(known, &value) {
        Ruling::Runs => Now::Runs,
        Ruling::Asks(_) => Now::Asks,
        Ruling::Refused => Now::Ends(CallStatus::NotAllowed),
    }
}

/// A call that is about to start.
#[derive(Clone, Copy)]
pub(in crate::world) struct Starting<'w> {
    pub(in crate::world) agent: &'w AgentName,
    pub(in crate::world) call: CallId,
    pub(in crate::world) attempt: Attempt,
    pub(in crate::world) open: &'w OpenCall,
    /// The tool, as it is in the turn.
    pub(in crate::world) tool: &'w ToolSpec,
}

/// Tells whether a call that is about to start may, by the rules of now as well. If not, its end is
/// recorded, or the question that they want to be asked. Erased arguments are nothing that other
/// rules could allow.
pub(in crate::world) fn is_clear(draft: &mut Draft<'_>, starting: Starting<'_>) -> bool {
    let Starting {
        agent, open, tool, ..
    } = starting;
    match open.arguments.present() {
        Some(arguments) => is_clear_with(
            draft,
            starting,
            ruled_now(draft.world, agent, tool, arguments),
            arguments,
        ),
        None if draft.world.is_under_other_rules(agent) => {
            is_clear_with(draft, starting, Now::Ends(CallStatus::NotAllowed), "")
        }
        None => true,
    }
}

fn is_clear_with(draft: &mut Draft<'_>, starting: Starting<'_>, now: Now, arguments: &str) -> bool {
    let Starting {
        agent,
        call,
        attempt,
        open,
        tool,
    } = starting;
    match (now, &open.state) {
        (Now::Runs, _) => true,
        // Whoever allowed it once is not asked again because the rules are others (decision 0023).
        (Now::Asks, _) if is_covered(draft, agent, open, tool, arguments) => true,
        (Now::Asks, _) if uses_grant(draft, starting, arguments) => true,
        // Its last run may have taken effect: people are asked what became of it.
        (_, CallState::InDoubt { run, .. }) => {
            call::end_unknown(draft, agent, call, run.attempt, UnknownCause::Crash, None);
            false
        }
        (Now::Asks, _) => {
            let warnings = turn::rules_of(draft, agent).findings(&tool.name, arguments);
            let effect = tool.effect_at(arguments);
            let attempt = Some(attempt);
            approval::ask_approval(
                draft,
                &Asking {
                    agent,
                    call,
                    tool,
                    effect,
                    arguments,
                    warnings,
                    attempt,
                },
            );
            false
        }
        // A stricter rule counts at once, for what was allowed before it too (decision 0023).
        (Now::Ends(status), _) => {
            admission::end(draft, agent, call, Some(attempt), status);
            false
        }
    }
}

/// Tells whether a person's yes of before is enough for the rules of now: it reaches as far, and is
/// not of the one who began it where they want two.
fn is_covered(
    draft: &Draft<'_>,
    agent: &AgentName,
    open: &OpenCall,
    tool: &ToolSpec,
    arguments: &str,
) -> bool {
    let effect = tool.effect_at(arguments);
    let wants_two = second::wants_two(draft.world, agent, effect);
    open.allowed.as_ref().is_some_and(|yes| {
        effect <= yes.effect && grant::fault_of_eyes(draft, agent, wants_two, &yes.by).is_none()
    })
}

/// Tells whether a grant allows the call; it is used then.
fn uses_grant(draft: &mut Draft<'_>, starting: Starting<'_>, arguments: &str) -> bool {
    let Starting {
        agent, call, tool, ..
    } = starting;
    let grant = grant::grant_for(draft, agent, tool, tool.effect_at(arguments), arguments);
    if let Some(grant) = grant {
        grant::use_grant(draft, grant, agent, call, None);
    }
    grant.is_some()
}
