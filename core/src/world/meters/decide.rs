//! The cost that a model call may have, before it is made.

use crate::event::{Purpose, Reserved, SpentLimit};
use crate::ids::{AgentName, EpisodeId};
use crate::model::money::{Money, Price};
use crate::prompt::tokens::of_files;
use crate::spec::Limits;
use crate::world::decide::Draft;
use crate::world::memory::{FrameMark, ModelState, Turn};
use crate::world::meters::budget::Used;
use crate::world::meters::meter::Ended;
use crate::world::meters::{budget, episode, meter};
use crate::world::turns::decide::calling::Calling;
use crate::world::turns::decide::compaction::Room;
use crate::world::turns::decide::{calling, compaction, fallback, turn};

/// Returns the next model call of an agent, by the limits of calls and of cost.
///
/// A call with tools is affordable only if a closing call stays affordable behind it, which reads
/// this call's answer as well. What its tools will give is not known yet: where that is more than
/// is left, the turn ends without one.
pub(in crate::world) fn affordable(
    draft: &Draft<'_>,
    calling: &Calling<'_>,
    episode: EpisodeId,
) -> Result<Purpose, SpentLimit> {
    let rules = turn::rules_of(draft, calling.agent);
    let purpose = episode::affords(draft.world, rules, calling.agent, episode)
        .ok_or(SpentLimit::ModelCalls)?;
    if !rules.spec().limits.has_cost() {
        return Ok(purpose);
    }
    let fits = |purpose| fits_sent(draft, calling, episode, purpose);
    match purpose {
        Purpose::Turn => fits(Purpose::Turn)
            .map(|()| Purpose::Turn)
            .or_else(|_| fits(Purpose::Closing).map(|()| Purpose::Closing)),
        Purpose::Closing | Purpose::Compaction => fits(purpose).map(|()| purpose),
    }
}

/// Tells whether a summary of what `calling` reads may be paid for, and then the call that is
/// wanted behind it.
pub(in crate::world) fn affords_cost_of_summary(
    draft: &Draft<'_>,
    calling: &Calling<'_>,
    episode: EpisodeId,
    wanted: Purpose,
) -> bool {
    if !turn::rules_of(draft, calling.agent)
        .spec()
        .limits
        .has_cost()
    {
        return true;
    }
    let tokens = calling.reading.with_files().tokens();
    let worst = |purpose| worst(draft, calling, purpose, tokens);
    let both = worst(Purpose::Compaction)
        .zip(worst(wanted))
        .map(|(summary, then)| Reserved {
            attempt: summary.attempt.plus(then.attempt),
            closing: then.closing,
        });
    fits(draft, calling, episode, both).is_ok()
}

/// Returns what a further attempt sets aside, on the model that it asks. The closing call stays
/// what it was: it begins with the agent's own model again.
pub(in crate::world) fn worst_again(
    draft: &Draft<'_>,
    agent: &AgentName,
    (turn, model): (&Turn, &ModelState),
    mark: &FrameMark,
) -> Option<Reserved> {
    let price = turn.rules.spec().models.get(model.next_model())?.price?;
    let items = turn::memory(draft, agent)
        .map(|memory| memory.asked(model))
        .unwrap_or_default();
    let files = of_files(items.iter().map(|item| &**item));
    let tokens = fallback::asked_tokens(draft, agent, model).saturating_add(files);
    Some(Reserved {
        attempt: worst_of(&price, mark, tokens),
        closing: turn.held,
    })
}

/// Tells whether that is affordable. The amount that a lost attempt has set aside is still held
/// against the limits.
pub(in crate::world) fn fits_again(
    draft: &Draft<'_>,
    agent: &AgentName,
    turn: &Turn,
    worst: Option<Reserved>,
) -> Result<(), SpentLimit> {
    let limits = &turn.rules.spec().limits;
    if !limits.has_cost() {
        return Ok(());
    }
    let worst = worst.ok_or_else(|| unknown(limits))?;
    used(draft, agent, turn.episode).leaves(limits, worst.attempt.plus(worst.closing))
}

/// Returns what is held against the limits, with the attempt settled that this very commit ends:
/// its money is free again.
fn used(draft: &Draft<'_>, agent: &AgentName, episode: EpisodeId) -> Used {
    let ended = draft
        .events
        .iter()
        .find_map(|event| Ended::by(event, agent));
    let settled = ended.and_then(|ended| meter::settlement(draft.world, agent, ended));
    budget::used(draft.world, agent, episode, settled.as_ref())
}

/// The limit that left the closing call of an open turn without tools, once that is answered: of
/// calls if no further one is left or money has no limit, else the limit of money that leaves
/// least.
pub(in crate::world) fn limit_of_closing(
    draft: &Draft<'_>,
    agent: &AgentName,
    turn: &Turn,
) -> SpentLimit {
    let is_of_calls = episode::affords(draft.world, &turn.rules, agent, turn.episode).is_none();
    let tightest = used(draft, agent, turn.episode).tightest(&turn.rules.spec().limits);
    tightest
        .filter(|_| !is_of_calls)
        .unwrap_or(SpentLimit::ModelCalls)
}

/// Tells whether there is money for what would really be sent: what has no room goes first. Where
/// that is summarised, there is money for the summary and for the call behind it.
fn fits_sent(
    draft: &Draft<'_>,
    calling: &Calling<'_>,
    episode: EpisodeId,
    purpose: Purpose,
) -> Result<(), SpentLimit> {
    let room = calling::mark_of(draft, calling, purpose).map_or(u64::MAX, |mark| mark.room);
    match compaction::make_room(draft, calling, episode, purpose, room) {
        Room::Summarise(_) => Ok(()),
        Room::Drop(dropped) => {
            let tokens = calling.reading.with_files().without(dropped);
            fits(
                draft,
                calling,
                episode,
                worst(draft, calling, purpose, tokens),
            )
        }
    }
}

/// Returns how many tokens of items a call may have if nothing of the limits of cost is spent;
/// `None` if there is no limit, or if not even a call without items could be paid for, so that
/// dropping some would gain nothing.
pub(in crate::world) fn room_of_money(
    draft: &Draft<'_>,
    calling: &Calling<'_>,
    purpose: Purpose,
) -> Option<u64> {
    let limits = &turn::rules_of(draft, calling.agent).spec().limits;
    let most = [limits.cost, limits.cost_per_episode]
        .into_iter()
        .flatten()
        .min()?;
    let of = |tokens| {
        worst(draft, calling, purpose, tokens).map(|worst| worst.attempt.plus(worst.closing))
    };
    let without_items = of(0)?;
    let each = of(1)?.minus(without_items); // a price grows evenly
    let left = most
        .checked_minus(without_items)?
        .picos()
        .checked_div(each.picos())?;
    Some(u64::try_from(left).unwrap_or(u64::MAX))
}

fn fits(
    draft: &Draft<'_>,
    calling: &Calling<'_>,
    episode: EpisodeId,
    worst: Option<Reserved>,
) -> Result<(), SpentLimit> {
    let limits = &turn::rules_of(draft, calling.agent).spec().limits;
    let worst = worst.ok_or_else(|| unknown(limits))?;
    used(draft, calling.agent, episode).leaves(limits, worst.attempt.plus(worst.closing))
}

/// The most that a call costs whose items have `tokens`, their files included; `None` if its model
/// has no price.
pub(in crate::world) fn worst(
    draft: &Draft<'_>,
    calling: &Calling<'_>,
    purpose: Purpose,
    tokens: u64,
) -> Option<Reserved> {
    let rules = turn::rules_of(draft, calling.agent);
    let price = rules
        .spec()
        .models
        .get(rules.agent(calling.agent)?.model.as_ref()?)?
        .price?;
    let mark = calling::mark_of(draft, calling, purpose)?;
    let attempt = worst_of(&price, &mark, tokens);
    let closing = match purpose {
        Purpose::Closing => Money::ZERO,
        Purpose::Turn => {
            let read = tokens.saturating_add(u64::from(mark.answer));
            worst_of(
                &price,
                &calling::mark_of(draft, calling, Purpose::Closing)?,
                read,
            )
        }
        Purpose::Compaction => worst_of(
            &price,
            &calling::mark_of(draft, calling, Purpose::Closing)?,
            calling.reading.with_files().tokens(),
        ),
    };
    Some(Reserved { attempt, closing })
}

/// The limit that a model without a price does not fit into: nobody could say whether it does. Only
/// a recorded definition can have it so.
const fn unknown(limits: &Limits) -> SpentLimit {
    if limits.cost.is_some() {
        SpentLimit::Cost
    } else {
        SpentLimit::CostPerEpisode
    }
}

/// The most that a request costs whose items have `tokens`.
pub(in crate::world) fn worst_of(price: &Price, mark: &FrameMark, tokens: u64) -> Money {
    price.worst(mark.tokens.saturating_add(tokens), u64::from(mark.answer))
}
