//! Activity: whether anything goes on.

use serde::{Deserialize, Serialize};

use crate::ids::AgentName;
use crate::world::effect::{Due, Effect};
use crate::world::memory::{CallState, Memory};
use crate::world::{World, owed};

/// The activity of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// The world is at rest: it owes nothing and waits for nobody.
    Idle,
    /// No work goes on, and an open turn waits for a person.
    Parked,
    /// Something is owed or under way, or waits for time only.
    Running,
}

/// The doing of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// The agent does nothing.
    Nothing,
    /// The agent has news that it has not taken up.
    Waking,
    /// The agent's model is asked.
    Thinking,
    /// The agent's tools run.
    UsingTools,
    /// The agent waits for a person.
    WaitingForPerson,
    /// The agent waits for the answer of another agent.
    WaitingForAgent,
}

impl World {
    /// Returns whether anything goes on. Requests that only could expire do not count.
    #[must_use]
    pub fn activity(&self) -> Activity {
        if self.upkeep.is_erasing() || self.upkeep.has_unsigned() {
            Activity::Running
        } else {
            self.room_activity()
        }
    }

    /// Returns whether anything goes on among agents, people, models and tools. The work owed to
    /// the log itself does not count.
    #[must_use]
    pub fn room_activity(&self) -> Activity {
        if goes_on(self) {
            Activity::Running
        } else if self
            .agents
            .busy()
            .iter()
            .any(|name| self.agents.knows(name))
        {
            Activity::Parked
        } else {
            Activity::Idle
        }
    }

    /// Returns the doing of `agent`.
    #[must_use]
    pub fn doing(&self, agent: &AgentName) -> Doing {
        let Some(memory) = self.agents.memory(agent) else {
            return Doing::Nothing;
        };
        match &memory.turn {
            None if memory.joining.is_some() => Doing::WaitingForAgent,
            None if memory.inbox.is_empty() => Doing::Nothing,
            None => Doing::Waking,
            Some(turn) if turn.model.is_some() || memory.open_calls.is_empty() => Doing::Thinking,
            Some(_) => memory
                .open_calls
                .values()
                .map(|call| waiting(&call.state))
                .min()
                .unwrap_or(Doing::Thinking),
        }
    }
}

/// Tells whether agents, models or tools are at work, or wait for time only.
pub(in crate::world) fn goes_on(world: &World) -> bool {
    let is_work = |effect: &Effect| {
        !matches!(
            effect,
            Effect::TickAt {
                due: Due::Expiry,
                ..
            }
        )
    };
    let is_running = |memory: &Memory| {
        memory
            .open_calls
            .values()
            .any(|call| matches!(call.state, CallState::Running(_)))
    };
    let mut busy = world.agents.busy_memories().map(|(_, memory)| memory);
    owed::owed_work(world).any(|effect| is_work(&effect)) || busy.any(is_running)
}

/// Returns the doing of an agent about a call. Of several calls the least one counts: what goes on,
/// then people, then agents.
const fn waiting(state: &CallState) -> Doing {
    match state {
        CallState::Ready { .. } | CallState::Running(_) | CallState::InDoubt { .. } => {
            Doing::UsingTools
        }
        CallState::AwaitsApproval { .. }
        | CallState::AwaitsAnswer { .. }
        | CallState::AwaitsSettlement { .. } => Doing::WaitingForPerson,
        CallState::AwaitsAgent { .. } => Doing::WaitingForAgent,
    }
}
