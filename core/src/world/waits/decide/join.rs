//! The end of waits for other agents.

use crate::content::Content;
use crate::event::{
    Author, JoinElapsed, MessageBody, MessagePosted, MessageRouted, Others, RoutingReason,
    RoutingRule,
};
use crate::ids::{AgentName, MessageId};
use crate::world::decide::Draft;
use crate::world::memory::{JoinEnd, Joining};
use crate::world::routing::Route;
use crate::world::turns::decide::turn;

/// Ends the waits that are over, and those that have lasted long enough. Whoever waited is told,
/// and woken by it, what became of those who gave it no answer.
pub(in crate::world) fn end_joins(draft: &mut Draft<'_>) {
    let world = draft.world;
    for agent in world.agents.busy() {
        let joining = world
            .agents
            .memory(agent)
            .and_then(|memory| memory.joining.as_ref());
        let Some(joining) =
            joining.filter(|joining| joining.is_over() || joining.until <= draft.now())
        else {
            continue;
        };
        if joining.tells {
            draft.cause = draft.cause.or(Some(joining.message));
            tell_join(draft, agent, joining);
        }
        if !joining.is_over() {
            let missing = joining.of.iter().cloned().collect();
            draft.push(JoinElapsed {
                agent: agent.clone(),
                missing,
            });
        }
    }
}

fn tell_join(draft: &mut Draft<'_>, agent: &AgentName, joining: &Joining) {
    let body = MessageBody::text(told(agent, joining));
    let at = draft.push(MessagePosted::said(
        MessageId(draft.here()),
        Author::World,
        None,
        body,
    ));
    draft.push(MessageRouted {
        message: at,
        episode: joining.episode,
        rule: RoutingRule::Joined,
        respond: vec![(agent.clone(), RoutingReason::Joined)],
        people: Vec::new(),
        others: Others::Ignore,
        tag: None,
        damped: Vec::new(),
        tells_join: false,
        undeliverable: 0,
        unknown: Content::Present(Vec::new()),
    });
}

/// Tells whether `agent`, which said what is routed so, waits for any of those who are to answer.
pub(in crate::world) fn joins(draft: &Draft<'_>, agent: &AgentName, route: &Route) -> bool {
    let join = turn::rules_of(draft, agent)
        .agent(agent)
        .and_then(|spec| spec.join.as_ref());
    join.is_some_and(|join| {
        route
            .respond
            .iter()
            .any(|(name, _)| join.all_of.contains(name))
    })
}

/// Returns the fates of those for whom `agent` waited, as it and people read them.
fn told(agent: &AgentName, joining: &Joining) -> String {
    let ended = joining
        .ended
        .iter()
        .filter_map(|(name, end)| Some(format!("{name} {}", became(*end)?)));
    let missing = joining
        .of
        .iter()
        .map(|name| format!("{name} has not answered yet"));
    let all: Vec<String> = ended.chain(missing).collect();
    format!("{agent} waits no longer: {}.", all.join("; "))
}

const fn became(end: JoinEnd) -> Option<&'static str> {
    match end {
        JoinEnd::Answered => None,
        JoinEnd::Elsewhere => Some("answered somebody else"),
        JoinEnd::Passed => Some("had nothing to say"),
        JoinEnd::Failed => Some("failed"),
        JoinEnd::Limit => Some("may ask no model any more"),
        JoinEnd::Stopped => Some("was stopped"),
        JoinEnd::HandedOff => Some("handed it over"),
    }
}
