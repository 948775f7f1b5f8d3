//! A schema on a server of PostgreSQL, whose time stands still until the next node comes.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use folkmoot_core::ids::Time;
use folkmoot_store::{OpenMode, PostgresLedger};
use futures::executor::block_on;
use tokio::runtime::Runtime;

#[path = "../../postgres/clock.rs"]
mod clock;
#[path = "../../postgres/server.rs"]
#[expect(dead_code, reason = "the tests of faults use more of it")]
mod server;

/// Tells whether this machine has PostgreSQL; says so if not.
pub(crate) fn is_there(test: &str) -> bool {
    server::shared(test).is_some()
}

/// What moves the bytes of all connections.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

/// A schema; `None`: nobody has opened it yet.
#[derive(Default)]
pub(super) struct Database(Option<Opened>);

struct Opened {
    url: String,
    clock: clock::Clock,
    now: Time,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_ref().map_or("unopened", |opened| &opened.url))
    }
}

impl Database {
    /// The ledger of another node, so much later.
    pub(super) fn ledger(&mut self, later: Duration) -> Arc<PostgresLedger> {
        let opened = self.0.get_or_insert_with(|| block_on(begin()));
        opened.now = opened.now.after(later);
        block_on(opened.clock.set(opened.now));
        Arc::new(block_on(open(&opened.url)))
    }
}

async fn open(url: &str) -> PostgresLedger {
    let url = url.parse().unwrap();
    PostgresLedger::open(&url, OpenMode::Create).await.unwrap()
}

async fn begin() -> Opened {
    let server = server::shared("a schema").unwrap();
    let url = server.url();
    drop(open(&url).await);
    Opened {
        clock: clock::Clock::of(server, &url).await,
        now: Time::SIMULATED_START,
        url,
    }
}
