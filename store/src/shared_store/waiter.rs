//! Waiting for a ledger on a thread that may wait.

use std::future::Future;
use std::panic;
use std::thread;

use tokio::runtime::Handle;

use crate::sync::threads::threads;

/// Waits for a ledger where nothing can be awaited.
#[derive(Debug, Clone)]
pub(super) struct Waiter(Option<Handle>);

impl Waiter {
    /// Waits with the runtime that there is, if there is one.
    pub(super) fn new() -> Self {
        Self(threads())
    }

    /// Waits for the end of `work`.
    pub(super) fn wait<F>(&self, work: F) -> F::Output
    where
        F: Future + Send,
        F::Output: Send,
    {
        match &self.0 {
            Some(runtime) => runtime.block_on(work),
            // This thread may drive other work already, and cannot drive two.
            None => thread::scope(|scope| {
                let driven = scope.spawn(|| futures::executor::block_on(work)).join();
                driven.unwrap_or_else(|panicked| panic::resume_unwind(panicked))
            }),
        }
    }
}
