//! A call without a result.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::Content;
use crate::event::{ApprovalDecided, DecisionText, ToolStarted};
use crate::ids::principal::Party;
use crate::ids::{
    AgentName, Attempt, Digest, Incarnation, Position, RequestId, Time, ToolName, TurnId,
};
use crate::port::Input;
use crate::tool::{EffectClass, Repeat, ToolSpec};

/// A call that was admitted and has no result yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCall {
    /// The turn it belongs to.
    pub turn: TurnId,
    /// The answer that asks for it.
    pub answer: Position,
    /// The position of its admission.
    pub admitted: Position,
    /// The event that its arguments stand in: the answer, or a person's decision that changed them.
    #[serde(default)]
    pub written: Position,
    /// The tool; `None` if the agent has none of that name.
    pub tool: Option<ToolName>,
    /// The arguments, byte for byte.
    pub arguments: Content<String>,
    /// The digest of the arguments.
    pub arguments_digest: Digest,
    /// The effect that it may have, where that depends on its arguments; `None`: the tool's effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectClass>,
    /// Other arguments that a person put in their place: the call that replaces this one runs with
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Content<String>>,
    /// The change that a person made to the arguments of the call that this one replaces, as its
    /// agent reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<Content<String>>,
    /// The reason that a person denied it, if its agent may read that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_for: Option<Content<String>>,
    /// The permission: whose it is, and how much it allows; `None` as long as nobody had to give
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Allowance>,
    /// True if the rules that it was taken up under want a second person to allow it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wants_two: bool,
    /// The folder of its tool that a person was asked about last, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// A person's answer to the tool's question.
    pub input: Option<Given>,
    /// The event that moved it last.
    pub moved_by: Position,
    /// The state that it is in.
    pub state: CallState,
}

impl OpenCall {
    /// Returns what makes two calls of a turn the same to whoever said no to one of them: the tool
    /// and the arguments.
    #[must_use]
    pub fn likeness(tool: &ToolName, arguments: Digest) -> Digest {
        Digest::of(&[tool.as_str().as_bytes(), arguments.as_bytes()])
    }

    /// Tells whether its tool works in another folder `now` than the one that people were asked
    /// about last, or than it did `then`, when its turn began.
    #[must_use]
    pub fn is_elsewhere(&self, then: &ToolSpec, now: &ToolSpec) -> bool {
        let known = self.folder.as_ref().or(then.folder.as_ref());
        known.is_some() && known != now.folder.as_ref()
    }

    /// Notes what a decision says beside yes or no.
    pub(crate) fn note_decision(&mut self, event: &ApprovalDecided, at: Position) {
        let text = |of: fn(&DecisionText) -> Option<String>| match &event.text {
            Content::Present(text) => of(text).map(Content::Present),
            Content::Erased { by } => Some(Content::Erased { by: *by }),
        };
        if event.is_edited {
            self.edited = text(|text| text.arguments.clone());
            self.written = at;
        }
        if event.shares_reason {
            self.denied_for = text(|text| text.reason.clone());
        }
    }

    /// The newest attempt that started; the first if none did.
    #[must_use]
    pub const fn attempt(&self) -> Attempt {
        match &self.state {
            CallState::Running(run) | CallState::InDoubt { run, .. } => run.attempt,
            CallState::AwaitsAnswer { attempt, .. }
            | CallState::AwaitsSettlement { attempt, .. } => *attempt,
            CallState::Ready { .. }
            | CallState::AwaitsApproval { .. }
            | CallState::AwaitsAgent { .. } => Attempt(1),
        }
    }

    /// The attempt that is next; the first if it waits for neither its turn to run nor for
    /// permission.
    #[must_use]
    pub const fn next(&self) -> Attempt {
        match &self.state {
            CallState::Ready { next } | CallState::AwaitsApproval { next, .. } => *next,
            CallState::Running(_)
            | CallState::InDoubt { .. }
            | CallState::AwaitsAnswer { .. }
            | CallState::AwaitsAgent { .. }
            | CallState::AwaitsSettlement { .. } => Attempt(1),
        }
    }

    /// Returns the time at which its first attempt started, as long as that attempt is the same
    /// piece of work.
    #[must_use]
    pub const fn first_started(&self) -> Option<Time> {
        match &self.state {
            CallState::Running(run) | CallState::InDoubt { run, .. } => Some(run.first_started),
            CallState::AwaitsAnswer { .. }
            | CallState::AwaitsSettlement { .. }
            | CallState::Ready { .. }
            | CallState::AwaitsApproval { .. }
            | CallState::AwaitsAgent { .. } => None,
        }
    }

    /// Returns the run that is under way, or that may have taken effect.
    #[must_use]
    pub const fn run(&self) -> Option<&Run> {
        match &self.state {
            CallState::Running(run) | CallState::InDoubt { run, .. } => Some(run),
            CallState::AwaitsAnswer { .. }
            | CallState::AwaitsSettlement { .. }
            | CallState::Ready { .. }
            | CallState::AwaitsApproval { .. }
            | CallState::AwaitsAgent { .. } => None,
        }
    }
}

/// The yes of a person or a service to a call: by a decision, or by a grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// The person or the service whose it is.
    pub by: Party,
    /// The greatest effect that it allows the call.
    pub effect: EffectClass,
}

/// A person's answer to a tool's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The numbers of the chosen options; empty for free text.
    pub options: Vec<u32>,
    /// The chosen texts, or what was typed.
    pub texts: Content<Vec<String>>,
    /// The form: a list, a text, or read as JSON.
    pub form: GivenForm,
}

/// The form of an answer as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenForm {
    /// A text.
    Text,
    /// A list of texts.
    List,
    /// JSON.
    Json,
}

impl Given {
    /// The answer as the tool gets it; empty if it was erased.
    #[must_use]
    pub fn input(&self) -> Input {
        let texts = self.texts.present().cloned().unwrap_or_default();
        let text = texts.join("\n");
        let value = match self.form {
            GivenForm::Text => Value::from(text.as_str()),
            GivenForm::List => Value::from(texts),
            GivenForm::Json => serde_json::from_str(&text).unwrap_or(Value::Null),
        };
        Input {
            options: self.options.clone(),
            text,
            value,
        }
    }
}

/// The state of an open call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// The call may run.
    Ready {
        /// The attempt that is next.
        next: Attempt,
    },
    /// The call waits for permission.
    AwaitsApproval {
        /// The request.
        request: RequestId,
        /// The attempt that is next once it is allowed.
        next: Attempt,
    },
    /// The call waits for an answer to its tool's question.
    AwaitsAnswer {
        /// The request.
        request: RequestId,
        /// The attempt that asked.
        attempt: Attempt,
    },
    /// Another agent was asked and has not answered yet. No time limit of a tool holds for it.
    AwaitsAgent {
        /// The agent that is to answer.
        asked: AgentName,
        /// The message that asks.
        message: Position,
        /// The number of agents that waited for one another with it, when it was asked.
        depth: u32,
        /// The time at which the waiting ends, by recorded time.
        expires_at: Time,
    },
    /// The call runs.
    Running(Run),
    /// The call ran in an older incarnation, and nobody knows what became of it.
    InDoubt {
        /// The lost run.
        run: Run,
        /// True if its tool was asked and could not tell.
        was_asked: bool,
    },
    /// People are asked what became of it.
    AwaitsSettlement {
        /// The request.
        request: RequestId,
        /// The lost run.
        attempt: Attempt,
    },
}

/// A started run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The number of the attempt.
    pub attempt: Attempt,
    /// The process that runs it.
    pub incarnation: Incarnation,
    /// The time at which it started.
    pub started: Time,
    /// The time at which the first attempt under this call's idempotency key started.
    pub first_started: Time,
    /// The effect that the tool could have, at the start.
    pub effect: EffectClass,
    /// The rule of running it again, at the start.
    pub repeat: Repeat,
    /// True if it can tell what became of a lost run.
    pub reconciles: bool,
}

impl Run {
    pub(crate) const fn new(event: &ToolStarted, started: Time, first_started: Time) -> Self {
        Self {
            attempt: event.attempt,
            incarnation: event.incarnation,
            started,
            first_started,
            effect: event.effect,
            repeat: event.repeat,
            reconciles: event.reconciles,
        }
    }

    /// Tells whether running it again at `now` is safe.
    #[must_use]
    pub fn may_repeat(&self, now: Time) -> bool {
        self.repeat.allows(self.effect, self.first_started, now)
    }
}
