//! The checkpoints that a world keeps.

use folkmoot_core::ids::{Digest, Position};

use super::Place;

/// The fewest events between two checkpoints, the newest left out.
const APART_MIN: u64 = 4_096;

/// The most checkpoints that a world keeps.
pub(super) const KEPT_MAX: usize = 16;

/// Those of `places`, oldest first, that need not be kept: of other rules than `decider`, too close
/// to the one before, or, where there are too many, those between the closest neighbours. The
/// newest always stays, and what is left is spread over the whole log.
pub(crate) fn needless(places: &[Place], decider: Digest) -> Vec<Position> {
    let mut kept: Vec<Position> = Vec::new();
    let mut needless = Vec::new();
    for (at, rules) in places {
        if *rules != decider {
            needless.push(*at);
            continue;
        }
        let before = kept
            .len()
            .checked_sub(2)
            .and_then(|before| kept.get(before));
        let before = before.copied().unwrap_or(Position::ZERO);
        if let Some(last) = kept
            .last_mut()
            .filter(|last| last.since(before) < APART_MIN)
        {
            needless.push(std::mem::replace(last, *at));
        } else {
            kept.push(*at);
        }
    }
    while kept.len() > KEPT_MAX {
        needless.push(kept.remove(closest(&kept)));
    }
    needless
}

/// The index of the first one with the closest neighbours, the newest left out.
fn closest(kept: &[Position]) -> usize {
    let before = std::iter::once(Position::ZERO).chain(kept.iter().copied());
    let gaps = before
        .zip(kept.iter().skip(1))
        .map(|(before, after)| after.since(before));
    gaps.enumerate()
        .min_by_key(|(at, gap)| (*gap, *at))
        .map_or(0, |(at, _)| at)
}
