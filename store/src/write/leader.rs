//! Who appends: the committer's thread, or a task that would only wait for it.
//!
//! Waking a thread and being woken by it takes as long as a short barrier. So an append that finds nothing under way and
//! nothing waiting is made where it is asked for. While it is under way others gather, and the thread takes them all.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, PoisonError};

use folkmoot_core::port::AppendError;

use crate::home::head_record::HeadRecord;
use crate::sync::Mutex;
use crate::write::committer::Committer;
use crate::write::queue::{AppendRequest, Queue};

/// The committer, and the queue in front of it.
#[derive(Debug)]
pub(crate) struct Leader {
    /// `None` once the queue is closed and empty, or after a panic.
    committer: Mutex<Option<Committer>>,
    queue: Arc<Queue>,
}

impl Leader {
    pub(crate) fn new(committer: Committer) -> Self {
        let queue = Arc::clone(&committer.queue);
        Self {
            committer: Mutex::new(Some(committer)),
            queue,
        }
    }

    /// Leaves all further appends to the thread.
    #[cfg(feature = "testing")]
    pub(crate) fn rest(&self) {
        let mut held = self.committer.lock();
        if let Some(committer) = held.as_deref_mut().ok().and_then(Option::as_mut) {
            committer.leads = false;
        }
    }

    /// Appends `request` here if that is free and quick, or leaves it to the committer's thread.
    pub(crate) fn append(&self, request: AppendRequest) -> Result<(), AppendError> {
        let mut free = self.committer.try_lock().ok();
        let committer = free.as_mut().and_then(|free| free.as_mut());
        let left = match committer.filter(|committer| committer.may_lead()) {
            Some(committer) => committer.lead(request),
            None => Some(request),
        };
        drop(free);
        left.map_or(Ok(()), |request| self.queue.put(request))
    }

    /// Appends what waits until the queue is closed, then gives the head record back. A panic, here or of whoever led,
    /// stops the store.
    pub(crate) fn run(&self) -> Option<HeadRecord> {
        let served = panic::catch_unwind(AssertUnwindSafe(|| self.serve()));
        served.ok().flatten().unwrap_or_else(|| self.give_up())
    }

    /// The head record, once the queue is closed and empty; `None` after a panic of whoever led.
    fn serve(&self) -> Option<Option<HeadRecord>> {
        loop {
            let mut held = self.committer.lock().ok()?;
            if held.as_mut()?.step() {
                continue;
            }
            drop(held);
            self.queue.wait();
            if self.queue.is_empty() {
                // Without it nobody leads any more, and the sweeper ends.
                return Some(self.committer.lock().ok()?.take()?.head_record);
            }
        }
    }

    /// Stops the store: what an append that panicked has left is not known.
    fn give_up(&self) -> Option<HeadRecord> {
        let mut held = self
            .committer
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // With the committer goes what the sweeper waits for.
        held.take()?.stop("an append panicked");
        None
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
