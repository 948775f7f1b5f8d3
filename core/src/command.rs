//! Commands: requests that may be refused.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::event::reaction::Reaction;
use crate::event::{
    Attachment, ClockKind, ForkEffects, Occasion, Progress, Rights, Scope, Span, TreeHead, Verdict,
    Wider,
};
use crate::ids::principal::Principal;
use crate::ids::{
    AgentName, Attempt, CallId, CopyId, Digest, EpisodeId, GrantId, MessageId, ModelCallId, NodeId,
    Position, RequestId, StateName, StepKey, TurnId, WorldId, WorldName,
};
use crate::model::response::{LLMResponse, ModelError};
use crate::spec::Definition;
use crate::tool::{Reconciliation, ToolOutcome};

pub mod commit;

/// A request to a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Who gives it. Set by the ingress.
    pub principal: Principal,
    /// What makes it recognisable when it is sent again.
    pub key: Option<Keyed>,
    /// What is asked.
    pub action: Action,
}

impl Command {
    /// A command of the shell.
    #[must_use]
    pub const fn of_runtime(action: Action) -> Self {
        Self {
            principal: Principal::Runtime,
            key: None,
            action,
        }
    }

    /// A command of `principal`, without a key.
    #[must_use]
    pub const fn of(principal: Principal, action: Action) -> Self {
        Self {
            principal,
            key: None,
            action,
        }
    }

    /// The digest of what is asked and by whom, the key left out.
    #[must_use]
    pub fn digest(&self) -> Digest {
        // No part of a command can fail to serialise.
        Digest::of(&[&serde_json::to_vec(&(&self.principal, &self.action)).unwrap_or_default()])
    }
}

/// Declares the actions and, beside them, their kinds.
macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident $({ $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })?;)*) => {
        /// What a command asks.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Action {
            $($(#[$doc])* $name $({ $($(#[$field_doc])* $field: $type,)* })?,)*
        }

        /// The kinds of commands.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum CommandKind {
            $($(#[$doc])* $name,)*
        }

        impl Action {
            /// Its kind.
            #[must_use]
            pub const fn kind(&self) -> CommandKind {
                match self {
                    $(Self::$name { .. } => CommandKind::$name,)*
                }
            }
        }
    };
}

actions! {
    /// Begins a world and opens it for writing.
    Create {
        /// Its id.
        world: WorldId,
        /// Its name.
        name: WorldName,
        /// Its clock, for life.
        clock: ClockKind,
        /// The folder that relative paths are relative to.
        base: Option<String>,
        /// What it is opened with.
        definition: Definition,
        /// The process that opens it.
        node: NodeId,
        /// The key that heads of its log are signed with.
        signer: Option<String>,
        /// The copy of a store that it begins in, if the store is one.
        copy: Option<CopyId>,
    };
    /// Opens a world for writing.
    Open {
        /// The process that opens it.
        node: NodeId,
        /// The folder that relative paths are relative to, if it changed.
        base: Option<String>,
        /// The definition, if it changed.
        revise: Option<Definition>,
        /// The key that heads of its log are signed with.
        signer: Option<String>,
        /// The copy that its store is, if it is one.
        copy: Option<CopyId>,
    };
    /// Branches a world off the one that is asked, and opens it for writing.
    Fork {
        /// Its id.
        world: WorldId,
        /// Its name.
        name: WorldName,
        /// The head of what both have.
        base: TreeHead,
        /// The link of the last commit that both have.
        link: Digest,
        /// What becomes of the effects that it owes.
        effects: ForkEffects,
        /// The process that opens it.
        node: NodeId,
        /// The key that heads of its log are signed with.
        signer: Option<String>,
        /// The copy of a store that it begins in, if the store is one.
        copy: Option<CopyId>,
    };
    /// Changes the definition.
    Revise {
        /// The new one.
        definition: Definition,
    };
    /// Says something.
    PostMessage {
        /// The text.
        text: String,
        /// What is attached.
        attachments: Vec<Attachment>,
        /// The message it answers.
        reply_to: Option<MessageId>,
    };
    /// Puts other words in the place of a message.
    Edit {
        /// The message.
        message: MessageId,
        /// The new words.
        text: String,
    };
    /// Takes a message back, and what was said in answer to it.
    Retract {
        /// The message.
        message: MessageId,
    };
    /// Takes an agent's reply back and has it made anew.
    Regenerate {
        /// The reply.
        message: MessageId,
    };
    /// Joins the roster: the person who gives the command.
    Join;
    /// Leaves the roster.
    Leave;
    /// Sets the owner and the labels.
    Label {
        /// Whom the world belongs to.
        owner: Option<String>,
        /// The labels.
        labels: BTreeMap<String, String>,
    };
    /// Brings what an agent does about its news.
    OpenTurn {
        /// The agent.
        agent: AgentName,
        /// The horizon of the view that it had.
        horizon: Position,
        /// What it does.
        reaction: Reaction,
    };
    /// Brings what an agent does about its results.
    ContinueTurn {
        /// The agent.
        agent: AgentName,
        /// Its turn.
        turn: TurnId,
        /// What it does.
        reaction: Reaction,
    };
    /// Brings an agent's failure to react.
    FailAgent {
        /// The agent.
        agent: AgentName,
        /// Its turn, if that was open.
        turn: Option<TurnId>,
        /// The failure's name.
        code: String,
        /// For operators.
        detail: String,
    };
    /// Begins the next attempt of a model call.
    RetryModel {
        /// The agent.
        agent: AgentName,
        /// The call.
        call: ModelCallId,
    };
    /// Is about to show the first words of a streaming reply.
    StartStream {
        /// The agent.
        agent: AgentName,
        /// The call.
        call: ModelCallId,
        /// The attempt.
        attempt: Attempt,
    };
    /// Brings a model's answer.
    RecordAnswer {
        /// The agent.
        agent: AgentName,
        /// The call.
        call: ModelCallId,
        /// The attempt.
        attempt: Attempt,
        /// The answer.
        response: LLMResponse,
    };
    /// Brings a model's failure.
    RecordFailure {
        /// The agent.
        agent: AgentName,
        /// The call.
        call: ModelCallId,
        /// The attempt.
        attempt: Attempt,
        /// The failure.
        error: ModelError,
    };
    /// Is about to run a tool.
    StartTool {
        /// The agent whose call it is.
        agent: AgentName,
        /// The call.
        call: CallId,
        /// The attempt.
        attempt: Attempt,
    };
    /// Brings a tool's outcome.
    FinishTool {
        /// The agent whose call it is.
        agent: AgentName,
        /// The call.
        call: CallId,
        /// The attempt.
        attempt: Attempt,
        /// The outcome.
        outcome: ToolOutcome,
        /// What the tool reported on the way.
        progress: Option<Progress>,
    };
    /// Reports that a tool was stopped because it took too long.
    TimeOutTool {
        /// The agent whose call it is.
        agent: AgentName,
        /// The call.
        call: CallId,
        /// The attempt.
        attempt: Attempt,
    };
    /// Brings what a tool told about a lost run.
    RecordReconcile {
        /// The agent whose call it is.
        agent: AgentName,
        /// The call.
        call: CallId,
        /// What it told.
        result: Reconciliation,
    };
    /// Says that nobody knows what became of a lost run.
    DeclareUnknown {
        /// The agent whose call it is.
        agent: AgentName,
        /// The call.
        call: CallId,
    };
    /// Decides an approval.
    Decide {
        /// The agent whose call it is, as the person saw it.
        agent: AgentName,
        /// The request.
        request: RequestId,
        /// What the person decides.
        judgement: Judgement,
    };
    /// Ends a grant before its time.
    Revoke {
        /// The grant.
        grant: GrantId,
    };
    /// Gives a person other rights.
    SetRights {
        /// How the person is proven.
        method: String,
        /// Who it is to that method.
        subject: String,
        /// The rights; `None`: those that the definition says.
        rights: Option<Rights>,
    };
    /// Tells what a client's user sees.
    Observe {
        /// Which state, by its name in the spec.
        name: StateName,
        /// The state, as JSON.
        state: String,
    };
    /// Answers a tool's question.
    Answer {
        /// The request.
        request: RequestId,
        /// The answer.
        reply: Reply,
    };
    /// Says what became of a call whose outcome is unknown.
    Settle {
        /// The request.
        request: RequestId,
        /// What became of it.
        settlement: Settlement,
    };
    /// Stops what is going on.
    Stop {
        /// Which episode; `None` is all of them.
        episode: Option<EpisodeId>,
    };
    /// Erases content.
    Erase {
        /// The events whose content is to go, in order.
        events: Vec<Span>,
        /// On what basis.
        basis: String,
    };
    /// Records that content was erased.
    RecordErased {
        /// The request.
        request: Position,
        /// How many events had content that is gone now.
        events: u64,
        /// How many files that they had attached are gone.
        files: u64,
    };
    /// Brings the signature of a head of the log.
    Sign {
        /// What was signed.
        head: TreeHead,
        /// The key.
        key: String,
        /// The signature line's value.
        signature: String,
        /// Why it was signed now.
        occasion: Occasion,
    };
    /// Records what became due.
    Tick;
    /// Records that a step of a world script is done.
    RecordStep {
        /// The step.
        step: StepKey,
        /// The digest of what it says.
        digest: Digest,
    };
}

/// What a person decides about a call that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// Yes or no.
    pub verdict: Verdict,
    /// How far it reaches.
    pub scope: Scope,
    /// How much wider than the call's own arguments a grant is to be.
    pub wider: Wider,
    /// Other arguments for the call, as JSON.
    pub arguments: Option<String>,
    /// The first digits, at least eight, of the digest of what the person saw; `None`: not confirmed.
    pub shown: Option<String>,
    /// The world in which the person saw it; `None`: not said.
    pub world: Option<WorldId>,
    /// Why.
    pub reason: Option<String>,
    /// Whether the agent may read the reason.
    pub shares_reason: bool,
}

impl Judgement {
    /// A bare yes or no about this one request.
    #[must_use]
    pub const fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            scope: Scope::Once,
            wider: Wider::Same,
            arguments: None,
            shown: None,
            world: None,
            reason: None,
            shares_reason: false,
        }
    }

    /// The same, for a reason.
    #[must_use]
    pub fn because(self, reason: Option<String>) -> Self {
        Self { reason, ..self }
    }

    /// The same, confirmed by the first digits of the digest of what the person saw.
    #[must_use]
    pub fn having_seen(self, shown: Option<String>) -> Self {
        Self { shown, ..self }
    }

    /// The same, reaching so far.
    #[must_use]
    pub fn within(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }
}

/// A person's answer to a tool's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The numbers of the chosen options, from 0.
    Options(Vec<u32>),
    /// Free text.
    Text(String),
}

/// What a person says became of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// It took effect, with this result if that is known.
    Ran(Option<String>),
    /// It did not.
    NotRun,
    /// It is to run again.
    RunAgain,
}

/// What makes a command recognisable when it is sent again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandKey {
    /// A client's own word, at most 128 bytes.
    Client(String),
    /// A step of a world script.
    Step(StepKey),
}

impl fmt::Display for CommandKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(key) => f.write_str(key),
            Self::Step(step) => write!(f, "step {step}"),
        }
    }
}

/// A command's key, and the digest of what it asks: the same key with another digest is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyed {
    /// The key.
    pub key: CommandKey,
    /// The digest of the command, or of the script's step.
    pub digest: Digest,
}
