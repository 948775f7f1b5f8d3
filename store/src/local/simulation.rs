//! A store on one thread, from one seed: for simulations.
//!
//! What a store does on other threads, and what it takes from the machine's randomness, a
//! simulation must do itself. That is so on a thread as long as a [`Driver`] lives there, and
//! nowhere else.

use folkmoot_core::port::AppendError;

use crate::engine::EngineError;
use crate::local::{LocalStore, sweep};
use crate::state::shared::{CLOSED, Phase};
use crate::sync::Receiver;
use crate::sync::random::Seeded;
use crate::write::committer;
use crate::write::committer::{Committer, SweepDue};

#[cfg(test)]
mod tests;

/// Does what the threads of a store would do, when it is told to. Dropping it leaves the store as a
/// killed process would.
#[derive(Debug)]
pub struct Driver {
    work: Option<Work>,
    _seeded: Seeded,
}

#[derive(Debug)]
struct Work {
    store: LocalStore,
    committer: Committer,
    due: Receiver<SweepDue>,
}

impl Driver {
    /// Begins to keep the work of this thread on it.
    pub(crate) fn begin(seed: u64) -> Self {
        Self {
            work: None,
            _seeded: Seeded::begin(seed),
        }
    }

    pub(crate) fn over(
        mut self,
        store: LocalStore,
        committer: Committer,
        due: Receiver<SweepDue>,
    ) -> Self {
        self.work = Some(Work {
            store,
            committer,
            due,
        });
        self
    }

    /// Tells whether an append waits.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.work
            .as_ref()
            .is_some_and(|work| work.committer.has_work())
    }

    /// Appends one batch of what waits, answers it, and copies into runs what is due. `false` if
    /// nothing waits.
    pub fn step(&mut self) -> bool {
        self.work.as_mut().is_some_and(Work::step)
    }

    /// Appends what still waits, brings the log in order and lets the engine go: what
    /// [`Store::close`](crate::Store::close) does.
    ///
    /// # Errors
    /// As [`Store::close`](crate::Store::close).
    pub fn close(mut self) -> Result<(), AppendError> {
        let Some(work) = self.work.take() else {
            return Ok(());
        };
        work.close()
            .map_err(|error| committer::append_error(&error))
    }
}

impl Work {
    fn step(&mut self) -> bool {
        let has_worked = self.committer.step();
        while let Ok(SweepDue) = self.due.try_recv() {
            sweep(&self.store.inner.shared, &self.store.inner.queue);
        }
        has_worked
    }

    fn close(mut self) -> Result<(), EngineError> {
        let inner = &self.store.inner;
        inner.queue.close(CLOSED);
        while self.committer.step() {}
        let result = inner.finish(self.committer.head_record.take());
        inner.shared.end(Phase::Closed);
        inner.shared.release();
        result
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(work) = &self.work {
            work.store.inner.queue.stop("its process was killed");
            work.store
                .inner
                .shared
                .end(Phase::Stopped("its process was killed".to_owned()));
        }
    }
}
