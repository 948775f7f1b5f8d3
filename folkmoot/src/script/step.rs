//! Steps: what happens in a world, one thing after another.

use std::fmt;
use std::time::Duration;

use folkmoot_core::command::Resolution;
use folkmoot_core::event::Rights;
use folkmoot_core::ids::{AgentName, Digest, PersonName, Position, StateName, ToolName, WorldName};
use serde_json::Value;

use super::attach::Attach;
use super::expect::Expect;
use super::fault::Mark;

mod read;

pub(crate) use read::{read, request_position};

/// One step of a world script.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What is done.
    pub verb: Verb,
    /// Who does it. Steps that give no command ignore it.
    pub by: Actor,
    /// The step's name, for other steps.
    pub id: Option<String>,
    /// The word for the refusal that is expected; `None` expects the step to be accepted.
    pub refused: Option<String>,
    /// True if to wait until the world is idle or parked before the next step.
    pub wait: bool,
    /// The world that it is about, if that is one that an earlier step branched off.
    pub within: Option<WorldName>,
    /// The digest of what the step says: its meaning, not how it is laid out.
    pub digest: Digest,
    /// Where it stands.
    pub at: Mark,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub enum Verb {
    /// Says something.
    Say(Post),
    /// Decides a request that waits for a person.
    Decide(Selector, Resolution),
    /// Ends a grant before its time.
    Revoke(GrantRef),
    /// Stops all that is going on.
    Stop,
    /// Changes a message that stands.
    Amend(MessageRef, Amendment),
    /// A person joins the roster. Who does it is in the step.
    Join(PersonName),
    /// A person leaves the roster. Who does it is in the step.
    Leave(PersonName),
    /// Gives a person of the script other rights; `None`: those that the spec says.
    Rights(PersonName, Option<Rights>),
    /// Tells what a client's user sees: a state, and its value as JSON.
    Observe(StateName, String),
    /// Changes the spec to this one, which is whole: changes are already laid over the spec before.
    Revise(Box<super::SpecDraft>),
    /// Branches a world off.
    Fork(Fork),
    /// Drops everything in memory and reopens the world.
    Restart,
    /// Kills the runtime at the next append, and reopens the world.
    Crash,
    /// Moves the simulated clock on.
    Advance(Duration),
    /// Waits until nothing is owed and nothing waits.
    Idle,
    /// Checks what happened.
    Expect(Expect),
    /// Says something to the reader of the script.
    Note(String),
}

impl Verb {
    /// The spec in force from here on, if this changes it.
    pub(crate) fn revised(&self) -> Option<&super::SpecDraft> {
        if let Self::Revise(spec) = self {
            Some(spec)
        } else {
            None
        }
    }

    /// Tells whether the world is closed, and opened again.
    #[must_use]
    pub const fn stops_world(&self) -> bool {
        matches!(self, Self::Restart | Self::Crash)
    }

    /// Tells whether agents are to answer anew: what is expected is looked for from here on.
    pub(crate) const fn is_talk(&self) -> bool {
        match self {
            Self::Say(_)
            | Self::Decide(..)
            | Self::Amend(_, Amendment::Edit(_) | Amendment::Regenerate) => true,
            Self::Revoke(_)
            | Self::Stop
            | Self::Amend(_, Amendment::Retract)
            | Self::Join(_)
            | Self::Leave(_)
            | Self::Rights(..)
            | Self::Observe(..)
            | Self::Revise(_)
            | Self::Fork(_)
            | Self::Restart
            | Self::Crash
            | Self::Advance(_)
            | Self::Idle
            | Self::Expect(_)
            | Self::Note(_) => false,
        }
    }

    /// The word for it in scripts.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Say(_) => "say",
            Self::Decide(_, decision) => decision.word(),
            Self::Revoke(_) => "revoke",
            Self::Stop => "stop",
            Self::Amend(_, amendment) => amendment.word(),
            Self::Join(_) => "join",
            Self::Leave(_) => "leave",
            Self::Rights(..) => "rights",
            Self::Observe(..) => "observe",
            Self::Revise(_) => "revise",
            Self::Fork(_) => "fork",
            Self::Restart => "restart",
            Self::Crash => "crash",
            Self::Advance(_) => "advance",
            Self::Idle => "idle",
            Self::Expect(_) => "expect",
            Self::Note(_) => "note",
        }
    }
}

/// How a world is branched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// Its name.
    pub name: WorldName,
    /// Where.
    pub at: ForkAt,
    /// True if its effects are performed.
    pub is_live: bool,
}

/// Where a world is branched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkAt {
    /// As it stands.
    Here,
    /// Behind this event.
    Event(Position),
    /// Before the step of this name was done.
    Step(String),
}

/// What is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// The text; may be empty if files are attached.
    pub text: String,
    /// Files to attach.
    pub attach: Vec<Attach>,
    /// The name of the step whose message it answers; that step comes before.
    pub reply_to: Option<String>,
}

/// What is done about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amendment {
    /// It is taken back.
    Retract,
    /// Other words are put in its place.
    Edit(String),
    /// It is an agent's reply, and is made anew.
    Regenerate,
}

impl Amendment {
    /// The word for it in scripts.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Retract => "retract",
            Self::Edit(_) => "edit",
            Self::Regenerate => "regenerate",
        }
    }
}

/// Which message a step is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageRef {
    /// The one that the step of this name posted; that step comes before.
    Step(String),
    /// The one that stands at this position of the log.
    At(Position),
    /// One that an agent said in this run, and that stands.
    From {
        /// The agent.
        agent: AgentName,
        /// Which, from 1; `None` is the newest.
        nth: Option<u32>,
    },
}

/// Which grant a step is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantRef {
    /// The one that the step of this name gave; that step comes before.
    Step(String),
    /// The oldest one that stands and fits.
    Fitting {
        /// The agent whose calls it allows.
        agent: Option<AgentName>,
        /// The tool.
        tool: Option<ToolName>,
    },
}

/// Who does a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person.
    Person(PersonName),
    /// An agent: exists to be refused.
    Agent(AgentName),
    /// A tool: exists to be refused.
    Tool(ToolName),
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(name) => write!(f, "{name}"),
            Self::Agent(name) => write!(f, "agent:{name}"),
            Self::Tool(name) => write!(f, "tool:{name}"),
        }
    }
}

/// Which request a step is about: the oldest that fits.
///
/// In a step with `refused`, the agent does not select: it is what the actor claims, right or
/// wrong, about the request that the rest selects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selector {
    /// The agent whose call it is.
    pub agent: Option<AgentName>,
    /// The tool that is called.
    pub tool: Option<ToolName>,
    /// Arguments that the call has: see [`Selector::fits_arguments`].
    pub arguments: Option<Value>,
    /// Which of those that fit, from 1; `None` is the oldest.
    pub nth: Option<u32>,
    /// The request itself.
    pub request: Option<Position>,
}

impl Selector {
    /// Tells whether a call with the arguments `given` fits: each wanted one is there and equal;
    /// others may be there too.
    #[must_use]
    pub fn fits_arguments(&self, given: &Value) -> bool {
        self.arguments
            .as_ref()
            .is_none_or(|wanted| fits(wanted, given))
    }
}

/// Tells whether `given` has all that `wanted` has; in maps, others may be there too.
pub(super) fn fits(wanted: &Value, given: &Value) -> bool {
    match (wanted, given) {
        (Value::Object(wanted), Value::Object(given)) => wanted
            .iter()
            .all(|(key, value)| given.get(key).is_some_and(|given| fits(value, given))),
        (wanted, given) => wanted == given,
    }
}
