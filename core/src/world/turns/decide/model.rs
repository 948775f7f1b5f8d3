//! Attempts of model calls. The log owns them: the transport makes one each time.

use std::time::Duration;

use crate::content::Content;
use crate::event::{
    CloseReason, ModelCalled, ModelFailed, Notice, PrefixBroken, PrefixCause, Purpose,
    StreamStarted, Unasked,
};
use crate::ids::{AgentName, Attempt, ModelCallId, Seed, Time};
use crate::model::response::{ModelError, ModelErrorKind};
use crate::world::decide::{Draft, No};
use crate::world::memory::{ModelState, Turn};
use crate::world::meters;
use crate::world::opening::decide::opening::LOST_TO_CRASHES;
use crate::world::talk::decide::message;
use crate::world::turns::ask;
use crate::world::turns::decide::turn::RETRY_MIN;
use crate::world::turns::decide::{compaction, fallback, turn};

/// The longest wait for another attempt. A provider that asks for more fails the turn.
const RETRY_MAX: Duration = Duration::from_secs(5 * 60);

/// The number of openings that a model call gets its attempts in.
const OPENINGS_MAX: u32 = 3;

/// The turn and the model call that it has under way, if that is `call`.
pub(in crate::world) fn calling<'w>(
    draft: &Draft<'w>,
    agent: &AgentName,
    call: ModelCallId,
) -> Result<(&'w Turn, &'w ModelState), No> {
    let turn = turn::memory(draft, agent)
        .and_then(|memory| memory.turn.as_ref())
        .ok_or(No::STALE)?;
    let model = turn
        .model
        .as_ref()
        .filter(|model| model.call == call)
        .ok_or(No::STALE)?;
    Ok((turn, model))
}

/// The same, if `attempt` is the one that is under way in this incarnation.
pub(in crate::world) fn under_way<'w>(
    draft: &Draft<'w>,
    agent: &AgentName,
    call: ModelCallId,
    attempt: Attempt,
) -> Result<(&'w Turn, &'w ModelState), No> {
    let (turn, model) = calling(draft, agent, call)?;
    let is_it = model.attempt == attempt
        && model.retry_at.is_none()
        && model.incarnation == draft.world.incarnation;
    if is_it {
        Ok((turn, model))
    } else {
        Err(No::STALE)
    }
}

pub(in crate::world) fn retry_model(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: ModelCallId,
) -> Result<(), No> {
    let world = draft.world;
    let memory = world.agents.memory(agent).ok_or(No::STALE)?;
    let turn = memory.turn.as_ref().ok_or(No::STALE)?;
    let model = turn
        .model
        .as_ref()
        .filter(|model| model.call == call)
        .ok_or(No::STALE)?;
    let is_due = match model.retry_at {
        Some(at) => at <= draft.now(),
        // Nobody brings the outcome of an attempt that an earlier opening began.
        None => model.incarnation != world.incarnation,
    };
    if !is_due {
        return Err(No::STALE);
    }
    // A call that ends its process is not made, and paid, at every opening for ever
    // (decision 0032).
    if model.retry_at.is_none() && model.begun >= attempts_max(turn) {
        return fail_lost(draft, agent, (turn, model));
    }
    let name = model.next_model();
    let asked = (name, &model.parameters);
    let frame =
        ask::frame(&turn.rules, &turn.layers, agent, asked, model.purpose).ok_or(No::STALE)?;
    draft.cause = Some(model.at);
    // Set aside anew: the attempts before it may have cost something (decision 0017).
    let reserved = meters::decide::worst_again(draft, agent, (turn, model), &frame.mark());
    if let Err(limit) = meters::decide::fits_again(draft, agent, turn, reserved) {
        turn::tell_limit(draft, agent, limit, turn.episode);
        turn::close_unasked(draft, agent, turn.id, Unasked::Attempt(call));
        return Ok(());
    }
    let switched = memory
        .chain
        .as_ref()
        .filter(|chain| chain.model != *name)
        .map(|_| PrefixCause::Model);
    if let Some(cause) = memory
        .broken
        .or(switched)
        .filter(|_| model.purpose != Purpose::Compaction)
    {
        draft.push(PrefixBroken {
            agent: agent.clone(),
            cause,
            dropped: 0,
        });
    }
    draft.push(ModelCalled {
        agent: agent.clone(),
        turn: turn.id,
        call,
        attempt: model.attempt.next(),
        incarnation: world.incarnation,
        purpose: model.purpose,
        model: name.clone(),
        parameters: model.parameters.clone(),
        items: u32::try_from(memory.asked(model).len()).unwrap_or(u32::MAX),
        fingerprint: memory.fingerprint_of(model, frame.start()),
        reserved,
    });
    Ok(())
}

pub(in crate::world) fn start_stream(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: ModelCallId,
    attempt: Attempt,
) -> Result<(), No> {
    let (_, model) = under_way(draft, agent, call, attempt)?;
    if model.purpose == Purpose::Compaction {
        return Err(No::STALE);
    }
    if model.stream.is_some() {
        return Ok(());
    }
    let cause = model.at;
    let replaces = model.broken_stream;
    draft.cause = Some(cause);
    let incarnation = draft.world.incarnation;
    draft.push(StreamStarted {
        agent: agent.clone(),
        call,
        attempt,
        incarnation,
        replaces,
    });
    Ok(())
}

pub(in crate::world) fn record_failure(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: ModelCallId,
    attempt: Attempt,
    error: &ModelError,
) -> Result<(), No> {
    let (turn, model) = under_way(draft, agent, call, attempt)?;
    let at = model.at;
    // What people have read is not said again in other words, unless the room says so
    // (decision 0017).
    let was_shown = model.stream.is_some() && !turn.rules.spec().policy.retry_shown;
    let again = retry_at(draft, turn, model, error).filter(|_| !was_shown);
    let is_over = again.is_none() && !was_shown;
    let fallback = if is_over {
        fallback::fallback_of(draft, agent, (turn, model), error.kind)
    } else {
        None
    };
    let retry_at = again.or_else(|| fallback.as_ref().map(|_| draft.now()));
    draft.cause = Some(at);
    draft.push(ModelFailed {
        agent: agent.clone(),
        turn: turn.id,
        call,
        attempt,
        kind: error.kind,
        retry_after_ms: error.retry_after_ms,
        retry_at,
        fallback,
        played: error.played,
        reached: error.reached,
        detail: Content::Present(error.detail.clone()),
    });
    if retry_at.is_some() {
        Ok(())
    } else {
        give_up_call(draft, agent, (turn, model), error.kind.code())
    }
}

/// Ends a model call that gets no further attempt, and the turn with it: a summary can be done
/// without.
fn give_up_call(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    (turn, model): (&Turn, &ModelState),
    code: &str,
) -> Result<(), No> {
    if model.purpose == Purpose::Compaction {
        return compaction::go_without_summary(draft, agent, &model.parameters);
    }
    message::tell(
        draft,
        Notice::TurnFailed {
            agent: agent.clone(),
            code: code.to_owned(),
        },
        None,
        turn.episode,
    );
    turn::close(draft, agent, turn.id, CloseReason::Failed);
    Ok(())
}

/// The last attempt that a call gets on its model was lost with its process: the call itself may be
/// what ends them.
fn fail_lost(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    (turn, model): (&Turn, &ModelState),
) -> Result<(), No> {
    draft.cause = Some(model.at);
    let kind = ModelErrorKind::Outage;
    let fallback = fallback::fallback_of(draft, agent, (turn, model), kind);
    let retry_at = fallback.as_ref().map(|_| draft.now());
    draft.push(ModelFailed {
        agent: agent.clone(),
        turn: turn.id,
        call: model.call,
        attempt: model.attempt,
        kind,
        retry_after_ms: None,
        retry_at,
        fallback,
        played: None,
        reached: None,
        detail: Content::Present(format!(
            "{} attempts, the last of them lost with its process",
            model.begun
        )),
    });
    if retry_at.is_some() {
        Ok(())
    } else {
        give_up_call(draft, agent, (turn, model), LOST_TO_CRASHES)
    }
}

/// Returns the time at which another attempt on the same model is due; `None` if it would be in
/// vain.
fn retry_at(
    draft: &Draft<'_>,
    turn: &Turn,
    model: &ModelState,
    error: &ModelError,
) -> Option<Time> {
    let rules = turn.rules.spec();
    let failed = model.failed.saturating_add(1);
    let asked = Duration::from_millis(error.retry_after_ms.unwrap_or(0));
    // An attempt that a crash cut is no failure of the model; `begun` alone counts it
    // (decision 0032).
    let is_left = failed < rules.limits.attempts && model.begun < attempts_max(turn);
    let is_worth_it = error.kind.is_transient() && is_left && asked <= RETRY_MAX;
    is_worth_it.then(|| {
        draft
            .now()
            .after(backoff(failed, &draft.stamp.seed).max(asked))
    })
}

/// The most attempts of a call on one model, those that were lost with their processes among them.
fn attempts_max(turn: &Turn) -> u32 {
    turn.rules
        .spec()
        .limits
        .attempts
        .saturating_mul(OPENINGS_MAX)
}

/// The wait after the `failed`-th failure: doubled each time, with jitter from the stamp's seed, at
/// most [`RETRY_MAX`].
pub(in crate::world) fn backoff(failed: u32, seed: &Seed) -> Duration {
    let doubled = RETRY_MIN.saturating_mul(2_u32.saturating_pow(failed.saturating_sub(1).min(16)));
    // The seed is recorded with the commit, so that deciding again waits as long.
    let jitter = seed.as_bytes().first().map_or(0, |byte| u32::from(*byte));
    (doubled + doubled.saturating_mul(jitter) / 512).min(RETRY_MAX)
}
