//! Who hears a message and who answers it: one pure function, whose verdicts are recorded.

use crate::event::{Author, Others, RoutingReason, RoutingRule};
use crate::ids::AgentName;
use crate::spec::MemoryPolicy;
use crate::world::World;

pub mod mentions;
#[cfg(test)]
mod tests;

use mentions::{Addressee, addressed, nearest};

/// The verdicts about one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The rule that decided.
    pub rule: RoutingRule,
    /// Who is to answer.
    pub respond: Vec<(AgentName, RoutingReason)>,
    /// What all the others do with it.
    pub others: Others,
    /// Addressed names that nobody has, as they were written.
    pub unknown: Vec<String>,
    /// The agents whose names are nearest to those, best first.
    pub nearest: Vec<AgentName>,
}

/// Decides who hears and who answers `text`, said by `author`.
#[must_use]
pub fn route(world: &World, author: &Author, text: &str) -> Route {
    let spec = world.rules().spec();
    let roster = world.roster();
    let (mut named, mut unknown, mut has_person) = (Vec::new(), Vec::new(), false);
    for addressee in addressed(text, &roster) {
        match addressee {
            Addressee::Agent(agent) if !named.contains(&agent) => named.push(agent),
            Addressee::Agent(_) => {}
            Addressee::Person(_) => has_person = true,
            Addressee::Unknown(name) => unknown.push(name),
        }
    }
    let others = match (author, spec.policy.memory) {
        (Author::Agent(_), MemoryPolicy::Addressed) => Others::Ignore,
        (Author::Agent(_) | Author::Person(_) | Author::World, _) => Others::Store,
    };
    let (rule, respond) = match author {
        Author::Agent(own) => of_agent(own, named, has_person),
        Author::Person(_) | Author::World => of_person(world, named, has_person || !unknown.is_empty(), &unknown),
    };
    let nearest = nearest(&unknown, world.rules().names());
    Route { rule, respond, others, unknown, nearest }
}

type Verdict = (RoutingRule, Vec<(AgentName, RoutingReason)>);

fn of_agent(own: &AgentName, named: Vec<AgentName>, has_person: bool) -> Verdict {
    let respond: Vec<_> = mentioned(named.into_iter().filter(|name| name != own));
    let rule = if respond.is_empty() && !has_person { RoutingRule::Unaddressed } else { RoutingRule::Addressed };
    (rule, respond)
}

fn of_person(world: &World, named: Vec<AgentName>, addresses: bool, unknown: &[String]) -> Verdict {
    let spec = world.rules().spec();
    let everyone = || spec.agents.iter().map(|agent| (agent.name.clone(), RoutingReason::Everyone)).collect();
    let is_small = spec.agents.len() <= usize::try_from(spec.limits.broadcast_max).unwrap_or(usize::MAX);
    match &spec.policy.main_agent {
        _ if !named.is_empty() => (RoutingRule::Addressed, mentioned(named.into_iter())),
        _ if addresses && unknown.is_empty() => (RoutingRule::Addressed, Vec::new()),
        _ if addresses => (RoutingRule::Undeliverable, Vec::new()),
        Some(main) => (RoutingRule::MainAgent, vec![(main.clone(), RoutingReason::MainAgent)]),
        None if is_small => (RoutingRule::Everyone, everyone()),
        None => (RoutingRule::TooMany, Vec::new()),
    }
}

fn mentioned(names: impl Iterator<Item = AgentName>) -> Vec<(AgentName, RoutingReason)> {
    names.map(|name| (name, RoutingReason::Mentioned)).collect()
}
