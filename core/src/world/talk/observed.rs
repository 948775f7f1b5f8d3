//! What clients told of what their users see: items for all agents, at the place where they were
//! told.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::canonical::canonical_text;
use crate::event::StateObserved;
use crate::ids::{AgentName, Position, StateName};
use crate::prompt::Item;
use crate::prompt::border::observed;
use crate::world::World;
use crate::world::memory::{Memory, Remembered};
use crate::world::turns::ask;

/// How many times a state is read back until it stays the same: a number with many digits may need
/// two.
const READS_MAX: usize = 4;

/// A state that the room takes.
pub(in crate::world) struct Told {
    /// As the client told it.
    pub(in crate::world) state: Value,
    /// Where ids stood that the room does not know.
    pub(in crate::world) dropped: Vec<String>,
    /// The part of it that agents see.
    pub(in crate::world) item: Item,
}

/// The part of a state that agents see, and where it was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::world) struct Observed {
    at: Position,
    kept: Remembered,
}

/// The states that clients told, each with its newest observations, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::world) struct States(BTreeMap<StateName, VecDeque<Observed>>);

/// The most observations of one state that are kept for agents that have not seen them yet. They
/// see the newest one.
const KEPT_EACH_MAX: usize = 8;

impl States {
    /// Forgets the states that a definition no longer has.
    pub(in crate::world) fn keep(&mut self, is_defined: impl Fn(&StateName) -> bool) {
        self.0.retain(|name, _| is_defined(name));
    }

    fn newest(&self, name: &StateName) -> Option<&Observed> {
        self.0.get(name)?.back()
    }

    fn note(&mut self, name: &StateName, observed: Observed) {
        let all = self.0.entry(name.clone()).or_default();
        all.push_back(observed);
        while all.len() > KEPT_EACH_MAX {
            all.pop_front();
        }
    }

    /// The newest observation of each state that an agent sees between `seen` and `horizon`, in the
    /// order of the log.
    fn between(&self, seen: Position, horizon: Position) -> Vec<&Observed> {
        let is_unseen = |observed: &&Observed| observed.at > seen && observed.at <= horizon;
        let newest = self.0.values();
        let mut newest: Vec<_> = newest
            .filter_map(|all| all.iter().rev().find(is_unseen))
            .collect();
        newest.sort_unstable_by_key(|observed| observed.at);
        newest
    }
}

/// Reads a state that a client tells; `None` if the room takes no such state, or it is too large as
/// told or with its ids resolved, or is no JSON, or does not fit its schema.
pub(in crate::world) fn told(world: &World, name: &StateName, state: &str) -> Option<Told> {
    let spec = world.rules.spec().states.get(name)?;
    let fits = |text: &str| u32::try_from(text.len()).is_ok_and(|length| length <= spec.bytes_max);
    let (state, text) = fits(state).then(|| steady(state))??;
    if !fits(&text) || !world.rules.takes_state(name, &state) {
        return None;
    }
    let resolved = spec.resolved(&state);
    let redact = &world.rules.spec().policy.redact;
    let item = fits(&canonical_text(&resolved.state))
        .then(|| observed(name, Some(&resolved.state), redact))?;
    Some(Told {
        state,
        dropped: resolved.dropped,
        item,
    })
}

/// Tells whether agents would see just what the newest observation of this state shows them.
pub(in crate::world) fn shows(world: &World, name: &StateName, item: &Item) -> bool {
    let newest = world.states.newest(name);
    newest.is_some_and(|observed| observed.kept.digest == item.digest())
}

pub(in crate::world) fn note_state(world: &mut World, event: &StateObserved) {
    let Some(spec) = world.rules.spec().states.get(&event.name) else {
        return;
    };
    let seen = event
        .state
        .present()
        .map(|state| spec.resolved(state).state);
    let kept = Remembered::new(
        observed(
            &event.name,
            seen.as_ref(),
            &world.rules.spec().policy.redact,
        ),
        Arc::default(),
    );
    let at = world.head;
    world.states.note(&event.name, Observed { at, kept });
}

/// Returns what `agent` sees for the first time when it looks up to `horizon`, in order: messages,
/// and of each state the newest observation.
pub(in crate::world) fn fresh_items(
    world: &World,
    agent: &AgentName,
    memory: &Memory,
    horizon: Position,
) -> Vec<Remembered> {
    let messages = ask::fresh(world, agent, memory, horizon);
    let mut items: Vec<_> = messages
        .iter()
        .map(|message| (message.at, &message.heard))
        .collect();
    for Observed { at, kept } in world.states.between(memory.seen, horizon) {
        let place = items
            .iter()
            .position(|(other, _)| other > at)
            .unwrap_or(items.len());
        items.insert(place, (*at, kept));
    }
    items.into_iter().map(|(_, kept)| kept.clone()).collect()
}

/// Returns what an agent that looks up to `horizon` sees of states behind its items.
pub(in crate::world) fn unseen_items(
    world: &World,
    memory: &Memory,
    horizon: Position,
) -> Vec<Arc<Item>> {
    world
        .states
        .between(memory.seen, horizon)
        .into_iter()
        .map(|observed| Arc::clone(&observed.kept.item))
        .collect()
}

/// A value and its canonical JSON that reads back as that value.
fn steady(text: &str) -> Option<(Value, String)> {
    let mut text = text.to_owned();
    for _ in 0..READS_MAX {
        let value = serde_json::from_str(&text).ok()?;
        let canonical = canonical_text(&value);
        if canonical == text {
            return Some((value, canonical));
        }
        text = canonical;
    }
    None
}
