//! Making room in an agent's memory: by a summary, which a model is asked for, or by dropping the
//! oldest items.

use crate::event::{MemoryCompacted, PrefixBroken, PrefixCause, Purpose};
use crate::ids::{AgentName, EpisodeId, Position};
use crate::model::Parameters;
use crate::model::response::LLMResponse;
use crate::prompt::tokens::Share;
use crate::world::decide::{Draft, No};
use crate::world::memory::{Memory, ModelState, Turn};
use crate::world::meters;
use crate::world::meters::episode;
use crate::world::turns::decide::calling::{Asked, Calling};
use crate::world::turns::decide::{calling, turn};
use crate::world::turns::{ask, layers, summary};

/// The most summaries that one turn may ask for.
const COMPACTIONS_MAX: u32 = 2;

/// The way in which room is made for a request.
pub(in crate::world) enum Room {
    /// So many of the oldest items are summarised first.
    Summarise(usize),
    /// So many of the oldest items are dropped; none if all fit.
    Drop(usize),
}

/// Compares what the model would read with the `room` that it has, and with what money has room for
/// at all: a memory that no episode could pay for would be declined for ever. A summary of it would
/// cost as much, so it is dropped.
pub(in crate::world) fn make_room(
    draft: &Draft<'_>,
    calling: &Calling<'_>,
    episode: EpisodeId,
    purpose: Purpose,
    room: u64,
) -> Room {
    let surplus = calling
        .reading
        .surplus(turn::rules_of(draft, calling.agent).spec().limits.items_max);
    let affordable = meters::decide::room_of_money(draft, calling, purpose)
        .map(|room| calling.reading.with_files().too_old(room));
    let dropped = surplus.max(affordable.unwrap_or(0));
    if calling.reading.tokens() <= room {
        return Room::Drop(dropped);
    }
    let summarised = summarises(draft, calling, episode, purpose, room);
    summarised.map_or_else(
        || Room::Drop(dropped.max(calling.reading.too_old(room))),
        Room::Summarise,
    )
}

/// Returns the number of items that a summary is to stand for; `None` if the turn may have none, or
/// it would not help.
fn summarises(
    draft: &Draft<'_>,
    calling: &Calling<'_>,
    episode: EpisodeId,
    purpose: Purpose,
    room: u64,
) -> Option<usize> {
    let Calling {
        agent,
        parameters,
        compactions,
        ..
    } = *calling;
    let world = draft.world;
    let rules = turn::rules_of(draft, agent);
    let is_affordable = episode::affords_summary(world, rules, agent, episode, purpose)
        && meters::decide::affords_cost_of_summary(draft, calling, episode, purpose);
    if compactions >= COMPACTIONS_MAX || !is_affordable {
        return None;
    }
    let name = rules.agent(agent)?.model.as_ref()?;
    let frame = ask::frame(
        rules,
        &layers::layers_of(world, agent),
        agent,
        (name, parameters),
        Purpose::Compaction,
    )?;
    let model = rules.spec().models.get(name)?;
    let share = Share {
        context_tokens_max: model.context_tokens_max,
    };
    let readable = frame
        .mark()
        .room
        .saturating_sub(u64::from(summary::instruction().tokens));
    calling
        .reading
        .summarisable(room, readable, u64::from(share.summary()))
}

/// Asks for a summary of the `count` oldest items. What was wanted of the model is asked once that
/// is there.
pub(in crate::world) fn ask_summary(
    draft: &mut Draft<'_>,
    calling: &Calling<'_>,
    count: usize,
) -> Result<(), No> {
    let Calling {
        agent, parameters, ..
    } = *calling;
    let rules = turn::rules_of(draft, agent);
    let layers = layers::layers_of(draft.world, agent);
    let name = rules
        .agent(agent)
        .and_then(|spec| spec.model.as_ref())
        .ok_or(No::STALE)?;
    let frame = ask::frame(
        rules,
        &layers,
        agent,
        (name, parameters),
        Purpose::Compaction,
    )
    .ok_or(No::STALE)?;
    let fingerprint = summary::fingerprint(frame.start(), calling.reading.all(), count);
    let instruction = u64::from(summary::instruction().tokens);
    let tokens = calling
        .reading
        .with_files()
        .first(count)
        .saturating_add(instruction);
    calling::call_model(
        draft,
        calling,
        Purpose::Compaction,
        Asked {
            count: count.saturating_add(1),
            tokens,
        },
        fingerprint,
    )
}

/// Puts a summary in its place and asks what was wanted. What is no summary is a failure; one of
/// what was taken back meanwhile is thrown away, and another may be asked for.
pub(in crate::world) fn take_summary(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    (turn, model): (&Turn, &ModelState),
    answer: Position,
    response: &LLMResponse,
) -> Result<(), No> {
    let Some(text) = summary_in(response) else {
        return go_without_summary(draft, agent, &model.parameters);
    };
    let memory = turn::memory(draft, agent).ok_or(No::STALE)?;
    let count = model.summarised();
    let mut after = memory.clone();
    after.flush_taken_back();
    if count > 0 && !memory.has_lost_any_of(count) {
        let name = agent.clone();
        let items = u32::try_from(count).unwrap_or(u32::MAX);
        draft.push(MemoryCompacted {
            agent: name.clone(),
            turn: turn.id,
            answer,
            items,
        });
        draft.push(PrefixBroken {
            agent: name,
            cause: PrefixCause::Compaction,
            dropped: 0,
        });
        after.summarise(count, text);
    }
    ask_wanted(draft, agent, &after, turn.compactions, &model.parameters)
}

/// Goes on after a summary that could not be had: the oldest items are dropped instead.
pub(in crate::world) fn go_without_summary(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    parameters: &Parameters,
) -> Result<(), No> {
    let mut after = turn::memory(draft, agent).ok_or(No::STALE)?.clone();
    after.flush_taken_back();
    ask_wanted(draft, agent, &after, COMPACTIONS_MAX, parameters)
}

/// Asks what was wanted before the summary, as far as the episode still affords it.
fn ask_wanted(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    memory: &Memory,
    compactions: u32,
    parameters: &Parameters,
) -> Result<(), No> {
    let turn = memory.turn.as_ref().ok_or(No::STALE)?;
    let calling = Calling {
        compactions,
        ..Calling::again(agent, memory, turn, parameters)
    };
    turn::ask_or_close(draft, &calling, turn.episode)
}

/// The summary that an answer is. One that was cut at its limit is still a summary; a refusal or a
/// call is none.
fn summary_in(response: &LLMResponse) -> Option<String> {
    match response {
        LLMResponse::Text(_) | LLMResponse::Truncated(_) => {
            Some(response.spoken()).filter(|text| !text.trim().is_empty())
        }
        LLMResponse::Calls(_) | LLMResponse::Refused(_) | LLMResponse::Filtered(_) => None,
    }
}
