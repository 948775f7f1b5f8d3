//! An order of a graph in which what is led to comes first.

use std::collections::BTreeSet;

/// The findings of a walk.
#[derive(Debug, Default)]
pub(super) struct WalkOrder {
    /// The starts and all that they lead to: each behind what it leads to, but for what closes a
    /// cycle.
    pub(super) nodes: Vec<usize>,
    /// The nodes that a path leads back to. Without the edges to them there is no cycle.
    pub(super) looped: BTreeSet<usize>,
}

/// Walks from `starts` along `next`, depth first. Keeps its path on the heap, so that no chain is
/// too long.
pub(super) fn order(
    starts: impl Iterator<Item = usize>,
    next: impl Fn(usize) -> Vec<usize>,
) -> WalkOrder {
    let mut found = WalkOrder::default();
    let mut entered = BTreeSet::new();
    let mut open = BTreeSet::new();
    for start in starts {
        let mut path = Vec::new();
        let mut ahead = Some(start);
        loop {
            if let Some(node) = ahead.take() {
                if open.contains(&node) {
                    found.looped.insert(node);
                } else if entered.insert(node) {
                    open.insert(node);
                    path.push((node, next(node).into_iter()));
                }
            }
            let Some((node, left)) = path.last_mut() else {
                break;
            };
            ahead = left.next();
            if ahead.is_none() {
                open.remove(node);
                found.nodes.push(*node);
                path.pop();
            }
        }
    }
    found
}
