//! What every ledger does: one suite, asked of each. The ledger in memory is asked here, as it is and behind a network that
//! answers late.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod cases;
#[cfg(feature = "postgres")]
mod postgres;
mod uncertain;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use cases::bench::Bench;
use folkmoot_core::port::{Inbox, Members};
use folkmoot_store::{Ledger, MemoryLedger};

/// A ledger in memory.
struct InMemory(Arc<MemoryLedger>);

impl InMemory {
    async fn open() -> Option<Self> {
        Some(Self(Arc::default()))
    }
}

#[async_trait]
impl Bench for InMemory {
    fn ledger(&self) -> &dyn Ledger {
        &*self.0
    }

    fn members(&self) -> &dyn Members {
        &*self.0
    }

    fn inbox(&self) -> &dyn Inbox {
        &*self.0
    }

    async fn pass(&self, by: Duration) {
        self.0.advance(by);
    }
}

cases::ledger_suite!(crate::InMemory);
