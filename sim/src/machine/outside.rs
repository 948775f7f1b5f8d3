//! What outlives every process.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fastrand::Rng;
use folkmoot::core::ids::{CallId, WorldId};
use folkmoot::core::tool::ToolOutcome;
use tokio::sync::Notify;

use super::clock::VirtualClock;
use super::follow::Follower;
use super::ledger::Ledger;
use super::lots;
use crate::check::StoryChecker;
use crate::law::{Law, Violation};
use crate::outcome::StoryCounts;

/// What outlives every process: time, what tools did, what people know, and who watches.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    /// The story's seed.
    seed: u64,
    /// The machine's clock.
    pub(crate) clock: VirtualClock,
    /// Wakes whoever waits for a law to be broken.
    pub(crate) broke: Notify,
    state: Mutex<OutsideBooks>,
}

/// The books of the outside.
#[derive(Debug, Default)]
pub(crate) struct OutsideBooks {
    /// Holds what happens against the laws.
    pub(crate) checker: StoryChecker,
    /// What people were told.
    pub(crate) ledger: Ledger,
    /// What happened, in numbers.
    pub(crate) counts: StoryCounts,
    /// What tools did, by idempotency key.
    pub(crate) effects: BTreeMap<String, Effects>,
    /// Who follows which room.
    pub(crate) followers: Vec<Follower>,
    /// Which deeds are done.
    pub(crate) done: Vec<bool>,
    /// Which rooms have come to the end of their script.
    pub(crate) finished: Vec<bool>,
    /// How many model calls are to hang.
    pub(crate) models_hang: u32,
    /// How many tool runs are to hang.
    pub(crate) tools_hang: u32,
    broken: Option<Violation>,
    drawn: BTreeMap<String, u64>,
}

/// What a call did outside.
#[derive(Debug, Clone)]
pub(crate) struct Effects {
    /// How often.
    pub(crate) times: u32,
    /// What it gave last.
    pub(crate) outcome: ToolOutcome,
}

impl Outside {
    /// An outside in which `deeds` are to be done in `rooms`.
    pub(crate) fn new(seed: u64, deeds: usize, rooms: usize) -> Self {
        let state = OutsideBooks {
            done: vec![false; deeds],
            finished: vec![false; rooms],
            ..OutsideBooks::default()
        };
        Self {
            seed,
            state: Mutex::new(state),
            ..Self::default()
        }
    }

    /// The books. Nobody waits while holding them.
    pub(crate) fn books(&self) -> MutexGuard<'_, OutsideBooks> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lots for the next time that something is done.
    pub(crate) fn lots(&self, what: &str) -> Rng {
        let mut books = self.books();
        let number = match books.drawn.get_mut(what) {
            Some(number) => {
                *number = number.wrapping_add(1);
                *number
            }
            None => {
                books.drawn.insert(what.to_owned(), 0);
                0
            }
        };
        lots::lots(self.seed, what, number)
    }

    /// A tool took effect.
    pub(crate) fn took_effect(&self, key: &str, call: CallId, outcome: &ToolOutcome) {
        let mut books = self.books();
        let effects = books.effects.entry(key.to_owned());
        let effects = effects.or_insert_with(|| Effects {
            times: 0,
            outcome: outcome.clone(),
        });
        effects.times += 1;
        effects.outcome = outcome.clone();
        let checked = match world_of(key) {
            Some(world) => books.checker.took_effect(world, call, key),
            None => Err(Violation::of(
                Law::NothingInvented,
                format!("the key {key:?} names no world"),
            )),
        };
        drop(books);
        self.hold(checked);
    }

    /// Keeps the first law that is broken, and ends the story.
    pub(crate) fn hold(&self, checked: Result<(), Violation>) {
        if let Err(violation) = checked {
            self.books().broken.get_or_insert(violation);
            self.broke.notify_one();
        }
    }

    /// The first law that was broken.
    pub(crate) fn broken(&self) -> Option<Violation> {
        self.books().broken.clone()
    }
}

fn world_of(key: &str) -> Option<WorldId> {
    let (world, _) = key.split_once(':')?;
    serde_json::from_value(serde_json::Value::String(world.to_owned())).ok()
}
