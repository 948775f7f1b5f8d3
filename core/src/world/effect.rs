//! Work that the shell owes the world.

use serde::Serialize;

use crate::event::Occasion;
use crate::ids::{AgentName, Attempt, CallId, ModelCallId, Position, Time, TurnId};

/// A piece of owed work.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Tell an agent its news over the text channel, and bring back what it does.
    Wake {
        /// The agent.
        agent: AgentName,
        /// Not before this time: it failed and is told again.
        not_before: Option<Time>,
    },
    /// Tell an agent its results over the tool-result channel, and bring back what it does.
    Continue {
        /// The agent.
        agent: AgentName,
        /// The agent's turn.
        turn: TurnId,
        /// The event that gave the last of its results.
        after: Position,
        /// Not before this time: it failed and is told again.
        not_before: Option<Time>,
    },
    /// Make an attempt of a model call.
    CallModel {
        /// The agent.
        agent: AgentName,
        /// The call.
        call: ModelCallId,
        /// The attempt.
        attempt: Attempt,
    },
    /// Begin the next attempt of a model call.
    RetryModel {
        /// The agent.
        agent: AgentName,
        /// The call.
        call: ModelCallId,
        /// The attempt that failed or was lost.
        after: Attempt,
        /// Not before this time; at once if the attempt was lost to a crash.
        not_before: Option<Time>,
    },
    /// Start a call's tool and bring back its outcome.
    RunTool {
        /// The agent.
        agent: AgentName,
        /// The call.
        call: CallId,
        /// The attempt to start.
        attempt: Attempt,
    },
    /// Ask a tool what became of a lost run.
    Reconcile {
        /// The agent.
        agent: AgentName,
        /// The call.
        call: CallId,
        /// The lost run.
        attempt: Attempt,
    },
    /// Say that nobody knows what became of a lost run.
    DeclareUnknown {
        /// The agent.
        agent: AgentName,
        /// The call.
        call: CallId,
    },
    /// Sign the head of the log.
    Sign {
        /// Not before this time; at once if enough is unsigned, or nothing else goes on.
        not_before: Option<Time>,
        /// The occasion of the signature.
        occasion: Occasion,
    },
    /// Erase content.
    Erase {
        /// The request.
        request: Position,
    },
    /// Give the `Tick` command once this time has come.
    TickAt {
        /// The time.
        time: Time,
        /// The thing that is due then.
        due: Due,
    },
}

/// The thing that waits for a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Due {
    /// A request that nobody has decided, or a question that nobody has answered. A simulated clock
    /// does not move for it.
    Expiry,
    /// An agent that waits for others is to be woken.
    Join,
}

impl Effect {
    /// Returns what tells this work from other work: an effect that only waits for another time is
    /// still the same.
    #[must_use]
    pub fn key(&self) -> Self {
        let mut key = self.clone();
        match &mut key {
            Self::Wake { not_before, .. }
            | Self::Continue { not_before, .. }
            | Self::RetryModel { not_before, .. }
            | Self::Sign { not_before, .. } => *not_before = None,
            Self::TickAt { .. }
            | Self::Erase { .. }
            | Self::CallModel { .. }
            | Self::RunTool { .. }
            | Self::Reconcile { .. }
            | Self::DeclareUnknown { .. } => {}
        }
        key
    }

    /// The time before which it is not to be performed.
    #[must_use]
    pub const fn not_before(&self) -> Option<Time> {
        match self {
            Self::Wake { not_before, .. }
            | Self::Continue { not_before, .. }
            | Self::RetryModel { not_before, .. }
            | Self::Sign { not_before, .. } => *not_before,
            Self::TickAt { time, .. } => Some(*time),
            Self::CallModel { .. }
            | Self::RunTool { .. }
            | Self::Reconcile { .. }
            | Self::DeclareUnknown { .. }
            | Self::Erase { .. } => None,
        }
    }
}
