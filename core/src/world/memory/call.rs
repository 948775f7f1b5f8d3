//! A call without a result.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::Content;
use crate::event::{ApprovalDecided, DecisionText, ToolStarted};
use crate::ids::principal::Person;
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
    /// Where it was admitted.
    pub admitted: Position,
    /// The event that its arguments stand in: the answer, or a person's decision that changed them.
    #[serde(default)]
    pub written: Position,
    /// The tool; `None` if the agent has none of that name.
    pub tool: Option<ToolName>,
    /// Its arguments, byte for byte.
    pub arguments: Content<String>,
    /// Their digest.
    pub arguments_digest: Digest,
    /// What it may do, where that depends on its arguments; `None`: the tool's effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectClass>,
    /// Other arguments that a person put in their place: the call that replaces this one runs with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Content<String>>,
    /// What a person changed in the arguments of the call that this one replaces, as its agent reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<Content<String>>,
    /// Why a person denied it, if its agent may read that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_for: Option<Content<String>>,
    /// Who allowed it, and how much; `None` as long as nobody had to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Allowance>,
    /// Whether the rules that it was taken up under want a second person to allow it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wants_two: bool,
    /// The folder of its tool that a person was asked about last, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// A person's answer to the tool's question.
    pub input: Option<Given>,
    /// The event that moved it last.
    pub moved_by: Position,
    /// Where it stands.
    pub state: CallState,
}

impl OpenCall {
    /// What makes two calls of a turn the same to whoever said no to one of them: the tool and the arguments.
    #[must_use]
    pub fn likeness(tool: &ToolName, arguments: Digest) -> Digest {
        Digest::of(&[tool.as_str().as_bytes(), arguments.as_bytes()])
    }

    /// Whether its tool works in another folder `now` than the one that people were asked about last, or than it did `then`,
    /// when its turn began.
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

    /// The attempt that is next; the first if it waits for neither its turn to run nor for permission.
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

    /// When its first attempt started, as long as that attempt is the same piece of work.
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

    /// Whether a run of it is under way, or may have taken effect.
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

/// A person's yes to a call: by a decision, or by a grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// Whose it is.
    pub by: Person,
    /// What it allows the call to do at most.
    pub effect: EffectClass,
}

/// A person's answer to a tool's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The numbers of the chosen options; empty for free text.
    pub options: Vec<u32>,
    /// The chosen texts, or what was typed.
    pub texts: Content<Vec<String>>,
    /// Whether the answer is a list, is read as JSON, or is a text.
    pub form: GivenForm,
}

/// How an answer is data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenForm {
    /// One text.
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

/// Where an open call stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// It may run.
    Ready {
        /// The attempt that is next.
        next: Attempt,
    },
    /// It waits for permission.
    AwaitsApproval {
        /// The request.
        request: RequestId,
        /// The attempt that is next once it is allowed.
        next: Attempt,
    },
    /// It waits for an answer to its tool's question.
    AwaitsAnswer {
        /// The request.
        request: RequestId,
        /// The attempt that asked.
        attempt: Attempt,
    },
    /// Another agent was asked and has not answered yet. No time limit of a tool holds for it.
    AwaitsAgent {
        /// Who is to answer.
        asked: AgentName,
        /// The message that asks.
        message: Position,
        /// How many agents waited for one another with it, when it was asked.
        depth: u32,
        /// When the waiting ends, by recorded time.
        expires_at: Time,
    },
    /// It runs.
    Running(Run),
    /// It ran in an older incarnation, and nobody knows what became of it.
    InDoubt {
        /// The lost run.
        run: Run,
        /// Whether its tool was asked and could not tell.
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
    /// Which attempt it is.
    pub attempt: Attempt,
    /// Who runs it.
    pub incarnation: Incarnation,
    /// When it started.
    pub started: Time,
    /// When the first attempt under this call's idempotency key started.
    pub first_started: Time,
    /// What the tool could do, at the start.
    pub effect: EffectClass,
    /// Whether it could run again, at the start.
    pub repeat: Repeat,
    /// Whether it can tell what became of a lost run.
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

    /// Whether running it again at `now` is safe.
    #[must_use]
    pub fn may_repeat(&self, now: Time) -> bool {
        self.repeat.allows(self.effect, self.first_started, now)
    }
}
