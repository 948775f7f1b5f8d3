//! The choice of references to replace.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::index::SchemaIndex;
use super::order::{WalkOrder, order};
use super::reference::{Reference, read};
use super::{INLINED_LEVELS_MAX, bytes, levels};

/// The treatment of each schema that references lead to.
#[derive(Debug)]
pub(super) struct SchemaPlan<'i, 'v> {
    pub(super) index: &'i SchemaIndex<'v>,
    /// The schemas that take the place of references, by the number of the schema referred to.
    pub(super) inlined: BTreeMap<usize, Value>,
    /// The schemas that kept references lead to, and those around them.
    pub(super) retained: BTreeSet<usize>,
    /// The anchors that kept references name.
    pub(super) anchors: BTreeSet<String>,
}

impl<'i, 'v> SchemaPlan<'i, 'v> {
    /// Decides for the whole schema, which has `bytes` bytes: it may grow by as many.
    ///
    /// What is led to comes first, so that all that stands in place of a reference is known when it
    /// is measured. A copy costs its own bytes: the `allOf` that it may need around it is no longer
    /// than the `$ref` that it replaces.
    pub(super) fn of(index: &'i SchemaIndex<'v>, bytes: usize) -> Self {
        let mut plan = Self {
            index,
            inlined: BTreeMap::new(),
            retained: BTreeSet::new(),
            anchors: BTreeSet::new(),
        };
        let leads = |number| {
            index
                .within(number)
                .iter()
                .filter_map(|one| index.node(*one)?.reference)
                .collect()
        };
        let WalkOrder {
            nodes: targets,
            looped,
        } = order(std::iter::once(0), leads);
        let sites = plan.sites(&targets);
        let hosts = plan.hosts(&targets);
        let mut left = bytes;
        // The whole is led to only by what stands in it.
        for target in targets
            .iter()
            .filter(|target| **target != 0 && !looped.contains(target))
        {
            let times = sites.get(target).copied().unwrap_or_default();
            left = plan.decide(*target, times, hosts.contains(target), left);
        }
        plan.retain(&targets);
        plan
    }

    /// Counts how often references lead to each schema, over all that can be reached.
    fn sites(&self, targets: &[usize]) -> BTreeMap<usize, usize> {
        let reached: BTreeSet<usize> = targets
            .iter()
            .flat_map(|target| self.index.within(*target))
            .collect();
        let mut sites = BTreeMap::new();
        for target in reached
            .iter()
            .filter_map(|number| self.index.node(*number)?.reference)
        {
            let times: &mut usize = sites.entry(target).or_default();
            *times += 1;
        }
        sites
    }

    /// The schemas in which others stand that references lead to.
    fn hosts(&self, targets: &[usize]) -> BTreeSet<usize> {
        targets
            .iter()
            .flat_map(|target| self.index.around(*target))
            .collect()
    }

    /// Replaces the references to `target`, if there is room. Returns the bytes that are left.
    fn decide(&mut self, target: usize, times: usize, is_host: bool, left: usize) -> usize {
        let Some(node) = self.index.node(target) else {
            return left;
        };
        let copy = self.copy(node.value);
        // A definition that nothing else leads into is left out itself.
        let more = if node.is_definition && !is_host {
            times.saturating_sub(1)
        } else {
            times
        };
        let cost = bytes(&copy).saturating_mul(more);
        match left.checked_sub(cost) {
            Some(left) if levels(&copy, INLINED_LEVELS_MAX).is_some() => {
                self.inlined.insert(target, copy);
                left
            }
            Some(_) | None => left,
        }
    }

    /// Notes what the references need that are kept.
    fn retain(&mut self, targets: &[usize]) {
        for target in targets
            .iter()
            .filter(|target| !self.inlined.contains_key(target))
        {
            self.retained.insert(*target);
            self.retained.extend(self.index.around(*target));
        }
        let is_kept = |number: usize| {
            let target = self.index.node(number).and_then(|node| node.reference);
            target.is_some_and(|target| !self.inlined.contains_key(&target))
        };
        let texts = self
            .index
            .references()
            .filter(|(number, _)| is_kept(*number));
        let fragments = texts.filter_map(|(_, text)| text.as_str()?.strip_prefix('#'));
        self.anchors = fragments.filter_map(read).filter_map(anchor).collect();
    }
}

fn anchor(reference: Reference) -> Option<String> {
    match reference {
        Reference::Anchor(name) => Some(name),
        Reference::Pointer(_) => None,
    }
}
