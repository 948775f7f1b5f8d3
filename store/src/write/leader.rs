//! Who appends: the committer's thread, or a task that would only wait for it.
//!
//! Waking a thread and being woken by it takes as long as a short barrier. So an append that finds nothing under way and
//! nothing waiting is made where it is asked for. While it is under way others gather, and the thread takes them all.

use std::sync::Arc;

use folkmoot_core::port::AppendError;

use crate::home::head_record::HeadRecord;
use crate::sync::Mutex;
use crate::write::committer::Committer;
use crate::write::queue::{AppendRequest, Queue};

/// The committer, and the queue in front of it.
#[derive(Debug)]
pub(crate) struct Leader {
    /// `None` once the queue is closed and empty.
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

    /// Appends what waits until the queue is closed, then gives the head record back.
    pub(crate) fn run(&self) -> Option<HeadRecord> {
        loop {
            let Ok(mut held) = self.committer.lock() else {
                self.queue.stop("an append panicked");
                return None;
            };
            if held.as_mut()?.step() {
                continue;
            }
            drop(held);
            self.queue.wait();
            if self.queue.is_empty() {
                // Without it nobody leads any more, and the sweeper ends.
                return self.committer.lock().ok()?.take()?.head_record;
            }
        }
    }
}
