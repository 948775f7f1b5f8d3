//! The catalogue of actions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Judgement, Reply, Settlement};
use crate::event::reaction::Reaction;
use crate::event::{
    Attachment, ClockKind, ForkEffects, Holder, Labelled, Occasion, Progress, Right, Rights, Span,
    TreeHead,
};
use crate::ids::{
    AgentName, Attempt, CallId, CopyId, Digest, EpisodeId, GrantId, MessageId, ModelCallId, NodeId,
    Position, RequestId, StateName, StepKey, TurnId, WorldId, WorldName,
};
use crate::model::response::{LLMResponse, ModelError};
use crate::spec::Definition;
use crate::tool::{Reconciliation, ToolOutcome};

/// The principals that may give a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Giver {
    /// Everybody: agents and tools are refused by what they try.
    Anyone,
    /// People, the world and the runtime. Agents and tools have no say in the world as a whole.
    House,
    /// The runtime alone.
    Shell,
}

/// The record that a refusal leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusals {
    /// An event: the command asks for more than to be heard.
    Recorded,
    /// None.
    Unrecorded,
}

/// The rule that holds for all commands of a kind, whatever is in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandRule {
    /// The principals that may give it.
    pub(crate) giver: Giver,
    /// The right that a person needs for it; `None` if no right of the room is asked for.
    pub(crate) right: Option<Right>,
    /// The record that a refusal leaves.
    pub(crate) refusals: Refusals,
}

/// Declares the actions, family by family, and beside them their kinds. Each says in brackets who
/// may give it, which right a person needs for it and whether a refusal is recorded: an action
/// without these does not compile.
macro_rules! actions {
    ($($(#[$family_doc:meta])* $family:ident($type:ident) {
        $($(#[$doc:meta])* [$giver:expr, $right:expr, $refusals:expr] $name:ident
            $({ $($(#[$field_doc:meta])* $field:ident: $field_type:ty,)* })?;)*
    })*) => {
        /// The request of a command.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        #[expect(
            clippy::large_enum_variant,
            reason = "definitions are large and rare, and one action lives at a time"
        )]
        pub enum Action {
            $($(#[$family_doc])* $family($type),)*
        }

        $(
            $(#[$family_doc])*
            #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
            #[serde(rename_all = "snake_case")]
            pub enum $type {
                $($(#[$doc])* $name $({ $($(#[$field_doc])* $field: $field_type,)* })?,)*
            }

            impl $type {
                /// Returns the action's kind.
                #[must_use]
                pub const fn kind(&self) -> CommandKind {
                    match self {
                        $(Self::$name { .. } => CommandKind::$name,)*
                    }
                }
            }

            impl From<$type> for Action {
                fn from(action: $type) -> Self {
                    Self::$family(action)
                }
            }
        )*

        /// The kinds of commands.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum CommandKind {
            $($($(#[$doc])* $name,)*)*
        }

        impl CommandKind {
            /// The rule that holds for all commands of this kind.
            pub(crate) const fn rule(self) -> CommandRule {
                match self {
                    $($(Self::$name => CommandRule {
                        giver: $giver,
                        right: $right,
                        refusals: $refusals,
                    },)*)*
                }
            }
        }

        impl Action {
            /// Returns the action's kind.
            #[must_use]
            pub const fn kind(&self) -> CommandKind {
                match self {
                    $(Self::$family(action) => action.kind(),)*
                }
            }

            /// The right that a person needs for it; `None` if no right of the room is asked for.
            #[must_use]
            pub const fn right(&self) -> Option<Right> {
                self.kind().rule().right
            }
        }
    };
}

actions! {
    /// Requests about the world as a whole.
    World(WorldAction) {
        /// Begins a world and opens it for writing. A person or a service who gives it owns the
        /// world: all rights are theirs in the same commit.
        [Giver::Anyone, None, Refusals::Unrecorded]
        Create {
            /// The world's id.
            world: WorldId,
            /// The world's name.
            name: WorldName,
            /// The world's clock, for life.
            clock: ClockKind,
            /// The folder that relative paths are relative to.
            base: Option<String>,
            /// The definition that it is opened with.
            definition: Definition,
            /// The process that opens it.
            node: NodeId,
            /// The key that heads of its log are signed with.
            signer: Option<String>,
            /// The copy of a store that it begins in, if the store is one.
            copy: Option<CopyId>,
            /// The owner and the labels that it begins with.
            labelled: Labelled,
        };
        /// Opens a world for writing.
        [Giver::House, Some(Right::Operate), Refusals::Unrecorded]
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
        [Giver::House, Some(Right::Operate), Refusals::Unrecorded]
        Fork {
            /// The fork's id.
            world: WorldId,
            /// The fork's name.
            name: WorldName,
            /// The head of what both have.
            base: TreeHead,
            /// The link of the last commit that both have.
            link: Digest,
            /// The treatment of the effects that it owes.
            effects: ForkEffects,
            /// The process that opens it.
            node: NodeId,
            /// The key that heads of its log are signed with.
            signer: Option<String>,
            /// The copy of a store that it begins in, if the store is one.
            copy: Option<CopyId>,
            /// The owner and the labels that it begins with; `None`: those of the other one.
            labelled: Option<Labelled>,
        };
        /// Changes the definition.
        [Giver::House, Some(Right::Operate), Refusals::Unrecorded]
        Revise {
            /// The new one.
            definition: Definition,
        };
        /// Sets the owner and the labels.
        [Giver::House, Some(Right::Operate), Refusals::Unrecorded]
        Label {
            /// The owner of the world.
            owner: Option<String>,
            /// The labels.
            labels: BTreeMap<String, String>,
        };
        /// Gives a person or a service other rights.
        [Giver::House, Some(Right::Operate), Refusals::Recorded]
        SetRights {
            /// The kind of whoever is to have them.
            holder: Holder,
            /// The method by which they are proven.
            method: String,
            /// Their id to that method.
            subject: String,
            /// The rights; `None`: those that the definition says.
            rights: Option<Rights>,
        };
        /// Erases content.
        [Giver::House, Some(Right::Operate), Refusals::Recorded]
        Erase {
            /// The events whose content is to go, in order.
            events: Vec<Span>,
            /// On what basis.
            basis: String,
        };
        /// Looks at text that was kept from people. The text itself stands in the log.
        [Giver::House, Some(Right::Operate), Refusals::Recorded]
        ViewWithheld {
            /// The `ArtifactWithheld` event that says which text.
            at: Position,
        };
        /// Records that a step of a world script is done.
        [Giver::House, Some(Right::Operate), Refusals::Unrecorded]
        RecordStep {
            /// The step.
            step: StepKey,
            /// The digest of what it says.
            digest: Digest,
        };
    }
    /// Requests of those who talk in the room.
    Talk(TalkAction) {
        /// Says something.
        [Giver::Anyone, Some(Right::Post), Refusals::Unrecorded]
        PostMessage {
            /// The text.
            text: String,
            /// The attached files.
            attachments: Vec<Attachment>,
            /// The message it answers.
            reply_to: Option<MessageId>,
        };
        /// Puts other words in the place of a message.
        [Giver::Anyone, Some(Right::Post), Refusals::Recorded]
        Edit {
            /// The message.
            message: MessageId,
            /// The new words.
            text: String,
        };
        /// Takes a message back, and what was said in answer to it.
        [Giver::Anyone, Some(Right::Post), Refusals::Recorded]
        Retract {
            /// The message.
            message: MessageId,
        };
        /// Takes an agent's reply back and has it made anew.
        [Giver::Anyone, Some(Right::Post), Refusals::Recorded]
        Regenerate {
            /// The reply.
            message: MessageId,
        };
        /// Joins the roster: the person who gives the command.
        [Giver::Anyone, Some(Right::Post), Refusals::Unrecorded]
        Join;
        /// Leaves the roster.
        [Giver::Anyone, Some(Right::Post), Refusals::Unrecorded]
        Leave;
        /// Tells what a client's user sees.
        [Giver::Anyone, Some(Right::Post), Refusals::Unrecorded]
        Observe {
            /// The state's name in the spec.
            name: StateName,
            /// The state, as JSON.
            state: String,
        };
        /// Stops what is going on.
        [Giver::Anyone, Some(Right::Operate), Refusals::Recorded]
        Stop {
            /// The episode; `None` is all of them.
            episode: Option<EpisodeId>,
        };
    }
    /// Requests of people about calls that wait for them.
    Consent(ConsentAction) {
        /// Decides an approval.
        [Giver::Anyone, Some(Right::Decide), Refusals::Recorded]
        Decide {
            /// The agent whose call the person saw it to be; `None` if they named the request
            /// alone.
            agent: Option<AgentName>,
            /// The request.
            request: RequestId,
            /// The person's decision.
            judgement: Judgement,
        };
        /// Ends a grant before its time.
        [Giver::Anyone, Some(Right::Decide), Refusals::Recorded]
        Revoke {
            /// The grant.
            grant: GrantId,
        };
        /// Answers a tool's question.
        [Giver::Anyone, Some(Right::Decide), Refusals::Recorded]
        Answer {
            /// The request.
            request: RequestId,
            /// The answer.
            reply: Reply,
        };
        /// Says what became of a call whose outcome is unknown.
        [Giver::Anyone, Some(Right::Decide), Refusals::Recorded]
        Settle {
            /// The request.
            request: RequestId,
            /// The fate of the call.
            settlement: Settlement,
        };
    }
    /// Outcomes of effects, which only the shell brings.
    Shell(ShellAction) {
        /// Brings what an agent does about its news.
        [Giver::Shell, None, Refusals::Recorded]
        OpenTurn {
            /// The agent.
            agent: AgentName,
            /// The horizon of the view that it had.
            horizon: Position,
            /// The agent's reaction.
            reaction: Reaction,
        };
        /// Brings what an agent does about its results.
        [Giver::Shell, None, Refusals::Recorded]
        ContinueTurn {
            /// The agent.
            agent: AgentName,
            /// The agent's turn.
            turn: TurnId,
            /// The agent's reaction.
            reaction: Reaction,
        };
        /// Brings an agent's failure to react.
        [Giver::Shell, None, Refusals::Recorded]
        FailAgent {
            /// The agent.
            agent: AgentName,
            /// The agent's turn, if that was open.
            turn: Option<TurnId>,
            /// The failure's name.
            code: String,
            /// For operators.
            detail: String,
        };
        /// Begins the next attempt of a model call.
        [Giver::Shell, None, Refusals::Recorded]
        RetryModel {
            /// The agent.
            agent: AgentName,
            /// The call.
            call: ModelCallId,
        };
        /// Is about to show the first words of a streaming reply.
        [Giver::Shell, None, Refusals::Recorded]
        StartStream {
            /// The agent.
            agent: AgentName,
            /// The call.
            call: ModelCallId,
            /// The attempt.
            attempt: Attempt,
        };
        /// Brings a model's answer.
        [Giver::Shell, None, Refusals::Recorded]
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
        [Giver::Shell, None, Refusals::Recorded]
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
        [Giver::Shell, None, Refusals::Recorded]
        StartTool {
            /// The agent whose call it is.
            agent: AgentName,
            /// The call.
            call: CallId,
            /// The attempt.
            attempt: Attempt,
        };
        /// Brings a tool's outcome.
        [Giver::Shell, None, Refusals::Recorded]
        FinishTool {
            /// The agent whose call it is.
            agent: AgentName,
            /// The call.
            call: CallId,
            /// The attempt.
            attempt: Attempt,
            /// The outcome.
            outcome: ToolOutcome,
            /// The reports of the tool on the way.
            progress: Option<Progress>,
        };
        /// Reports that a tool was stopped because it took too long.
        [Giver::Shell, None, Refusals::Recorded]
        TimeOutTool {
            /// The agent whose call it is.
            agent: AgentName,
            /// The call.
            call: CallId,
            /// The attempt.
            attempt: Attempt,
        };
        /// Brings what a tool told about a lost run.
        [Giver::Shell, None, Refusals::Recorded]
        RecordReconcile {
            /// The agent whose call it is.
            agent: AgentName,
            /// The call.
            call: CallId,
            /// The tool's answer.
            result: Reconciliation,
        };
        /// Says that nobody knows what became of a lost run.
        [Giver::Shell, None, Refusals::Recorded]
        DeclareUnknown {
            /// The agent whose call it is.
            agent: AgentName,
            /// The call.
            call: CallId,
        };
        /// Records that content was erased.
        [Giver::Shell, None, Refusals::Recorded]
        RecordErased {
            /// The request.
            request: Position,
            /// The number of events that had content which is gone now.
            events: u64,
            /// The number of attached files that are gone.
            files: u64,
        };
        /// Brings the signature of a head of the log.
        [Giver::Shell, None, Refusals::Recorded]
        Sign {
            /// The head that was signed.
            head: TreeHead,
            /// The key.
            key: String,
            /// The signature line's value.
            signature: String,
            /// The occasion of the signature.
            occasion: Occasion,
        };
        /// Records what became due.
        [Giver::Shell, None, Refusals::Recorded]
        Tick;
    }
}

impl ShellAction {
    /// The tool call that it brings an outcome of, with its agent; `None` if it is about none.
    pub(crate) const fn tool_call(&self) -> Option<(&AgentName, CallId)> {
        match self {
            Self::StartTool { agent, call, .. }
            | Self::FinishTool { agent, call, .. }
            | Self::TimeOutTool { agent, call, .. }
            | Self::RecordReconcile { agent, call, .. }
            | Self::DeclareUnknown { agent, call } => Some((agent, *call)),
            Self::OpenTurn { .. }
            | Self::ContinueTurn { .. }
            | Self::FailAgent { .. }
            | Self::RetryModel { .. }
            | Self::StartStream { .. }
            | Self::RecordAnswer { .. }
            | Self::RecordFailure { .. }
            | Self::RecordErased { .. }
            | Self::Sign { .. }
            | Self::Tick => None,
        }
    }
}
