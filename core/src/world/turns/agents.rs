//! The agents of a world: what each remembers, and who has something to do.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::ids::{AgentName, CallId, Position};
use crate::world::memory::{Memory, OpenCall, Turn};

/// The agents of a world, with those that left the definition: they may come back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::world) struct Agents {
    /// The memory of each agent that was ever defined.
    memories: BTreeMap<AgentName, Memory>,
    /// The agents with an open turn, news, or a wait for others. The rest need not be looked at.
    busy: BTreeSet<AgentName>,
}

impl Agents {
    /// Tells whether `agent` was ever defined.
    pub(in crate::world) fn knows(&self, agent: &AgentName) -> bool {
        self.memories.contains_key(agent)
    }

    /// The memory of `agent`; `None` if it was never defined.
    pub(in crate::world) fn memory(&self, agent: &AgentName) -> Option<&Memory> {
        self.memories.get(agent)
    }

    pub(in crate::world) fn memory_mut(&mut self, agent: &AgentName) -> Option<&mut Memory> {
        self.memories.get_mut(agent)
    }

    /// The open turn of `agent`; `None` if it has none.
    pub(in crate::world) fn turn(&self, agent: &AgentName) -> Option<&Turn> {
        self.memory(agent)?.turn.as_ref()
    }

    pub(in crate::world) fn turn_mut(&mut self, agent: &AgentName) -> Option<&mut Turn> {
        self.memory_mut(agent)?.turn.as_mut()
    }

    /// A call of `agent` that is not ended; `None` if it is, or is another agent's.
    pub(in crate::world) fn open_call(&self, agent: &AgentName, call: CallId) -> Option<&OpenCall> {
        self.memory(agent)?.open_calls.get(&call)
    }

    pub(in crate::world) fn open_call_mut(
        &mut self,
        agent: &AgentName,
        call: CallId,
    ) -> Option<&mut OpenCall> {
        self.memory_mut(agent)?.open_calls.get_mut(&call)
    }

    /// All memories.
    pub(in crate::world) const fn memories(&self) -> &BTreeMap<AgentName, Memory> {
        &self.memories
    }

    pub(in crate::world) fn memories_mut(
        &mut self,
    ) -> impl Iterator<Item = (&AgentName, &mut Memory)> {
        self.memories.iter_mut()
    }

    /// The agents that have something to do, by name.
    pub(in crate::world) const fn busy(&self) -> &BTreeSet<AgentName> {
        &self.busy
    }

    /// The memories of the agents that have something to do.
    pub(in crate::world) fn busy_memories(&self) -> impl Iterator<Item = (&AgentName, &Memory)> {
        self.busy
            .iter()
            .filter_map(|name| Some((name, self.memory(name)?)))
    }

    /// The open turns of the agents that have something to do.
    pub(in crate::world) fn turns_mut(&mut self) -> impl Iterator<Item = &mut Turn> {
        let busy = &self.busy;
        let memories = self.memories.iter_mut();
        memories
            .filter(|(name, _)| busy.contains(*name))
            .filter_map(|(_, memory)| memory.turn.as_mut())
    }

    /// Adds an agent that is defined for the first time and has seen everything up to `seen`.
    pub(in crate::world) fn enter(&mut self, agent: &AgentName, seen: Position) {
        let joined = || Memory {
            seen,
            ..Memory::default()
        };
        self.memories.entry(agent.clone()).or_insert_with(joined);
    }

    /// `agent` has something to do from here on.
    pub(in crate::world) fn wake(&mut self, agent: AgentName) {
        self.busy.insert(agent);
    }

    /// Takes `agent` off the list if it has nothing left to do.
    pub(in crate::world) fn rest(&mut self, agent: &AgentName) {
        if self.memory(agent).is_none_or(|memory| !memory.is_busy()) {
            self.busy.remove(agent);
        }
    }

    /// Lets all agents rest; gives those that had something to do.
    pub(in crate::world) fn rest_all(&mut self) -> BTreeSet<AgentName> {
        std::mem::take(&mut self.busy)
    }
}
