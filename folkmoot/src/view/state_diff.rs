//! Differences of a world between two positions: a pure function of two folds.

use std::collections::BTreeMap;

use folkmoot_agents::fold_world_from;
use folkmoot_core::ids::principal::Person;
use folkmoot_core::ids::{AgentName, Digest, Position, WorldName};
use folkmoot_core::prompt::Item;
use folkmoot_core::spec::Limits;
use folkmoot_core::world::{Activity, Meter, World};
use folkmoot_store::Store;
use serde::{Deserialize, Serialize};

use super::ViewError;
use super::replay::{AgentView, CallView, EpisodeView, MemoryView, MessageView, ReplayView};
use crate::run::{Standing, Waiting};

#[cfg(test)]
mod tests;

/// A question for the differences between two states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateDiffQuery {
    /// The world.
    pub world: WorldName,
    /// At the end of the commit that holds this event.
    pub before: Position,
    /// And at the end of this one's.
    pub after: Position,
}

/// The differences between two states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateDiff {
    /// The world.
    pub world: Option<WorldName>,
    /// The positions that were compared.
    pub at: ValueChange<Position>,
    /// The digest of the definition.
    pub spec: Option<ValueChange<Digest>>,
    /// The bounds.
    pub limits: Option<ValueChange<Limits>>,
    /// The state of work: running, waiting for people, or idle. `None` if it is the same.
    pub activity: Option<ValueChange<Activity>>,
    /// The roster.
    pub agents: Changes<AgentView>,
    /// The people who have spoken or decided.
    pub people: Changes<Person>,
    /// The messages. Those that only became too old to be held are not in it.
    pub transcript: Changes<MessageView>,
    /// The differences of memories, of those agents that have any.
    pub memories: BTreeMap<AgentName, MemoryDiff>,
    /// The requests that wait for people.
    pub pending: Changes<Waiting>,
    /// The grants that stand.
    pub grants: Changes<Standing>,
    /// The budgets that were spent, by episode.
    pub episodes: Changes<EpisodeView>,
    /// The usage of models and its cost, all together; `None` if it is the same.
    pub usage: Option<ValueChange<Meter>>,
}

/// The differences of an agent's memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryDiff {
    /// The number of items that both have, from the first on.
    pub same: usize,
    /// The items that stood behind them.
    pub removed: Vec<Item<String>>,
    /// The items that stand there now.
    pub added: Vec<Item<String>>,
    /// The calls that have no result.
    pub open_calls: Changes<CallView>,
    /// The addressed messages that no turn has taken up.
    pub inbox: Changes<Position>,
    /// The note that an agent in code left to remember; `None` if it is the same.
    pub note: Option<ValueChange<Option<String>>>,
}

/// A value, before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueChange<T> {
    /// The value before.
    pub before: T,
    /// The value after.
    pub after: T,
}

/// The differences of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes<T> {
    /// The entries that are not there any more.
    pub removed: Vec<T>,
    /// The entries that were not there before.
    pub added: Vec<T>,
    /// The entries that are there still, with other content.
    pub changed: Vec<ValueChange<T>>,
}

impl<T> Changes<T> {
    /// True if the list is the same.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty() && self.changed.is_empty()
    }
}

/// Compares a world at two positions.
///
/// # Errors
/// [`ViewError::Fold`].
pub async fn state_diff(store: &Store, query: &StateDiffQuery) -> Result<StateDiff, ViewError> {
    let StateDiffQuery {
        world,
        before,
        after,
    } = query;
    let before = fold_world_from(store, store, world, Some(*before)).await?;
    let after = fold_world_from(store, store, world, Some(*after)).await?;
    Ok(StateDiff::of(&before, &after))
}

impl StateDiff {
    /// Compares two folds of a world.
    #[must_use]
    pub fn of(before: &World, after: &World) -> Self {
        let memories = memories(before, after);
        let usage = change(before.meters().total, after.meters().total);
        let before = ReplayView::of(before);
        let after = ReplayView::of(after);
        Self {
            world: after.world,
            at: ValueChange {
                before: before.at,
                after: after.at,
            },
            spec: change(before.spec, after.spec),
            limits: change(before.limits, after.limits),
            activity: change(before.activity, after.activity),
            agents: changes(before.agents, after.agents, |agent| agent.name.clone()),
            people: changes(before.people, after.people, Person::proof),
            transcript: transcript(before.transcript, after.transcript),
            memories,
            pending: changes(before.pending, after.pending, |request| request.request),
            grants: changes(before.grants, after.grants, |grant| grant.grant),
            episodes: changes(before.episodes, after.episodes, |episode| episode.episode),
            usage,
        }
    }
}

fn change<T: PartialEq>(before: T, after: T) -> Option<ValueChange<T>> {
    (before != after).then_some(ValueChange { before, after })
}

/// Compares lists whose entries are known by a key of their own.
fn changes<T: PartialEq, K: Ord>(
    before: Vec<T>,
    after: Vec<T>,
    key: impl Fn(&T) -> K,
) -> Changes<T> {
    let mut known: BTreeMap<K, T> = before.into_iter().map(|one| (key(&one), one)).collect();
    let mut added = Vec::new();
    let mut changed = Vec::new();
    for one in after {
        match known.remove(&key(&one)) {
            None => added.push(one),
            Some(before) => changed.extend(change(before, one)),
        }
    }
    Changes {
        removed: known.into_values().collect(),
        added,
        changed,
    }
}

/// A world holds its newest messages: one that is older than all that are held, where no fewer are,
/// only became too old.
fn transcript(mut before: Vec<MessageView>, mut after: Vec<MessageView>) -> Changes<MessageView> {
    let oldest = |messages: &[MessageView]| {
        messages
            .iter()
            .map(|message| message.at)
            .min()
            .unwrap_or_default()
    };
    let first_before = oldest(&before);
    let first_after = oldest(&after);
    if after.len() >= before.len() {
        before.retain(|message| message.at >= first_after);
    } else {
        after.retain(|message| message.at >= first_before);
    }
    changes(before, after, |message| message.at)
}

fn memories(before: &World, after: &World) -> BTreeMap<AgentName, MemoryDiff> {
    let names = |world: &World| -> Vec<AgentName> {
        world
            .rules()
            .spec()
            .agents
            .iter()
            .map(|agent| agent.name.clone())
            .collect()
    };
    let mut all: Vec<AgentName> = names(before).into_iter().chain(names(after)).collect();
    all.sort_unstable();
    all.dedup();
    let view = |world: &World, agent: &AgentName| {
        world
            .memory(agent)
            .map(|memory| MemoryView::of(world, agent, memory))
            .map(MemoryExtract::from)
            .unwrap_or_default()
    };
    let pairs = all.into_iter().filter_map(|agent| {
        let diff = view(before, &agent).diff(view(after, &agent))?;
        Some((agent, diff))
    });
    pairs.collect()
}

/// The parts of a memory that are compared.
#[derive(Debug, Default)]
struct MemoryExtract {
    items: Vec<Item<String>>,
    open_calls: Vec<CallView>,
    inbox: Vec<Position>,
    note: Option<String>,
}

impl From<MemoryView> for MemoryExtract {
    fn from(view: MemoryView) -> Self {
        let MemoryView {
            items,
            open_calls,
            inbox,
            note,
            ..
        } = view;
        Self {
            items,
            open_calls,
            inbox,
            note,
        }
    }
}

impl MemoryExtract {
    /// `None` if nothing is different.
    fn diff(self, after: Self) -> Option<MemoryDiff> {
        let same = self
            .items
            .iter()
            .zip(&after.items)
            .take_while(|(before, after)| before == after)
            .count();
        let diff = MemoryDiff {
            same,
            removed: self.items.into_iter().skip(same).collect(),
            added: after.items.into_iter().skip(same).collect(),
            open_calls: changes(self.open_calls, after.open_calls, |call| call.call),
            inbox: changes(self.inbox, after.inbox, |at| *at),
            note: change(self.note, after.note),
        };
        (!diff.is_empty()).then_some(diff)
    }
}

impl MemoryDiff {
    const fn is_empty(&self) -> bool {
        self.removed.is_empty()
            && self.added.is_empty()
            && self.open_calls.is_empty()
            && self.inbox.is_empty()
            && self.note.is_none()
    }
}
