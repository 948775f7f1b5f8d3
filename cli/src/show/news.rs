//! News of a room, as a page shows them. They can come from another process.

use folkmoot::ActivityEvent;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, TurnEvent};
use folkmoot::core::ids::{AgentName, MessageId, Position, ToolName};
use folkmoot::core::world::{Activity, Doing};
use serde::{Deserialize, Serialize};

use super::chat::ChatLine;

/// A commit, as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownCommit {
    /// The position of its last event.
    pub(crate) last: Position,
    /// The replies that are written from here on, with their agents.
    pub(crate) begun: Vec<(MessageId, AgentName)>,
    /// The agents whose replies are over, one way or another.
    pub(crate) ended: Vec<AgentName>,
    /// The lines that tell of it.
    pub(crate) lines: Vec<ChatLine>,
}

impl ShownCommit {
    /// A commit that `lines` tell of.
    pub(crate) fn of(commit: &Commit, lines: Vec<ChatLine>) -> Self {
        let begun = commit.numbered().filter_map(|(at, event)| {
            if let Event::Turn(TurnEvent::StreamStarted(started)) = event {
                Some((MessageId(at), started.agent.clone()))
            } else {
                None
            }
        });
        Self {
            last: commit.last(),
            begun: begun.collect(),
            ended: commit
                .events
                .iter()
                .filter_map(ends_reply)
                .cloned()
                .collect(),
            lines,
        }
    }
}

/// The agent whose reply is over with this event, one way or another.
const fn ends_reply(event: &Event) -> Option<&AgentName> {
    let Event::Turn(event) = event else {
        return None;
    };
    match event {
        TurnEvent::ModelAnswered(answered) => Some(&answered.agent),
        TurnEvent::ModelFailed(failed) => Some(&failed.agent),
        TurnEvent::ModelCalled(called) => Some(&called.agent),
        TurnEvent::StreamCut(cut) => Some(&cut.agent),
        TurnEvent::TurnClosed(closed) => Some(&closed.agent),
        TurnEvent::JoinElapsed(_)
        | TurnEvent::HandedOff(_)
        | TurnEvent::TurnOpened(_)
        | TurnEvent::TurnDeclined(_)
        | TurnEvent::StreamStarted(_)
        | TurnEvent::AgentReacted(_)
        | TurnEvent::AgentFailed(_)
        | TurnEvent::MemoryCompacted(_)
        | TurnEvent::PrefixBroken(_)
        | TurnEvent::Stopped(_) => None,
    }
}

/// A thing that goes on in a room. None of it is in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stir {
    /// The room began to run, parked, or went idle.
    Room(Activity),
    /// An agent does something else now.
    Agent {
        /// The agent.
        agent: AgentName,
        /// The thing that it does.
        doing: Doing,
    },
    /// A tool runs.
    Tool {
        /// The agent whose call it is.
        agent: AgentName,
        /// The tool.
        tool: ToolName,
    },
    /// A running tool tells how far it has come.
    Report {
        /// The agent whose call it is.
        agent: AgentName,
        /// The tool.
        tool: ToolName,
        /// The report.
        text: String,
    },
    /// A piece of a reply that is still being written.
    Draft {
        /// The message that it will be.
        message: MessageId,
        /// The place of the piece in the message, in bytes.
        offset: u64,
        /// The piece.
        delta: String,
    },
}

impl Stir {
    /// Returns what a page shows of an event; `None` if that is nothing: the end of a draft comes
    /// in the log, and kinds of newer versions are not shown.
    pub(crate) fn of(event: ActivityEvent) -> Option<Self> {
        Some(match event {
            ActivityEvent::World(activity) => Self::Room(activity),
            ActivityEvent::Agent { agent, doing } => Self::Agent { agent, doing },
            ActivityEvent::Tool { agent, tool, .. } => Self::Tool { agent, tool },
            ActivityEvent::Progress {
                agent, tool, text, ..
            } => Self::Report { agent, tool, text },
            ActivityEvent::Draft {
                message,
                offset,
                delta,
                ..
            } => Self::Draft {
                message,
                offset,
                delta: delta.to_string(),
            },
            ActivityEvent::DraftEnded { .. } | _ => return None,
        })
    }
}
