//! Comparing what is recorded with what was decided again: by value.

use super::{Difference, Divergence};
use crate::command::CommandKind;
use crate::command::commit::Commit;
use crate::event::{Event, WorldEvent};
use crate::world::Decision;

/// The first difference between a commit and a decision about a command of `kind`.
pub(super) fn decision(
    commit: &Commit,
    decision: &Decision,
    kind: CommandKind,
) -> Option<Divergence> {
    let header = |difference| Some(Divergence::in_header(commit, difference));
    if let Some(divergence) = events(commit, &decision.events) {
        return Some(match (&decision.answer, divergence.difference) {
            (
                Err(refusal),
                Difference::Event {
                    recorded,
                    recomputed: None,
                },
            ) => Divergence {
                difference: Difference::Refused {
                    recorded,
                    refusal: refusal.clone(),
                },
                ..divergence
            },
            (_, difference) => Divergence {
                difference,
                ..divergence
            },
        });
    }
    if decision.cause != commit.header.cause {
        return header(Difference::Cause {
            recorded: commit.header.cause,
            recomputed: decision.cause,
        });
    }
    if kind != commit.header.command {
        return header(Difference::Kind { recomputed: kind });
    }
    // No command of these rules leaves anything to the header.
    commit.header.residual.as_ref().and_then(|_| {
        header(Difference::Misfit {
            why: "a residual that no command has",
        })
    })
}

/// The first difference between the events of a commit and those that were decided.
pub(super) fn events(commit: &Commit, recomputed: &[Event]) -> Option<Divergence> {
    let at = first_difference(&commit.events, recomputed, is_same)?;
    let boxed = |events: &[Event]| events.get(at).cloned().map(Box::new);
    let offset = u64::try_from(at).unwrap_or(u64::MAX);
    Some(Divergence {
        at: commit.header.first.plus(offset),
        command: commit.header.command,
        difference: Difference::Event {
            recorded: boxed(&commit.events),
            recomputed: boxed(recomputed),
        },
    })
}

/// Finds the place where two lists first differ.
pub(super) fn first_difference(
    recorded: &[Event],
    recomputed: &[Event],
    is_same: impl Fn(&Event, &Event) -> bool,
) -> Option<usize> {
    let differs = |at: &usize| match (recorded.get(*at), recomputed.get(*at)) {
        (Some(recorded), Some(recomputed)) => !is_same(recorded, recomputed),
        (_, _) => true,
    };
    (0..recorded.len().max(recomputed.len())).find(differs)
}

/// Tells whether an event is what was decided. Of an erased content nothing can be said; the facts
/// are there. The version of a build may change while its rules do not.
pub(super) fn is_same(recorded: &Event, recomputed: &Event) -> bool {
    if recorded == recomputed {
        return true;
    }
    if let (
        Event::World(WorldEvent::EpochOpened(recorded)),
        Event::World(WorldEvent::EpochOpened(recomputed)),
    ) = (recorded, recomputed)
    {
        return recorded.decider == recomputed.decider;
    }
    recorded.is_erased()
        && recorded.kind() == recomputed.kind()
        && has_same_facts(recorded, recomputed)
}

fn has_same_facts(recorded: &Event, recomputed: &Event) -> bool {
    let recorded = recorded.to_record();
    let recomputed = recomputed.to_record();
    recorded
        .ok()
        .zip(recomputed.ok())
        .is_some_and(|(recorded, recomputed)| recorded.facts == recomputed.facts)
}
