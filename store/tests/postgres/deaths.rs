//! Servers that die, and connections that are cut: each append whose end nobody knows is settled by the same append again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use folkmoot_core::ids::{NodeId, WorldId};
use folkmoot_core::port::{MemberError, Members as _, Renewal};
use folkmoot_store::{Landing, LedgerError, PostgresLedger, RowChain, Rows as _};

use crate::proxy::{Cut, Proxy, Way};
use crate::rows::{begin, chain, next, node, open, row, salts};
use crate::server::{Server, shared};

/// How often the server is killed; more by a variable.
fn kills() -> usize {
    let asked = std::env::var("FOLKMOOT_POSTGRES_KILLS").ok();
    asked.map_or(3, |asked| asked.parse().unwrap())
}

/// The statements of which each is cut once before and once behind; more by a variable.
fn cuts() -> u64 {
    let asked = std::env::var("FOLKMOOT_POSTGRES_CUTS").ok();
    asked.map_or(40, |asked| asked.parse().unwrap())
}

/// How long something may take that a test waits for.
const WITHIN: Duration = Duration::from_secs(120);

/// Appends, and does it again until it is settled; gives how often nobody knew.
async fn settle(ledger: &PostgresLedger, holder: NodeId, chain: RowChain) -> (Landing, u64) {
    let deadline = Instant::now() + WITHIN;
    let mut unknown = 0;
    loop {
        assert!(Instant::now() < deadline, "it is never settled");
        match ledger.append(holder, std::slice::from_ref(&chain)).await {
            Ok(mut landings) => return (landings.remove(0), unknown),
            Err(LedgerError::Unknown(_)) => unknown += 1,
            Err(LedgerError::Unreachable(_)) => {}
            Err(error) => panic!("{error}: {error:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_that_is_killed_under_load_loses_and_doubles_nothing() {
    let Some(server) = Server::start("a server that is killed") else {
        return;
    };
    let ledger = Arc::new(open(&server.url()).await);
    let holder = node();
    let is_over = Arc::new(AtomicBool::new(false));
    let acknowledged = Arc::new(AtomicU64::new(0));
    let mut writers = Vec::new();
    for _ in 0..16 {
        let world = begin(ledger.as_ref(), holder).await;
        let ledger = Arc::clone(&ledger);
        let (is_over, acknowledged) = (Arc::clone(&is_over), Arc::clone(&acknowledged));
        writers.push(tokio::spawn(async move {
            let mut head = 1;
            while !is_over.load(Ordering::Acquire) {
                let (landing, _) = settle(&ledger, holder, next(world, head + 1, "row")).await;
                assert_eq!(landing, Landing::Appended);
                head += 1;
                acknowledged.fetch_add(1, Ordering::AcqRel);
            }
            (world, head)
        }));
    }
    for _ in 0..kills() {
        // The load goes on for some hundred commits, and the server dies in the midst of them.
        let before = acknowledged.load(Ordering::Acquire);
        while acknowledged.load(Ordering::Acquire) < before + 300 {
            tokio::task::yield_now().await;
        }
        server.kill();
        tokio::task::block_in_place(|| server.run());
    }
    is_over.store(true, Ordering::Release);
    for writer in writers {
        let (world, head) = writer.await.unwrap();
        assert_eq!(salts(ledger.as_ref(), world).await.len() as u64, head);
    }
}

/// Runs a fixed work of appends that each are settled; gives the world, its length and how often nobody knew.
async fn work(ledger: &PostgresLedger, holder: NodeId) -> (WorldId, u64, u64) {
    let world = crate::rows::world();
    let (landing, mut unknown) = settle(ledger, holder, crate::rows::birth(world)).await;
    assert_eq!(landing, Landing::Appended);
    let mut head = 1;
    for step in 0..6 {
        let salt = format!("step {step}");
        let count = 1 + step % 3;
        let rows = (0..count).map(|behind| row(world, head + 1 + behind, &salt));
        let mut rows: Vec<_> = rows.collect();
        rows[0].gone = vec![folkmoot_core::ids::Position::new(head)];
        let (landing, lost) = settle(ledger, holder, chain(world, head, rows)).await;
        assert_eq!(landing, Landing::Appended, "step {step}");
        head += count;
        unknown += lost;
    }
    (world, head, unknown)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_before_or_behind_any_statement_is_settled_and_doubles_nothing() {
    let Some(server) = shared("cuts at statements") else {
        return;
    };
    let proxy = Proxy::before(server.port);
    let url = server.url_at(proxy.port);
    // Straight: what is there is looked at without a proxy.
    let sight = open(&url.replace(&proxy.port.to_string(), &server.port.to_string())).await;
    let mut unknowns = 0;
    for number in 1..=cuts() {
        for cut in [Cut::Before(number), Cut::After(number)] {
            proxy.cut_at(cut);
            // A new one each time, so that its opening is cut as well.
            let holder = node();
            let ledger = reopened(&url).await;
            let (world, head, unknown) = work(&ledger, holder).await;
            unknowns += unknown;
            assert_eq!(salts(&sight, world).await.len() as u64, head, "{cut:?}");
        }
    }
    assert!(proxy.statements() > 0);
    assert!(unknowns > 0, "no cut left anything unknown");
}

/// Opens a ledger whose opening may be cut.
async fn reopened(url: &str) -> PostgresLedger {
    let url = url.parse().unwrap();
    let deadline = Instant::now() + WITHIN;
    loop {
        match PostgresLedger::open(&url, folkmoot_store::OpenMode::Create).await {
            Ok(ledger) => return ledger,
            Err(error) => assert!(Instant::now() < deadline, "{error}: {error:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answer_that_is_lost_on_the_way_is_unknown_and_the_row_is_there_once() {
    let Some(server) = shared("a lost answer") else {
        return;
    };
    let proxy = Proxy::before(server.port);
    let ledger = open(&server.url_at(proxy.port)).await;
    let holder = node();
    let world = begin(&ledger, holder).await;
    // The connection is warm: the next statement is the append itself.
    let (landing, _) = settle(&ledger, holder, next(world, 2, "warm")).await;
    assert_eq!(landing, Landing::Appended);
    proxy.cut_at(Cut::After(1));
    let lost = ledger.append(holder, &[next(world, 3, "lost")]).await;
    assert!(matches!(lost, Err(LedgerError::Unknown(_))), "{lost:?}");
    let again = ledger.append(holder, &[next(world, 3, "lost")]).await;
    assert_eq!(again.unwrap(), [Landing::Appended]);
    proxy.cut_at(Cut::Before(1));
    let lost = ledger.append(holder, &[next(world, 4, "never")]).await;
    assert!(matches!(lost, Err(LedgerError::Unknown(_))), "{lost:?}");
    let other = ledger.append(holder, &[next(world, 4, "other")]).await;
    assert_eq!(other.unwrap(), [Landing::Appended]);
    let found = salts(&ledger, world).await;
    assert_eq!(found, ["birth", "warm", "lost", "other"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn renewal_that_nobody_answers_ends_in_time_and_the_next_one_is_heard() {
    let Some(server) = shared("a renewal that nobody answers") else {
        return;
    };
    let proxy = Proxy::before(server.port);
    let ledger = open(&server.url_at(proxy.port)).await;
    let renewal = Renewal {
        node: node(),
        room: 1,
        draining: false,
        ttl: Duration::from_secs(600),
    };
    assert_eq!(ledger.renew(renewal).await.unwrap(), None);
    for way in [Way::Blackhole, Way::Deaf] {
        proxy.set(way);
        let begun = Instant::now();
        let renewed = ledger.renew(renewal).await;
        assert!(
            matches!(renewed, Err(MemberError::Unknown(_))),
            "{renewed:?}"
        );
        assert!(begun.elapsed() < WITHIN);
        proxy.set(Way::Open);
        assert_eq!(ledger.renew(renewal).await.unwrap(), None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_way_only_takes_longer_and_a_lost_server_is_unreachable() {
    let Some(server) = shared("a slow way") else {
        return;
    };
    let proxy = Proxy::before(server.port);
    let ledger = open(&server.url_at(proxy.port)).await;
    let holder = node();
    let world = begin(&ledger, holder).await;
    proxy.set(Way::Delay(Duration::from_millis(20)));
    let landed = ledger.append(holder, &[next(world, 2, "slow")]).await;
    assert_eq!(landed.unwrap(), [Landing::Appended]);
    proxy.set(Way::Open);
    assert!(!proxy.is_to_cut());
    drop(proxy);
    // The lanes were cut: what they are asked next never happened, or nobody knows; then nobody answers at all.
    let deadline = Instant::now() + WITHIN;
    loop {
        match ledger.append(holder, &[next(world, 3, "nowhere")]).await {
            Err(LedgerError::Unreachable(_)) => break,
            Err(LedgerError::Unknown(_)) => assert!(Instant::now() < deadline),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(
        ledger.last(world).await,
        Err(LedgerError::Unreachable(_))
    ));
}
