//! Asking a model: what it reads, and what must go so that it can.

use super::compaction::Room;
use super::{Draft, No};
use crate::event::{ModelCalled, PrefixBroken, PrefixCause, Purpose};
use crate::ids::{AgentName, Attempt, ModelCallId, TurnId};
use crate::model::Parameters;
use crate::world::World;
use crate::world::memory::{FrameMark, Memory, Reading, Turn};

/// A model call in the making.
#[derive(Clone, Copy)]
pub(super) struct Calling<'m> {
    pub(super) agent: &'m AgentName,
    pub(super) turn: TurnId,
    pub(super) memory: &'m Memory,
    /// The reading of the model if nothing had to go.
    pub(super) reading: Reading<'m>,
    /// The number of summaries that the turn has asked for.
    pub(super) compactions: u32,
    /// The parameters that the agent wants.
    pub(super) parameters: &'m Parameters,
}

impl<'m> Calling<'m> {
    /// A further call of an open turn.
    pub(super) fn again(
        agent: &'m AgentName,
        memory: &'m Memory,
        turn: &Turn,
        parameters: &'m Parameters,
    ) -> Self {
        let reading = Reading::of_open_turn(memory);
        Self {
            agent,
            turn: turn.id,
            memory,
            reading,
            compactions: turn.compactions,
            parameters,
        }
    }
}

/// The items of a request in the making.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) count: usize,
    /// With the allowance for their files.
    pub(super) tokens: u64,
}

impl Draft<'_> {
    /// Records that the model is about to be asked, or that it is first asked for a summary, to make room.
    pub(super) fn ask_model(&mut self, calling: &Calling<'_>, purpose: Purpose) -> Result<(), No> {
        let mark = self.mark_of(calling, purpose).ok_or(No::STALE)?;
        let episode = self.episode_of(calling.agent).ok_or(No::STALE)?;
        match self.make_room(calling, episode, purpose, mark.room) {
            Room::Summarise(items) => self.ask_summary(calling, items),
            Room::Drop(items) => self.ask_without(calling, purpose, mark, items),
        }
    }

    pub(super) fn mark_of(&self, calling: &Calling<'_>, purpose: Purpose) -> Option<FrameMark> {
        let Calling {
            agent,
            turn,
            memory,
            parameters,
            ..
        } = *calling;
        let rules = self.rules_of(agent);
        let asked = (rules.agent(agent)?.model.as_ref()?, parameters);
        let known = memory
            .chain
            .as_ref()
            .and_then(|chain| chain.frame_in(turn, purpose, asked));
        known.or_else(|| {
            Some(World::frame(rules, &self.world.layers_of(agent), agent, asked, purpose)?.mark())
        })
    }

    /// Asks with all items but the `dropped` oldest.
    fn ask_without(
        &mut self,
        calling: &Calling<'_>,
        purpose: Purpose,
        mark: FrameMark,
        dropped: usize,
    ) -> Result<(), No> {
        let Calling {
            agent,
            memory,
            reading,
            ..
        } = *calling;
        if let Some(cause) = self.broken_prefix(calling, mark, purpose, dropped) {
            let dropped = u32::try_from(dropped).unwrap_or(u32::MAX);
            self.push(PrefixBroken {
                agent: agent.clone(),
                cause,
                dropped,
            });
        }
        let tokens = reading.with_files().without(dropped);
        let items = Asked {
            count: reading.count().saturating_sub(dropped),
            tokens,
        };
        let fingerprint = memory.fingerprint(mark.start, dropped, reading.fresh());
        self.call_model(calling, purpose, items, fingerprint)
    }

    /// Records the first attempt of a call whose request has these `items`.
    pub(super) fn call_model(
        &mut self,
        calling: &Calling<'_>,
        purpose: Purpose,
        items: Asked,
        fingerprint: crate::ids::Digest,
    ) -> Result<(), No> {
        let Calling {
            agent,
            turn,
            parameters,
            ..
        } = *calling;
        let spec = self.rules_of(agent).agent(agent);
        let model = spec.and_then(|spec| spec.model.clone()).ok_or(No::STALE)?;
        let reserved = self.worst(calling, purpose, items.tokens);
        let call = ModelCallId(self.here());
        self.push(ModelCalled {
            agent: agent.clone(),
            turn,
            call,
            attempt: Attempt(1),
            incarnation: self.world.incarnation,
            purpose,
            model,
            parameters: parameters.clone(),
            items: u32::try_from(items.count).unwrap_or(u32::MAX),
            fingerprint,
            reserved,
        });
        Ok(())
    }

    /// Keeps the memory of an agent that asks no model within its limit.
    pub(super) fn trim(&mut self, agent: &AgentName, reading: &Reading<'_>) {
        let dropped = u32::try_from(reading.surplus(self.rules_of(agent).spec().limits.items_max))
            .unwrap_or(u32::MAX);
        if dropped > 0 {
            let cause = PrefixCause::MemoryFull;
            self.push(PrefixBroken {
                agent: agent.clone(),
                cause,
                dropped,
            });
        }
    }

    /// Returns the reason that the next request does not extend the last one; `None` if it does, or if there was none.
    fn broken_prefix(
        &self,
        calling: &Calling<'_>,
        mark: FrameMark,
        purpose: Purpose,
        dropped: usize,
    ) -> Option<PrefixCause> {
        let Calling {
            agent,
            memory,
            parameters,
            ..
        } = *calling;
        let own = self
            .rules_of(agent)
            .agent(agent)
            .and_then(|spec| spec.model.as_ref());
        match &memory.chain {
            _ if dropped > 0 => Some(PrefixCause::MemoryFull),
            _ if memory.broken.is_some() => memory.broken,
            Some(chain) if chain.frame.start == mark.start => None,
            Some(chain) if chain.purpose != purpose => Some(PrefixCause::Tools),
            Some(chain) if chain.parameters != *parameters => Some(PrefixCause::Parameters),
            Some(chain) if Some(&chain.model) != own => Some(PrefixCause::Model),
            Some(_) => Some(PrefixCause::SpecRevised),
            None => None,
        }
    }
}
