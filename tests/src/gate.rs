//! What may happen around an append.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::port::AppendError;
use tokio::sync::Semaphore;

use crate::probe::Probe;

/// Stands before a store's appends.
#[async_trait]
pub trait Gate: Send + Sync + Debug {
    /// Is asked before the commit is appended.
    ///
    /// # Errors
    /// The append's error; nothing is appended.
    async fn before(&self, commit: &Commit) -> Result<(), AppendError>;

    /// Is told after the commit became durable.
    ///
    /// # Errors
    /// The append's error, although the commit is there: as if the process had died before it heard of it.
    async fn after(&self, commit: &Commit) -> Result<(), AppendError>;
}

/// On which side of the effects in flight a run is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The last commit is durable, and nothing that it allows has begun.
    Before,
    /// All that the last commit allows has been done, and nothing of it is recorded.
    After,
}

/// Lets a number of appends through, and refuses all others.
#[derive(Debug)]
pub struct Cut {
    last: AtomicU64,
    side: Side,
    probe: Probe,
    asked: AtomicU64,
}

impl Cut {
    /// Cuts after the `last`-th append.
    #[must_use]
    pub fn after(last: u64, side: Side, probe: &Probe) -> Self {
        Self {
            last: AtomicU64::new(last),
            side,
            probe: probe.clone(),
            asked: AtomicU64::new(0),
        }
    }

    /// Lets everything through, and counts.
    #[must_use]
    pub fn never(probe: &Probe) -> Self {
        Self::after(u64::MAX, Side::After, probe)
    }

    /// Lets `more` appends through from now on, and refuses all others.
    pub fn in_a_while(&self, more: u64) {
        self.last
            .store(self.asked().saturating_add(more), Ordering::SeqCst);
    }

    /// Lets everything through again.
    pub fn mend(&self) {
        self.last.store(u64::MAX, Ordering::SeqCst);
    }

    fn last(&self) -> u64 {
        self.last.load(Ordering::SeqCst)
    }

    /// How many appends were asked for.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }
}

fn cut() -> AppendError {
    AppendError::Stopped("the test cuts the run here".to_owned())
}

#[async_trait]
impl Gate for Cut {
    async fn before(&self, _commit: &Commit) -> Result<(), AppendError> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst).saturating_add(1);
        if number <= self.last() {
            return Ok(());
        }
        // What runs goes on to its end: its outcome is what is lost.
        self.probe.at_rest().await;
        Err(cut())
    }

    async fn after(&self, commit: &Commit) -> Result<(), AppendError> {
        if self.side == Side::Before && self.asked() >= self.last() {
            // What ran before goes on to its end; what this commit allows never begins.
            self.probe.at_rest().await;
            return Err(cut());
        }
        self.probe.note(commit);
        Ok(())
    }
}

/// Holds appends back until they are let through.
#[derive(Debug)]
pub struct Hold {
    permits: Semaphore,
    waiting: Semaphore,
}

impl Default for Hold {
    fn default() -> Self {
        Self {
            permits: Semaphore::new(0),
            waiting: Semaphore::new(0),
        }
    }
}

impl Hold {
    /// Lets `count` appends through.
    pub fn release(&self, count: usize) {
        self.permits.add_permits(count);
    }

    /// Waits until one more append has come to the gate.
    ///
    /// # Panics
    /// Never: the gate is not closed.
    pub async fn arrival(&self) {
        self.waiting
            .acquire()
            .await
            .expect("the gate is never closed")
            .forget();
    }
}

#[async_trait]
impl Gate for Hold {
    async fn before(&self, _commit: &Commit) -> Result<(), AppendError> {
        self.waiting.add_permits(1);
        self.permits.acquire().await.map_err(|_| cut())?.forget();
        Ok(())
    }

    async fn after(&self, _commit: &Commit) -> Result<(), AppendError> {
        Ok(())
    }
}
