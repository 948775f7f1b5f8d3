//! Gatekeepers: the things that may happen around an append.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use async_trait::async_trait;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{Digest, Incarnation, StepKey};
use folkmoot::core::port::{AppendError, Appended, EventLog};
use folkmoot::{Gatekeeper, Proof, WorldHandle};
use tokio::sync::Semaphore;

use crate::probe::Probe;

/// On which side of the effects in flight a run is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The last commit is durable, and nothing that it allows has begun.
    Before,
    /// All that the last commit allows has been done, and nothing of it is recorded.
    After,
}

/// Lets a number of commits through, and refuses all others. It cuts between any two, also of one append.
#[derive(Debug)]
pub struct Cut {
    last: AtomicU64,
    side: Side,
    probe: Probe,
    asked: AtomicU64,
    is_killed: AtomicBool,
}

impl Cut {
    /// Cuts after the `last`-th commit.
    #[must_use]
    pub fn after(last: u64, side: Side, probe: &Probe) -> Self {
        Self {
            last: AtomicU64::new(last),
            side,
            probe: probe.clone(),
            asked: AtomicU64::new(0),
            is_killed: AtomicBool::new(false),
        }
    }

    /// Lets everything through, and counts.
    #[must_use]
    pub fn never(probe: &Probe) -> Self {
        Self::after(u64::MAX, Side::After, probe)
    }

    /// Lets `more` commits through from now on, and refuses all others.
    pub fn in_a_while(&self, more: u64) {
        self.last
            .store(self.asked().saturating_add(more), Ordering::SeqCst);
    }

    /// Lets `world` die at once, with all that runs in it: its log takes nothing more, and it learns so from an action of the
    /// world itself.
    pub async fn kill(&self, world: &WorldHandle) {
        self.is_killed.store(true, Ordering::SeqCst);
        let step = StepKey {
            run: u32::MAX,
            index: u32::MAX,
        };
        let recorded = world
            .as_principal(Proof::world())
            .record_step(step, Digest::sha256(b"killed"))
            .await;
        assert!(recorded.is_err(), "a dead world recorded a step");
    }

    /// Lets everything through again.
    pub fn mend(&self) {
        self.is_killed.store(false, Ordering::SeqCst);
        self.last.store(u64::MAX, Ordering::SeqCst);
    }

    fn last(&self) -> u64 {
        self.last.load(Ordering::SeqCst)
    }

    /// How many commits were asked for.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }
}

fn cut() -> AppendError {
    AppendError::Stopped("the test cuts the run here".to_owned())
}

#[async_trait]
impl Gatekeeper for Cut {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        let count = commits.len() as u64;
        let before = self.asked.fetch_add(count, Ordering::SeqCst);
        if self.is_killed.load(Ordering::SeqCst) {
            return Err(cut());
        }
        let may_pass = self.last().saturating_sub(before);
        if count > may_pass {
            let passes = usize::try_from(may_pass).unwrap_or(usize::MAX);
            let first: Vec<Commit> = commits.into_iter().take(passes).collect();
            if !first.is_empty() {
                log.append(incarnation, first).await?;
            }
            // What runs goes on to its end: its outcome is what is lost.
            self.probe.at_rest().await;
            return Err(cut());
        }
        let appended = log.append(incarnation, commits.clone()).await?;
        if self.side == Side::Before && self.asked() >= self.last() {
            // What ran before goes on to its end; what these commits allow never begins.
            self.probe.at_rest().await;
            return Err(cut());
        }
        commits.iter().for_each(|commit| self.probe.note(commit));
        Ok(appended)
    }

    fn read(&self, _commits: usize) {}
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
impl Gatekeeper for Hold {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        self.waiting.add_permits(1);
        self.permits.acquire().await.map_err(|_| cut())?.forget();
        log.append(incarnation, commits).await
    }

    fn read(&self, _commits: usize) {}
}

/// Counts the commits that are read, and lets everything through.
#[derive(Debug, Default)]
pub struct Meter(AtomicUsize);

impl Meter {
    /// How many commits were read so far.
    #[must_use]
    pub fn commits_read(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Gatekeeper for Meter {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        log.append(incarnation, commits).await
    }

    fn read(&self, commits: usize) {
        self.0.fetch_add(commits, Ordering::SeqCst);
    }
}
