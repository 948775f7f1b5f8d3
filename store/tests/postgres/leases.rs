//! Leases beside one another: who is reaped does not renew, and holds nothing.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::{AskId, NodeId, WorldId};
use folkmoot_core::port::{Ask, Inbox as _, Members as _, Renewal};
use folkmoot_store::{PostgresLedger, Register as _};
use tokio_postgres::Client;

use crate::races::{card, client, is_waiting};
use crate::rows::{begin, node, open};
use crate::server::{Server, shared};

const ROUNDS: usize = 100;
const TTL: Duration = Duration::from_secs(60);

/// How often something is tried that a slow machine may keep from being seen.
const TRIES_MAX: usize = 20;

const fn renewal(node: NodeId) -> Renewal {
    Renewal {
        node,
        room: 100,
        draining: false,
        ttl: TTL,
    }
}

/// Makes a world that nobody holds, and that is due.
async fn free(ledger: &PostgresLedger, holder: NodeId) -> WorldId {
    let now = ledger.join(&card(holder), TTL).await.unwrap();
    let world = begin(ledger, holder).await;
    ledger.release(holder, world, Some(now)).await.unwrap();
    world
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_that_is_late_either_renews_or_is_reaped() {
    let Some(server) = shared("a reaping beside a renewal") else {
        return;
    };
    let url = server.url();
    let [own, other] = [open(&url).await, open(&url).await];
    for round in 0..ROUNDS {
        let late = node();
        own.join(&card(late), Duration::ZERO).await.unwrap();
        let world = begin(&own, late).await;
        let (renewed, dead) = tokio::join!(own.renew(renewal(late)), other.reap());
        let is_member = renewed.unwrap().is_some();
        let is_dead = dead.unwrap().contains(&late);
        // It may have been late too recently for the reaper's look.
        assert!(
            is_member != is_dead,
            "round {round}: {is_member}, {is_dead}"
        );
        let holder = own.entry(world).await.unwrap().unwrap().holder;
        assert_eq!(holder, is_member.then_some(late), "round {round}");
        own.leave(late).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_that_is_reaped_while_it_claims_and_takes_holds_nothing() {
    let Some(server) = shared("a reaping beside claims") else {
        return;
    };
    let url = server.url();
    let [own, other] = [open(&url).await, open(&url).await];
    let maker = node();
    for round in 0..ROUNDS {
        let late = node();
        let worlds = [free(&own, maker).await, free(&own, maker).await];
        own.join(&card(late), Duration::from_millis(3))
            .await
            .unwrap();
        let takes = async {
            let taken = own.take(late, worlds[0]).await;
            (taken, own.claim(late, 9).await.unwrap())
        };
        let ((taken, claimed), dead) = tokio::join!(takes, other.reap());
        if dead.unwrap().contains(&late) {
            for world in worlds {
                let holder = own.entry(world).await.unwrap().unwrap().holder;
                assert_ne!(holder, Some(late), "round {round}: {taken:?}, {claimed:?}");
            }
            assert_eq!(own.renew(renewal(late)).await.unwrap(), None);
        }
        own.leave(late).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reaper_that_was_kept_waiting_goes_by_the_time_at_which_it_looked() {
    let Some(server) = shared("a reaper that is kept waiting") else {
        return;
    };
    let url = server.url();
    let schema = url.rsplit('=').next().unwrap();
    let ledger = Arc::new(open(&url).await);
    let [dead, lives] = [node(), node()];
    ledger.join(&card(dead), Duration::ZERO).await.unwrap();
    ledger.join(&card(lives), TTL).await.unwrap();
    let world = begin(ledger.as_ref(), lives).await;
    let other = locked(server, schema, world).await;
    let reaping = tokio::spawn({
        let ledger = Arc::clone(&ledger);
        // The take comes between the reaper's look and its deed, and waits for the lock.
        async move { tokio::join!(ledger.reap(), ledger.take(lives, world)).0 }
    });
    while !is_waiting(server, schema, "node") {
        assert!(!reaping.is_finished(), "the take did not come in between");
    }
    // Right behind the look its time runs out.
    let runs_out = format!(
        "UPDATE {schema}.node SET until = {schema}.now_ms() WHERE node = '{}'",
        lives.0
    );
    server.sql("postgres", &runs_out);
    other.batch_execute("COMMIT").await.unwrap();
    assert_eq!(reaping.await.unwrap().unwrap(), [dead]);
    assert_eq!(ledger.reap().await.unwrap(), [lives]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn renewal_waits_for_nothing_that_waits_for_a_world() {
    let Some(server) = shared("a renewal beside what waits") else {
        return;
    };
    let url = server.url();
    let schema = url.rsplit('=').next().unwrap();
    let ledger = Arc::new(open(&url).await);
    let own = node();
    ledger.join(&card(own), TTL).await.unwrap();
    let world = begin(ledger.as_ref(), own).await;
    let _locked = locked(server, schema, world).await;
    for _ in 0..TRIES_MAX {
        let asks = (0..16).map(|_| {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { ledger.ask(&ask(world)).await })
        });
        let asks: Vec<_> = asks.collect();
        let is_over = || asks.iter().any(tokio::task::JoinHandle::is_finished);
        while !is_waiting(server, schema, "world") && !is_over() {}
        assert!(ledger.renew(renewal(own)).await.unwrap().is_some());
        // A slow machine may have seen them give up.
        if !is_over() {
            return;
        }
        for ask in asks {
            drop(ask.await.unwrap());
        }
    }
    panic!("each renewal came behind what waits for the world");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn holder_is_told_beside_what_waits_for_the_world() {
    let Some(server) = shared("a holder beside what waits") else {
        return;
    };
    let url = server.url();
    let schema = url.rsplit('=').next().unwrap();
    let ledger = Arc::new(open(&url).await);
    let own = node();
    ledger.join(&card(own), TTL).await.unwrap();
    let world = begin(ledger.as_ref(), own).await;
    let _locked = locked(server, schema, world).await;
    for _ in 0..TRIES_MAX {
        let releasing = {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { ledger.release(own, world, None).await })
        };
        while !is_waiting(server, schema, "world") && !releasing.is_finished() {}
        let holder = ledger.holder(world).await.unwrap();
        assert_eq!(holder.map(|card| card.node), Some(own));
        // A slow machine may have seen it give up.
        if !releasing.is_finished() {
            return;
        }
        drop(releasing.await.unwrap());
    }
    panic!("the holder was told behind what waits for the world");
}

/// Has another client lock the row of a world, until that commits or is dropped.
async fn locked(server: &Server, schema: &str, world: WorldId) -> Client {
    let other = client(server).await;
    let lock = format!(
        "BEGIN; SELECT FROM {schema}.world WHERE world = '{}' FOR UPDATE",
        world.0
    );
    other.batch_execute(&lock).await.unwrap();
    other
}

fn ask(world: WorldId) -> Ask {
    Ask {
        id: AskId(node().0),
        world,
        command: vec![b'c'],
        principal: None,
    }
}
