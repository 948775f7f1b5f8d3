//! Expectations: what a script says has happened.

use std::collections::BTreeMap;

use folkmoot_core::event::{CloseReason, RoutingReason, RoutingRule};
use folkmoot_core::ids::{AgentName, ToolName};
use regex::Regex;
use serde_json::Value;

use super::fault::Mark;
use super::step::fits;

mod read;
mod words;

pub(crate) use read::since;

/// What a step expects.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// What to look at; `None` leaves it to the claim: messages, routing, notices and refusals since the last `say`,
    /// `answer` or decision, counts since the run began.
    pub since: Option<Since>,
    /// What must hold, each with the place where it is claimed. Never empty.
    pub claims: Vec<(Mark, Claim)>,
}

/// The beginning of what an expectation looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// The run's.
    Start,
    /// The last `say`, `answer` or decision.
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
    /// Such an approval waits; `None`: none at all does.
    Approval(Option<Pending>),
    /// Such a question waits; `None`: none at all does.
    Question(Option<Pending>),
    /// Such a call's outcome is unknown and waits for a person; `None`: no call's is.
    Outcome(Option<Pending>),
    /// So many requests wait.
    Requests(u32),
    /// These notices were posted, in this order, and no others. The words are the serialised names of `Notice`.
    Notices(Vec<String>),
    /// So many calls of each of these tools were started.
    ToolRuns(BTreeMap<ToolName, u32>),
    /// So many model calls of each of these agents were made.
    ModelCalls(BTreeMap<AgentName, u32>),
    /// These commands were refused, in this order, and no others. The words are those of `Refusal::code`.
    Refusals(Vec<String>),
    /// The room has exactly these.
    Spec(SpecClaim),
    /// How the last turn of the last episode ended.
    EpisodeEnd(CloseReason),
    /// Whether nothing is owed and nothing waits.
    Idle(bool),
    /// No agent ran out of scripted replies.
    NotExhausted,
    /// Folding the log anew gives the same state.
    ReplayIdentical,
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
    /// Whether `text` is like that.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        let is_match = |pattern: &String| Regex::new(pattern).is_ok_and(|regex| regex.is_match(text));
        self.contains.as_ref().is_none_or(|part| text.contains(part.as_str()))
            && self.equals.as_ref().is_none_or(|whole| text == whole)
            && self.matches.as_ref().is_none_or(is_match)
    }
}

/// How a message went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routing {
    /// The rule that decided.
    pub rule: Option<RoutingRule>,
    /// Exactly these are to answer, in any order.
    pub respond: Option<BTreeMap<AgentName, RoutingReason>>,
    /// How many names were nobody's.
    pub undeliverable: Option<u32>,
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
    /// Whether a call with the arguments `given` fits: each wanted one is there and equal; others may be there too.
    #[must_use]
    pub fn fits_arguments(&self, given: &Value) -> bool {
        self.arguments.as_ref().is_none_or(|wanted| fits(wanted, given))
    }
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
