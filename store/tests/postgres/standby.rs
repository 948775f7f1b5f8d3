//! A standby that follows, and takes over.

use std::time::{Duration, Instant};

use folkmoot_core::ids::NodeId;
use folkmoot_core::port::causes::with_causes;
use folkmoot_store::{Landing, LedgerError, OpenMode, PostgresLedger, RowChain, Rows as _};

use crate::rows::{begin, next, node, open, salts};
use crate::server::Server;

/// How long something may take that a test waits for.
const WITHIN: Duration = Duration::from_secs(120);

/// Has each commit of a server wait for the standby of this name, which follows by now.
fn wait_for(server: &Server, standby: &str) {
    server.set(&format!("synchronous_standby_names = '{standby}'"));
    let follows = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
    let deadline = Instant::now() + WITHIN;
    while server.sql("postgres", follows).trim() != "1" {
        assert!(Instant::now() < deadline, "{}", server.log());
    }
}

/// Appends until the ledger has taken it.
async fn settle(ledger: &PostgresLedger, holder: NodeId, chain: RowChain) {
    let deadline = Instant::now() + WITHIN;
    loop {
        match ledger.append(holder, std::slice::from_ref(&chain)).await {
            Ok(landed) => return assert_eq!(landed, [Landing::Appended]),
            Err(LedgerError::Unknown(_) | LedgerError::Unreachable(_)) => {
                assert!(Instant::now() < deadline, "it is never settled");
            }
            Err(error) => panic!("{error}: {error:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn standby_that_takes_over_has_what_was_acknowledged_and_is_taken_for_the_same_only_if_the_url_says_so()
 {
    let Some(first) = Server::start("a standby") else {
        return;
    };
    let lossy = first.url();
    drop(open(&lossy).await);
    let second = first.standby("second");
    wait_for(&first, "second");
    let both = format!("{},127.0.0.1:{}", first.port, second.port);
    let lossy = lossy.replace(&first.port.to_string(), &both);
    let lossless = format!("{lossy}&failover=lossless");
    let ledger = open(&lossless).await;
    let holder = node();
    let world = begin(&ledger, holder).await;
    assert_eq!(ledger.copy(), None);

    // Nobody has a second copy: nothing is acknowledged, and nobody reads it.
    second.stop();
    let alone = ledger.append(holder, &[next(world, 2, "alone")]).await;
    assert!(matches!(alone, Err(LedgerError::Unknown(_))), "{alone:?}");
    assert_eq!(salts(&ledger, world).await, ["birth"]);
    second.run();
    settle(&ledger, holder, next(world, 2, "alone")).await;
    for at in 3..50 {
        settle(&ledger, holder, next(world, at, "row")).await;
    }

    first.kill();
    second.promote();
    // It has no standby yet, so that it cannot keep the promise.
    let url = lossless.parse().unwrap();
    let refused = PostgresLedger::open(&url, OpenMode::Existing).await;
    let why = with_causes(&refused.unwrap_err());
    assert!(why.contains("synchronous_standby_names"), "{why}");
    let third = second.standby("third");
    wait_for(&second, "third");
    // The ledger goes on by itself, with what was acknowledged.
    settle(&ledger, holder, next(world, 50, "behind")).await;
    assert_eq!(salts(&ledger, world).await.len(), 50);
    assert_eq!(open(&lossless).await.copy(), None);
    // Who was not told that nothing can be missing takes it for a restored one.
    assert!(open(&lossy).await.copy().is_some());

    // The old primary comes back and knows nothing of that. Whoever saw the new one does not take it, although it stands first.
    first.run();
    let end = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'folkmoot'";
    second.sql("postgres", end);
    settle(&ledger, holder, next(world, 51, "on")).await;
    assert_eq!(salts(&ledger, world).await.len(), 51);
    drop(third);
}
