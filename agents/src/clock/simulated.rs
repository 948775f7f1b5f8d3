//! A world's own clock. It stands still until it is moved.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use folkmoot_core::ids::Time;
use folkmoot_core::port::Clock;
use tokio::sync::{Notify, oneshot};

/// A clock that is moved on purpose: by a script, or by its world when nothing but sleepers is
/// left.
///
/// Cheap to clone: all clones are one clock.
#[derive(Debug, Clone)]
pub struct SimulatedClock(Arc<SharedTimeline>);

#[derive(Debug)]
struct SharedTimeline {
    state: Mutex<Timeline>,
    registered: Notify,
}

#[derive(Debug)]
struct Timeline {
    now: Time,
    next: u64,
    sleepers: BTreeMap<(Time, u64), oneshot::Sender<()>>,
}

impl SimulatedClock {
    /// A clock that stands at `now`.
    #[must_use]
    pub fn new(now: Time) -> Self {
        let state = Mutex::new(Timeline {
            now,
            next: 0,
            sleepers: BTreeMap::new(),
        });
        Self(Arc::new(SharedTimeline {
            state,
            registered: Notify::new(),
        }))
    }

    /// Returns how many wait.
    #[must_use]
    pub fn sleeping(&self) -> usize {
        self.lock().sleepers.len()
    }

    /// Returns when the first of them wakes.
    #[must_use]
    pub fn first_wake(&self) -> Option<Time> {
        self.lock().sleepers.keys().next().map(|(time, _)| *time)
    }

    /// Moves on to `time`, never back, and wakes whoever waited for it, in the order of their
    /// times.
    pub fn advance_to(&self, time: Time) {
        let mut state = self.lock();
        state.now = state.now.max(time);
        let now = state.now;
        while let Some(entry) = state.sleepers.first_entry()
            && entry.key().0 <= now
        {
            // Nobody hears it if the sleeper was dropped meanwhile.
            let _unheard = entry.remove().send(());
        }
    }

    /// Waits until somebody begins to sleep.
    pub async fn somebody_sleeps(&self) {
        self.0.registered.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Timeline> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn register(&self, time: Time) -> Option<(oneshot::Receiver<()>, Sleeper)> {
        let mut state = self.lock();
        if time <= state.now {
            return None;
        }
        let key = (time, state.next);
        state.next += 1;
        let (wake, woken) = oneshot::channel();
        state.sleepers.insert(key, wake);
        self.0.registered.notify_one();
        Some((
            woken,
            Sleeper {
                clock: self.clone(),
                key,
            },
        ))
    }
}

/// Takes a sleeper off the list when its future is dropped.
struct Sleeper {
    clock: SimulatedClock,
    key: (Time, u64),
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.clock.lock().sleepers.remove(&self.key);
    }
}

#[async_trait]
impl Clock for SimulatedClock {
    fn now(&self) -> Time {
        self.lock().now
    }

    async fn sleep_until(&self, time: Time) {
        if let Some((woken, _sleeper)) = self.register(time) {
            // The sender lives in the list until it is used.
            let _gone = woken.await;
        }
    }
}
