//! The labels of worlds, and the worlds of labels.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};

use folkmoot_core::event::Labelled;
use folkmoot_core::ids::WorldName;
use folkmoot_core::port::Labels;

/// The worlds of each label, by name.
#[derive(Debug, Default)]
pub(crate) struct LabelIndex(BTreeMap<(String, String), BTreeSet<WorldName>>);

impl LabelIndex {
    /// Notes that a world has other labels now.
    pub(crate) fn change(&mut self, world: &WorldName, before: &Labelled, now: &Labelled) {
        for (key, value) in &before.labels {
            let label = (key.clone(), value.clone());
            if let Some(worlds) = self.0.get_mut(&label) {
                worlds.remove(world);
                if worlds.is_empty() {
                    self.0.remove(&label);
                }
            }
        }
        for (key, value) in &now.labels {
            self.0
                .entry((key.clone(), value.clone()))
                .or_default()
                .insert(world.clone());
        }
    }

    /// The worlds that have all of `labels`, in order, from the one after `after`: the rarest label
    /// is gone through.
    pub(crate) fn names<'a>(
        &'a self,
        labels: &Labels,
        after: Option<&'a WorldName>,
    ) -> impl Iterator<Item = &'a WorldName> + use<'a> {
        let sets = labels
            .iter()
            .map(|(key, value)| self.0.get(&(key.clone(), value.clone())));
        // A label that no world has leaves nothing.
        let mut sets: Vec<_> = sets.collect::<Option<_>>().unwrap_or_default();
        sets.sort_by_key(|set: &&BTreeSet<WorldName>| set.len());
        let rarest = sets.first().copied().into_iter();
        let names =
            rarest.flat_map(move |set| set.range((after.map_or(Unbounded, Excluded), Unbounded)));
        names.filter(move |name| sets.iter().all(|set| set.contains(*name)))
    }
}
