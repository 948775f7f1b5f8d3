//! What holds of the causal slice of every event.

use std::collections::BTreeMap;

use super::Past;
use crate::audit::why::{Slice, SliceNode};
use crate::command::commit::Commit;
use crate::ids::Position;

/// The slice of the event at `at`.
pub(crate) fn slice(past: &Past, at: Position) -> Vec<SliceNode> {
    let mut slice = Slice::of(at, usize::MAX);
    let mut before = past.world.head().next();
    while let Some(needed) = slice.needs() {
        assert!(needed < before, "the way goes back");
        let holds = past
            .commits
            .partition_point(|commit| commit.last() < needed);
        slice.take(&past.commits[holds]);
        before = past.commits[holds].header.first;
    }
    let (nodes, is_cut) = slice.finish();
    assert!(!is_cut);
    nodes
}

/// Holds the slices of some events against the laws: the newest one, and some before.
pub(crate) fn causes_hold(past: &Past) {
    let head = past.world.head().get();
    let some = (0..6).map(|part| head - head * part / 7).map(Position::new);
    some.for_each(|at| slice_holds(past, at));
}

/// The first event is the one that was asked about; causes are older; what has none somebody did of their own accord; and
/// the slice of a cause is a part of the slice.
fn slice_holds(past: &Past, at: Position) {
    let nodes = slice(past, at);
    assert_eq!(nodes[0].at, at);
    assert!(
        nodes.is_sorted_by(|one, next| one.at > next.at),
        "newest first, each once"
    );
    let known: BTreeMap<Position, &SliceNode> = nodes.iter().map(|node| (node.at, node)).collect();
    let mut reached: Vec<Position> = vec![at];
    for node in &nodes {
        assert!(
            reached.contains(&node.at),
            "{} leads to nothing in the slice of {at}",
            node.at
        );
        assert!(
            node.because
                .iter()
                .all(|cause| *cause < node.at && known.contains_key(cause)),
            "{node:?}"
        );
        assert!(
            !node.because.is_empty() || node.is_own_act(),
            "nothing caused {node:?} in the slice of {at}"
        );
        reached.extend(&node.because);
    }
    let oldest = nodes.iter().rev().find(|node| !node.because.is_empty());
    for cause in oldest
        .into_iter()
        .flat_map(|node| &node.because)
        .chain(nodes[0].because.iter().max())
    {
        let of_cause = slice(past, *cause);
        assert!(
            of_cause
                .iter()
                .all(|node| known.get(&node.at) == Some(&node)),
            "the slice of {cause} in that of {at}"
        );
    }
    assert!(
        past.commits
            .iter()
            .flat_map(Commit::numbered)
            .any(|(here, _)| here == at)
    );
}
