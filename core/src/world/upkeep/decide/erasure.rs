//! Erasing content: asked for here, done by the store, and recorded when it is done.

use crate::event::refusal::Refusal;
use crate::event::{CallStatus, Erased, ErasureRequested, Span};
use crate::ids::Position;
use crate::world::calls::decide::admission;
use crate::world::decide::{Draft, No};
use crate::world::memory::CallState;
use crate::world::opening::decide::restore;

/// The most spans of one request.
pub(crate) const SPANS_MAX: usize = 1_000;

/// The longest basis, in bytes.
const BASIS_MAX: usize = 4 * 1024;

pub(in crate::world) fn erase(
    draft: &mut Draft<'_>,
    events: &[Span],
    basis: &str,
) -> Result<(), No> {
    let bad = |why: String| No::Quiet(Refusal::BadErasure { why });
    if events.is_empty() || events.len() > SPANS_MAX {
        return Err(bad(format!(
            "the command names {} ranges of events, from 1 to {SPANS_MAX} are allowed",
            events.len()
        )));
    }
    if basis.trim().is_empty() || basis.len() > BASIS_MAX {
        return Err(bad(format!(
            "the basis has {} bytes, from 1 to {BASIS_MAX} are allowed",
            basis.len()
        )));
    }
    let mut before = Position::ZERO;
    for span in events {
        if let Some(branch) = draft.world.lineage.last()
            && span.from <= branch.at
        {
            return Err(bad(format!(
                "the events up to {} belong to {}: erase them there",
                branch.at, branch.parent
            )));
        }
        if span.from <= before || span.to < span.from || span.to > draft.world.head {
            let from = span.from;
            let to = span.to;
            let head = draft.world.head;
            return Err(bad(format!(
                "the range {from} to {to} must begin behind {before} and end at {head} at the latest"
            )));
        }
        before = span.to;
    }
    let defined_at = draft.world.defined_at;
    if covers(events, defined_at) {
        return Err(bad(format!(
            "event {defined_at} contains the definition in force; revise the definition first"
        )));
    }
    draft.push(ErasureRequested {
        events: events.to_vec(),
        basis: basis.to_owned().into(),
    });
    restore::cut_streams(draft);
    cut_erased(draft, events);
    Ok(())
}

/// Ends the calls that nobody could run or decide any more as they were shown: their arguments, or
/// the question that their tool asks, are about to be erased. What has started goes on; what became
/// of a lost run people can still say.
fn cut_erased(draft: &mut Draft<'_>, events: &[Span]) {
    let world = draft.world;
    for (agent, memory) in world.agents.memories() {
        for (id, call) in &memory.open_calls {
            let is_cut = match &call.state {
                CallState::Ready { .. } | CallState::AwaitsApproval { .. } => {
                    covers(events, call.written)
                }
                CallState::AwaitsAnswer { request, .. } => {
                    covers(events, call.written) || covers(events, request.0)
                }
                CallState::AwaitsAgent { .. }
                | CallState::Running(_)
                | CallState::InDoubt { .. }
                | CallState::AwaitsSettlement { .. } => false,
            };
            if is_cut {
                admission::end(draft, agent, *id, None, CallStatus::Cancelled);
            }
        }
    }
}

pub(in crate::world) fn record_erased(
    draft: &mut Draft<'_>,
    request: Position,
    events: u64,
    files: u64,
) -> Result<(), No> {
    if !draft.world.upkeep.awaits_erasure(request) {
        return Err(No::STALE);
    }
    draft.cause = Some(request);
    draft.push(Erased {
        request,
        events,
        files,
    });
    Ok(())
}

/// Tells whether any of `events` is the one at `at`.
fn covers(events: &[Span], at: Position) -> bool {
    events.iter().any(|span| span.from <= at && at <= span.to)
}
