//! Expectations: what a script says has happened.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::event::{CloseReason, DampReason, RoutingReason, RoutingRule, Scope};
use folkmoot_core::ids::{AgentName, ArtifactName, PersonName, ToolName};
use folkmoot_core::model::money::Money;
use folkmoot_core::text::firewall::ArtifactFamily;
use folkmoot_core::text::reply::RoutingTag;
use folkmoot_core::world::Activity;
use regex::Regex;
use serde_json::Value;

use super::fault::Mark;
use super::step::fits;

mod read;
mod words;

pub(crate) use read::since;
pub(crate) use words::word;

/// What a step expects.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// What to look at; `None` leaves it to the claim: messages, routing, turns, notices and refusals since the last
    /// `say`, `answer`, `edit`, `regenerate` or decision, counts since the run began.
    pub since: Option<Since>,
    /// What must hold, each with the place where it is claimed. Never empty.
    pub claims: Vec<(Mark, Claim)>,
}

/// The beginning of what an expectation looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// The run's.
    Start,
    /// The last `say`, `answer`, `edit`, `regenerate` or decision.
    Last,
}

/// One thing that must hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// A message that fits was posted.
    Message(MessageMatch),
    /// No message that fits was posted.
    NoMessage(MessageMatch),
    /// The last message went this way.
    Routing(Routing),
    /// These messages were routed, and no others.
    Routings(Vec<Routing>, Order),
    /// Such an approval waits; `None`: none at all does.
    Approval(Option<Pending>),
    /// Such a question waits; `None`: none at all does.
    Question(Option<Pending>),
    /// Such a call's outcome is unknown and waits for a person; `None`: no call's is.
    Outcome(Option<Pending>),
    /// These grants stand and no others, oldest first.
    Grants(Vec<GrantMatch>),
    /// So many requests wait.
    Requests(u32),
    /// These notices were posted, in this order, and no others. The words are the serialised names of `Notice`.
    Notices(Vec<String>),
    /// So many calls of each of these tools were started.
    ToolRuns(BTreeMap<ToolName, u32>),
    /// So many model calls were made. Further attempts of a call do not count.
    ModelCalls(Calls),
    /// At most so many model calls were made.
    ModelCallsMax(Calls),
    /// How each of these agents' turns ended, in their order.
    Turns(BTreeMap<AgentName, Vec<CloseReason>>),
    /// So many model calls are left in the last episode.
    Budget(Budget),
    /// Exactly these people are in the roster.
    People(BTreeSet<PersonName>),
    /// These commands were refused, in this order, and no others. The words are those of `Refusal::code`.
    Refusals(Vec<String>),
    /// The room has exactly these.
    Spec(SpecClaim),
    /// How the last turn of the last episode ended.
    EpisodeEnd(CloseReason),
    /// Whether nothing is owed and nothing waits.
    Idle(bool),
    /// What the world is doing.
    Activity(Activity),
    /// No agent ran out of scripted replies.
    NotExhausted,
    /// Folding the log anew gives the same state.
    ReplayIdentical,
    /// People were shown such an artifact; `None`: none at all.
    Artifact(Option<ArtifactMatch>),
    /// This was kept from people.
    Withheld(WithheldMatch),
}

/// Which artifacts are meant. All that is given must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArtifactMatch {
    /// Its kind.
    pub kind: Option<ArtifactName>,
    /// The agent whose call gave it.
    pub agent: Option<AgentName>,
    /// The tool that gave it.
    pub tool: Option<ToolName>,
    /// What its data has.
    pub data: Option<Value>,
    /// What people see of it has this in it.
    pub contains: Option<String>,
}

impl ArtifactMatch {
    /// Tells whether the data `given` fits: each wanted value is there and equal; others may be there too.
    #[must_use]
    pub fn fits_data(&self, given: &Value) -> bool {
        self.data.as_ref().is_none_or(|wanted| fits(wanted, given))
    }
}

/// What was kept from people, of what agents said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WithheldMatch {
    /// Who said it; `None` is everyone.
    pub from: Option<AgentName>,
    /// How many pieces, or of which families, in order.
    pub pieces: Pieces,
}

/// Pieces of what agents said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pieces {
    /// So many.
    Count(u32),
    /// These and no others, in this order.
    Families(Vec<ArtifactFamily>),
}

impl Default for Pieces {
    fn default() -> Self {
        Self::Count(0)
    }
}

/// Which messages are meant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageMatch {
    /// Who said it: an agent's name or display name, a person's display name, or `world`.
    pub from: Option<String>,
    /// An agent that was to answer it.
    pub to: Option<AgentName>,
    /// What it says.
    pub text: TextMatch,
}

/// What a text must be like. All that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextMatch {
    /// It has this in it.
    pub contains: Option<String>,
    /// It is this.
    pub equals: Option<String>,
    /// It fits this regular expression somewhere.
    pub matches: Option<String>,
}

impl TextMatch {
    /// Tells whether `text` is like that.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        let is_match =
            |pattern: &String| Regex::new(pattern).is_ok_and(|regex| regex.is_match(text));
        self.contains
            .as_ref()
            .is_none_or(|part| text.contains(part.as_str()))
            && self.equals.as_ref().is_none_or(|whole| text == whole)
            && self.matches.as_ref().is_none_or(is_match)
    }
}

/// Whether messages are expected in the order in which they are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// In that order.
    Listed,
    /// In any order.
    Any,
}

/// How a message went. All that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routing {
    /// Who said it: an agent's name, a person's display name, or `world`.
    pub from: Option<String>,
    /// The rule that decided.
    pub rule: Option<RoutingRule>,
    /// Exactly these are to answer, in any order.
    pub respond: Option<BTreeMap<AgentName, RoutingReason>>,
    /// Exactly these people are addressed.
    pub people: Option<BTreeSet<PersonName>>,
    /// The routing tag; `Some(None)` is that it has none.
    pub tag: Option<Option<RoutingTag>>,
    /// Exactly these are addressed and are not to answer.
    pub damped: Option<BTreeMap<AgentName, DampReason>>,
    /// How many of those who are addressed it could not be delivered to.
    pub undeliverable: Option<u32>,
    /// Exactly these names are nobody's, as they are written.
    pub unknown: Option<Vec<String>>,
    /// The agents that are suggested instead, best first.
    pub nearest: Option<Vec<AgentName>>,
}

/// Numbers of model calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Calls {
    /// Of all agents together, summaries of their memories included.
    Total(u32),
    /// Of each of these agents.
    Each(BTreeMap<AgentName, u32>),
}

/// Model calls that are left in an episode, and the money of the room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Budget {
    /// To each of these agents.
    pub agents: BTreeMap<AgentName, u32>,
    /// To all of them together.
    pub episode: Option<u32>,
    /// Money that is left of what the models may cost.
    pub cost: Option<Money>,
    /// What they cost in this run, as far as their tokens were counted.
    pub spent: Option<Money>,
}

/// A request that waits for a person. All that is given must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pending {
    /// The agent whose call it is.
    pub agent: Option<AgentName>,
    /// The tool that is called.
    pub tool: Option<ToolName>,
    /// Arguments that the call has.
    pub arguments: Option<Value>,
    /// A part of the question's text. Only questions have one.
    pub contains: Option<String>,
}

impl Pending {
    /// Tells whether a call with the arguments `given` fits: each wanted one is there and equal; others may be there too.
    #[must_use]
    pub fn fits_arguments(&self, given: &Value) -> bool {
        self.arguments
            .as_ref()
            .is_none_or(|wanted| fits(wanted, given))
    }
}

/// A grant that stands. All that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GrantMatch {
    /// The agent whose calls it allows.
    pub agent: Option<AgentName>,
    /// The tool.
    pub tool: Option<ToolName>,
    /// How far it reaches.
    pub scope: Option<Scope>,
    /// How many more calls it allows.
    pub left: Option<u32>,
    /// Who gave it.
    pub by: Option<PersonName>,
}

/// What the room has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecClaim {
    /// The agents, in roster order.
    pub agents: Option<Vec<AgentName>>,
    /// The tools, in any order.
    pub tools: Option<Vec<ToolName>>,
    /// The main agent.
    pub main_agent: Option<AgentName>,
}
