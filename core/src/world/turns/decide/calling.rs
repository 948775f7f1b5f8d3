//! Asking a model: what it reads, and what must go so that it can.

use crate::event::{ModelCalled, PrefixBroken, PrefixCause, Purpose};
use crate::ids::{AgentName, Attempt, ModelCallId, TurnId};
use crate::model::Parameters;
use crate::world::decide::{Draft, No};
use crate::world::memory::{FrameMark, Memory, Reading, Turn};
use crate::world::meters;
use crate::world::talk::decide::message;
use crate::world::turns::decide::compaction::Room;
use crate::world::turns::decide::{compaction, turn};
use crate::world::turns::{ask, layers};

/// A model call in the making.
#[derive(Clone, Copy)]
pub(in crate::world) struct Calling<'m> {
    pub(in crate::world) agent: &'m AgentName,
    pub(in crate::world) turn: TurnId,
    pub(in crate::world) memory: &'m Memory,
    /// The reading of the model if nothing had to go.
    pub(in crate::world) reading: Reading<'m>,
    /// The number of summaries that the turn has asked for.
    pub(in crate::world) compactions: u32,
    /// The parameters that the agent wants.
    pub(in crate::world) parameters: &'m Parameters,
}

impl<'m> Calling<'m> {
    /// A further call of an open turn.
    pub(in crate::world) fn again(
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
pub(in crate::world) struct Asked {
    pub(in crate::world) count: usize,
    /// With the allowance for their files.
    pub(in crate::world) tokens: u64,
}

/// Records that the model is about to be asked, or that it is first asked for a summary, to make
/// room.
pub(in crate::world) fn ask_model(
    draft: &mut Draft<'_>,
    calling: &Calling<'_>,
    purpose: Purpose,
) -> Result<(), No> {
    let mark = mark_of(draft, calling, purpose).ok_or(No::STALE)?;
    let episode = message::episode_of(draft, calling.agent).ok_or(No::STALE)?;
    match compaction::make_room(draft, calling, episode, purpose, mark.room) {
        Room::Summarise(items) => compaction::ask_summary(draft, calling, items),
        Room::Drop(items) => ask_without(draft, calling, purpose, mark, items),
    }
}

pub(in crate::world) fn mark_of(
    draft: &Draft<'_>,
    calling: &Calling<'_>,
    purpose: Purpose,
) -> Option<FrameMark> {
    let Calling {
        agent,
        turn,
        memory,
        parameters,
        ..
    } = *calling;
    let rules = turn::rules_of(draft, agent);
    let asked = (rules.agent(agent)?.model.as_ref()?, parameters);
    let known = memory
        .chain
        .as_ref()
        .and_then(|chain| chain.frame_in(turn, purpose, asked));
    known.or_else(|| {
        Some(
            ask::frame(
                rules,
                &layers::layers_of(draft.world, agent),
                agent,
                asked,
                purpose,
            )?
            .mark(),
        )
    })
}

/// Asks with all items but the `dropped` oldest.
fn ask_without(
    draft: &mut Draft<'_>,
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
    if let Some(cause) = broken_prefix(draft, calling, mark, purpose, dropped) {
        let dropped = u32::try_from(dropped).unwrap_or(u32::MAX);
        draft.push(PrefixBroken {
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
    call_model(draft, calling, purpose, items, fingerprint)
}

/// Records the first attempt of a call whose request has these `items`.
pub(in crate::world) fn call_model(
    draft: &mut Draft<'_>,
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
    let spec = turn::rules_of(draft, agent).agent(agent);
    let model = spec.and_then(|spec| spec.model.clone()).ok_or(No::STALE)?;
    let reserved = meters::decide::worst(draft, calling, purpose, items.tokens);
    let call = ModelCallId(draft.here());
    draft.push(ModelCalled {
        agent: agent.clone(),
        turn,
        call,
        attempt: Attempt(1),
        incarnation: draft.world.incarnation,
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
pub(in crate::world) fn trim(draft: &mut Draft<'_>, agent: &AgentName, reading: &Reading<'_>) {
    let dropped =
        u32::try_from(reading.surplus(turn::rules_of(draft, agent).spec().limits.items_max))
            .unwrap_or(u32::MAX);
    if dropped > 0 {
        let cause = PrefixCause::MemoryFull;
        draft.push(PrefixBroken {
            agent: agent.clone(),
            cause,
            dropped,
        });
    }
}

/// Returns the reason that the next request does not extend the last one; `None` if it does, or if
/// there was none.
fn broken_prefix(
    draft: &Draft<'_>,
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
    let own = turn::rules_of(draft, agent)
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
