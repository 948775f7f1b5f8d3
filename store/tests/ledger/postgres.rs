//! The ledger in PostgreSQL, on a server of this machine. Each case has a schema, and its time stands still until it passes.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::ids::Time;
use folkmoot_core::port::{Inbox, Members};
use folkmoot_store::{Ledger, OpenMode, PostgresLedger};

use crate::cases;
use crate::cases::bench::Bench;

#[path = "../postgres/clock.rs"]
mod clock;
#[path = "../postgres/server.rs"]
#[expect(dead_code, reason = "the tests of faults use more of it")]
mod server;

struct InPostgres {
    ledger: PostgresLedger,
    clock: clock::Clock,
    now: Mutex<Time>,
}

impl InPostgres {
    async fn open() -> Option<Self> {
        let server = server::shared("the ledger in PostgreSQL")?;
        let url = server.url();
        let parsed = url.parse().unwrap();
        let ledger = PostgresLedger::open(&parsed, OpenMode::Create).await;
        let ledger = ledger.unwrap();
        let clock = clock::Clock::of(server, &url).await;
        let now = Time::SIMULATED_START;
        clock.set(now).await;
        Some(Self {
            ledger,
            clock,
            now: Mutex::new(now),
        })
    }
}

#[async_trait]
impl Bench for InPostgres {
    fn ledger(&self) -> &dyn Ledger {
        &self.ledger
    }

    fn members(&self) -> &dyn Members {
        &self.ledger
    }

    fn inbox(&self) -> &dyn Inbox {
        &self.ledger
    }

    async fn pass(&self, by: Duration) {
        let now = {
            let mut now = self.now.lock().unwrap();
            *now = now.after(by);
            *now
        };
        self.clock.set(now).await;
    }
}

cases::ledger_suite!(crate::postgres::InPostgres);
