//! Who hears a message and who answers it: one pure function, whose verdicts are recorded.

use std::collections::BTreeSet;

use crate::event::{DampReason, Named, Others, RoutingReason, RoutingRule};
use crate::ids::{AgentName, EpisodeId, PersonName};
use crate::spec::{MemoryPolicy, Mentions};
use crate::text::reply::RoutingTag;
use crate::world::World;

mod damping;

use crate::text::mentions::{Addressee, Roster, addressed, named, nearest};

/// The most agents that answer if a person only names them in mid-text.
const NAMED_MAX: usize = 3;

/// A message, as routing sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speech<'s> {
    /// The words.
    pub text: &'s str,
    /// Whose they are.
    pub speaker: Speaker<'s>,
}

/// Whose words they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker<'s> {
    /// A person's.
    Person(&'s PersonName),
    /// The world's.
    World,
    /// An agent's, at the end of a turn.
    Agent(Said<'s>),
    /// An agent's, beside tool calls: whoever would be woken only hears it.
    BesideCalls(Said<'s>),
}

/// The facts of an agent's reply beside its words, for routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said<'s> {
    /// The agent.
    pub agent: &'s AgentName,
    /// The episode of its turn.
    pub episode: EpisodeId,
    /// Its routing tag, which decides whatever else it says.
    pub tag: Option<RoutingTag>,
    /// Whom its `TO:` tags name.
    pub to: &'s [String],
    /// The agents that get the reply as the result of their calls: it does not wake them besides.
    pub told: &'s [AgentName],
    /// The agent that it replies to; `None` if that is a person.
    pub replies_to: Option<&'s AgentName>,
}

/// The verdicts about one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The rule that decided.
    pub rule: RoutingRule,
    /// The agents that are to answer, and why.
    pub respond: Vec<(AgentName, RoutingReason)>,
    /// The people that it addresses.
    pub people: Vec<PersonName>,
    /// The treatment of it by all the others.
    pub others: Others,
    /// The routing tag that decided.
    pub tag: Option<RoutingTag>,
    /// Those who were addressed and are not to answer, so that the conversation ends.
    pub damped: Vec<(AgentName, DampReason)>,
    /// Names that nobody has, as they were written: those that are addressed, and of the others
    /// those that are mistyped.
    pub unknown: Vec<String>,
    /// The agents whose names are nearest to those, best first.
    pub nearest: Vec<AgentName>,
    /// Who is named in mid-text where that does not count.
    pub only_named: Named,
}

/// Decides who hears and who answers `speech`, among those of `roster`.
#[must_use]
pub fn route(world: &World, roster: &Roster, speech: &Speech<'_>) -> Route {
    match &speech.speaker {
        Speaker::Person(author) => of_outside(world, speech.text, roster, Some(author)),
        Speaker::World => of_outside(world, speech.text, roster, None),
        Speaker::Agent(said) => {
            let mut route = of_agent(world, said, speech.text, roster);
            damping::damp(world, said, &mut route);
            route
        }
        Speaker::BesideCalls(said) => beside_calls(of_agent(world, said, speech.text, roster)),
    }
}

/// Whom a message is for, sorted by kind; each once, in the order of the mentions.
#[derive(Default)]
struct Addressed {
    agents: Vec<AgentName>,
    people: Vec<PersonName>,
    unknown: Vec<String>,
}

impl Addressed {
    fn new(found: impl IntoIterator<Item = Addressee>) -> Self {
        let mut addressed = Self::default();
        let mut known = BTreeSet::new();
        for addressee in found {
            if known.insert(addressee.clone()) {
                match addressee {
                    Addressee::Agent(agent) => addressed.agents.push(agent),
                    Addressee::Person(person) => addressed.people.push(person),
                    Addressee::Unknown(name) => addressed.unknown.push(name),
                }
            }
        }
        addressed
    }

    fn is_empty(&self) -> bool {
        self.is_nobody() && self.unknown.is_empty()
    }

    fn is_nobody(&self) -> bool {
        self.agents.is_empty() && self.people.is_empty()
    }
}

/// The verdicts if `rule` decides that `respond` answer.
fn verdict(rule: RoutingRule, respond: Vec<(AgentName, RoutingReason)>) -> Route {
    Route {
        rule,
        respond,
        people: Vec::new(),
        others: Others::Store,
        tag: None,
        damped: Vec::new(),
        unknown: Vec::new(),
        nearest: Vec::new(),
        only_named: Named::default(),
    }
}

fn each(agents: Vec<AgentName>, reason: RoutingReason) -> Vec<(AgentName, RoutingReason)> {
    agents.into_iter().map(|agent| (agent, reason)).collect()
}

/// A message of a person or of the world: whoever its lines address, else whoever it names, else
/// the main agent, else everyone. A line that begins with `@` and resolves to nobody never becomes
/// a broadcast. Whoever else is named is told to its author, who is known by their own name.
fn of_outside(world: &World, text: &str, roster: &Roster, author: Option<&PersonName>) -> Route {
    let addressed = Addressed::new(addressed(text, roster));
    let mut named = Addressed::new(named(text, roster));
    let counts = world.rules().spec().policy.mentions == Mentions::Anywhere && addressed.is_empty();
    let in_text: Vec<AgentName> = named
        .agents
        .iter()
        .filter(|_| counts)
        // A text that lists half the room wakes a few, and its author is told of the others.
        .take(NAMED_MAX)
        .cloned()
        .collect();
    let mut route = if !addressed.agents.is_empty() {
        verdict(
            RoutingRule::Addressed,
            each(addressed.agents, RoutingReason::Mentioned),
        )
    } else if !addressed.unknown.is_empty() {
        // A slip in a name must not become a message to everybody.
        verdict(RoutingRule::Undeliverable, Vec::new())
    } else if !addressed.people.is_empty() {
        verdict(RoutingRule::Addressed, Vec::new())
    } else if !in_text.is_empty() {
        verdict(RoutingRule::Named, each(in_text, RoutingReason::Named))
    } else {
        unaddressed(world)
    };
    named
        .agents
        .retain(|agent| !route.respond.iter().any(|(name, _)| name == agent));
    named
        .people
        .retain(|person| !addressed.people.contains(person) && Some(person) != author);
    named
        .unknown
        .retain(|name| !addressed.unknown.contains(name));
    route.only_named = Named {
        agents: named.agents,
        people: named.people,
    };
    route.unknown = [addressed.unknown, roster.mistyped(&named.unknown)].concat();
    route.nearest = nearest(&route.unknown, world.rules().names());
    route.people = addressed.people;
    route
}

/// The same words beside tool calls: they reach whom they would wake, wake nobody, and decide
/// nothing.
fn beside_calls(mut route: Route) -> Route {
    // A reply follows the calls and wakes them; the note alone would have them answer twice
    // (decision 0029).
    let heard_by = route
        .respond
        .drain(..)
        .map(|(agent, _)| (agent, DampReason::BesideCalls))
        .collect();
    Route {
        others: route.others,
        people: route.people,
        damped: heard_by,
        ..verdict(RoutingRule::BesideCalls, Vec::new())
    }
}

/// A message of a person that addresses nobody.
fn unaddressed(world: &World) -> Route {
    let spec = world.rules().spec();
    let broadcast_max = usize::try_from(spec.limits.broadcast_max).unwrap_or(usize::MAX);
    match &spec.policy.main_agent {
        Some(main) => verdict(
            RoutingRule::MainAgent,
            vec![(main.clone(), RoutingReason::MainAgent)],
        ),
        None if spec.agents.len() <= broadcast_max => {
            let everyone = spec
                .agents
                .iter()
                .map(|agent| (agent.name.clone(), RoutingReason::Everyone));
            verdict(RoutingRule::Everyone, everyone.collect())
        }
        None => verdict(RoutingRule::TooMany, Vec::new()),
    }
}

/// An agent's reply: its tag decides, else whomever its lines address, else the agent that it
/// replies to. Never itself.
fn of_agent(world: &World, said: &Said<'_>, text: &str, roster: &Roster) -> Route {
    let mut addressed = match said.tag {
        Some(RoutingTag::Stop | RoutingTag::Done | RoutingTag::Pass) => Addressed::default(),
        Some(RoutingTag::To) => Addressed::new(said.to.iter().map(|name| roster.called(name))),
        None => Addressed::new(addressed(text, roster)),
    };
    // An agent that wakes itself would talk for ever.
    addressed.agents.retain(|agent| agent != said.agent);
    let (rule, reason) = match (said.tag, said.replies_to) {
        (Some(_), _) => (RoutingRule::Tag, RoutingReason::Tag),
        (None, _) if !addressed.is_nobody() => (RoutingRule::Addressed, RoutingReason::Mentioned),
        (None, Some(agent)) => {
            addressed.agents.push(agent.clone());
            (RoutingRule::Reply, RoutingReason::Reply)
        }
        (None, None) => (RoutingRule::Unaddressed, RoutingReason::Reply),
    };
    // They read the reply as the result of their call, and would answer it twice.
    addressed.agents.retain(|agent| !said.told.contains(agent));
    let mut route = verdict(rule, each(addressed.agents, reason));
    route.tag = said.tag;
    route.nearest = nearest(&addressed.unknown, world.rules().names());
    (route.people, route.unknown) = (addressed.people, addressed.unknown);
    if world.rules().spec().policy.memory == MemoryPolicy::Addressed {
        // People's messages are remembered by all, so that only what agents tell each other is left
        // out.
        route.others = Others::Ignore;
    }
    route
}
