//! A store on one thread, from one seed: for simulations.
//!
//! What a store does on other threads, and what it takes from the machine's randomness, a simulation must do itself. That
//! is so on a thread as long as a [`Driver`] lives there, and nowhere else.

use std::cell::RefCell;
use std::marker::PhantomData;

use folkmoot_core::ids::Digest;
use folkmoot_core::port::AppendError;

use crate::committer::{self, Committer, SweepDue};
use crate::engine::EngineError;
use crate::shared::{CLOSED, Phase};
use crate::store::{Store, sweep};
use crate::sync::Receiver;

#[cfg(test)]
mod tests;

thread_local! {
    /// The seeds of the drivers of this thread, the newest last.
    static DRIVEN: RefCell<Vec<Numbers>> = const { RefCell::new(Vec::new()) };
}

/// Numbers from a seed.
#[derive(Debug)]
struct Numbers {
    seed: u64,
    drawn: u64,
}

impl Numbers {
    fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let digest = Digest::of(&[
                b"folkmoot simulation 1",
                &self.seed.to_le_bytes(),
                &self.drawn.to_le_bytes(),
            ]);
            self.drawn = self.drawn.wrapping_add(1);
            chunk
                .iter_mut()
                .zip(digest.as_bytes())
                .for_each(|(to, from)| *to = *from);
        }
    }
}

/// Tells whether work of this thread stays on it.
pub(crate) fn is_driven() -> bool {
    DRIVEN.with_borrow(|drivers| !drivers.is_empty())
}

/// Fills `bytes` from the machine's randomness, or from the seed of this thread's simulation.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    DRIVEN.with_borrow_mut(|drivers| match drivers.last_mut() {
        Some(numbers) => {
            numbers.fill(bytes);
            Ok(())
        }
        None => getrandom::fill(bytes),
    })
}

/// Does what the threads of a store would do, when it is told to. Dropping it leaves the store as a killed process would.
#[derive(Debug)]
pub struct Driver {
    work: Option<Work>,
    /// It counts on the thread that made it.
    _here: PhantomData<*const ()>,
}

#[derive(Debug)]
struct Work {
    store: Store,
    committer: Committer,
    due: Receiver<SweepDue>,
}

impl Driver {
    /// Begins to keep the work of this thread on it.
    pub(crate) fn begin(seed: u64) -> Self {
        DRIVEN.with_borrow_mut(|drivers| drivers.push(Numbers { seed, drawn: 0 }));
        Self {
            work: None,
            _here: PhantomData,
        }
    }

    pub(crate) fn over(
        mut self,
        store: Store,
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

    /// Appends one batch of what waits, answers it, and copies into runs what is due. `false` if nothing waits.
    pub fn step(&mut self) -> bool {
        self.work.as_mut().is_some_and(Work::step)
    }

    /// Appends what still waits, brings the log in order and lets the engine go: what [`Store::close`] does.
    ///
    /// # Errors
    /// As [`Store::close`].
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
        DRIVEN.with_borrow_mut(Vec::pop);
    }
}
