//! Races of nodes for one place in one world.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::{Digest, NodeId};
use folkmoot_core::port::{Members as _, NodeCard};
use folkmoot_store::{BlobTable as _, Landing, PostgresLedger, Register as _, Rows as _};
use tokio_postgres::{Client, NoTls};

use crate::rows::{begin, chain, next, node, open, row, salts};
use crate::server::{OWNER, Server, shared};

/// How often the writers race, and how many they are.
const ROUNDS: u64 = 500;
const WRITERS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_eight_writers_at_one_head_one_wins_each_round() {
    let Some(server) = shared("eight writers at one head") else {
        return;
    };
    let url = server.url();
    let holder = node();
    let mut ledgers = Vec::new();
    for _ in 0..WRITERS {
        ledgers.push(Arc::new(open(&url).await));
    }
    let world = begin(ledgers[0].as_ref(), holder).await;
    let mut head = 1;
    let mut expected = vec!["birth".to_owned()];
    for round in 0..ROUNDS {
        let race = ledgers.iter().enumerate().map(|(writer, ledger)| {
            let ledger = Arc::clone(ledger);
            let salt = format!("{round} by {writer}");
            // Chains of two lengths: no second row may land behind another's first one.
            let rows =
                (0..1 + writer as u64 % 2).map(|behind| row(world, head + 1 + behind, &salt));
            let chain = chain(world, head, rows.collect());
            let append = async move { ledger.append(holder, &[chain]).await.unwrap().remove(0) };
            tokio::spawn(append)
        });
        let landings = futures::future::join_all(race).await;
        let landings: Vec<Landing> = landings.into_iter().map(Result::unwrap).collect();
        let won: Vec<usize> = (0..landings.len())
            .filter(|writer| landings[*writer] == Landing::Appended)
            .collect();
        let [winner] = won[..] else {
            panic!("round {round}: {landings:?}");
        };
        let is_lost = |landing: &&Landing| **landing == Landing::Conflict;
        assert_eq!(landings.iter().filter(is_lost).count(), landings.len() - 1);
        let rows = 1 + winner as u64 % 2;
        expected.extend((0..rows).map(|_| format!("{round} by {winner}")));
        // Rows of two events do not exist here: each row's place is its number.
        let last = ledgers[0].last(world).await.unwrap().unwrap();
        head += rows;
        assert_eq!(last.last.get(), head);
    }
    assert_eq!(salts(ledgers[0].as_ref(), world).await, expected);
}

pub(crate) fn card(node: NodeId) -> NodeCard {
    NodeCard {
        node,
        name: "n".into(),
        offers: std::collections::BTreeSet::new(),
        schema: 1,
        room: 100,
        draining: false,
        advertise: None,
    }
}

/// How the worlds of a node become free.
#[derive(Debug, Clone, Copy)]
enum Loss {
    Leaves,
    IsReaped,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn append_that_is_beside_a_take_over_lands_before_it_or_never() {
    let Some(server) = shared("an append beside a take-over") else {
        return;
    };
    let url = server.url();
    let [one, other] = [Arc::new(open(&url).await), Arc::new(open(&url).await)];
    for loss in [Loss::Leaves, Loss::IsReaped].repeat(40) {
        let old = node();
        let new = node();
        one.join(&card(old), Duration::ZERO).await.unwrap();
        other
            .join(&card(new), Duration::from_secs(60))
            .await
            .unwrap();
        let world = begin(one.as_ref(), old).await;
        let writes = {
            let one = Arc::clone(&one);
            tokio::spawn(async move { until_fenced(&one, old, world).await })
        };
        match loss {
            Loss::Leaves => other.leave(old).await.unwrap(),
            Loss::IsReaped => while !other.reap().await.unwrap().contains(&old) {},
        }
        // From here on nothing of the old holder may appear.
        let seen = salts(other.as_ref(), world).await.len();
        let taken = other.take(new, world).await.unwrap();
        assert_eq!(taken, folkmoot_core::port::Taken::Taken);
        let first = next(world, seen as u64 + 1, "new");
        let landed = other.append(new, &[first]).await.unwrap();
        assert_eq!(landed, [Landing::Appended]);
        let landed = writes.await.unwrap();
        assert_eq!(salts(other.as_ref(), world).await.len(), seen + 1);
        assert_eq!(seen as u64, landed + 1, "an acknowledged row is missing");
        other.leave(new).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn world_that_is_taken_while_its_holder_leaves_is_free_behind_that() {
    let Some(server) = shared("a take beside a leaving") else {
        return;
    };
    let url = server.url();
    let schema = url.rsplit('=').next().unwrap();
    let ledger = Arc::new(open(&url).await);
    let holder = node();
    let ttl = Duration::from_secs(60);
    ledger.join(&card(holder), ttl).await.unwrap();
    let world = begin(ledger.as_ref(), holder).await;
    ledger.release(holder, world, None).await.unwrap();
    // What a take does, but that its end waits for the leaving.
    let taker = client(server).await;
    let take = format!(
        "BEGIN; SELECT FROM {schema}.node WHERE node = '{}' FOR KEY SHARE;
        UPDATE {schema}.world SET holder = '{}', due = NULL WHERE world = '{}'",
        holder.0, holder.0, world.0
    );
    taker.batch_execute(&take).await.unwrap();
    let leaving = {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.leave(holder).await })
    };
    let waits = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\"{schema}\".node%'"
    );
    while server.sql("postgres", &waits).trim() == "0" {
        assert!(!leaving.is_finished(), "it did not wait for the take");
    }
    taker.batch_execute("COMMIT").await.unwrap();
    leaving.await.unwrap().unwrap();
    let entry = ledger.entry(world).await.unwrap().unwrap();
    assert_eq!(entry.holder, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statement_that_nobody_waits_for_any_more_is_in_nobodys_way() {
    let Some(server) = shared("a take that is given up") else {
        return;
    };
    let url = server.url();
    let schema = url.rsplit('=').next().unwrap();
    let ledger = Arc::new(open(&url).await);
    let holder = node();
    let ttl = Duration::from_secs(60);
    ledger.join(&card(holder), ttl).await.unwrap();
    let world = begin(ledger.as_ref(), holder).await;
    let other = client(server).await;
    let lock = format!(
        "BEGIN; SELECT FROM {schema}.world WHERE world = '{}' FOR UPDATE",
        world.0
    );
    other.batch_execute(&lock).await.unwrap();
    // One that ended before that was seen is begun again.
    let take = loop {
        let ledger = Arc::clone(&ledger);
        let take = tokio::spawn(async move { ledger.take(holder, world).await });
        while !take.is_finished() && !is_waiting(server, schema, "node") {}
        if !take.is_finished() {
            break take;
        }
    };
    take.abort();
    assert!(take.await.is_err());
    // The lock is held, and the statement waits for it at the server.
    assert_eq!(ledger.held(holder).await.unwrap(), [world]);
    other.batch_execute("COMMIT").await.unwrap();
    let taken = ledger.take(holder, world).await.unwrap();
    assert_eq!(taken, folkmoot_core::port::Taken::Taken);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blob_that_is_touched_beside_its_removal_stays_or_is_gone_behind_that() {
    let Some(server) = shared("a touch beside a removal") else {
        return;
    };
    let url = server.url();
    let schema = url.rsplit('=').next().unwrap();
    let ledger = Arc::new(open(&url).await);
    let world = begin(ledger.as_ref(), node()).await;
    let blob = Digest::sha256(b"a");
    ledger.put_blob(world, blob, vec![1]).await.unwrap();
    let before = ledger.blobs(world, None, 1).await.unwrap()[0].1;
    let before = before.after(Duration::from_millis(1));
    let other = client(server).await;
    // A touch that the removal waits for.
    let touch = format!("BEGIN; UPDATE {schema}.blob SET put = put + 1000");
    other.batch_execute(&touch).await.unwrap();
    let removal = {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.remove_blobs(world, &[blob], before).await })
    };
    while !is_waiting(server, schema, "blob") {
        assert!(!removal.is_finished(), "it did not wait for the touch");
    }
    other.batch_execute("COMMIT").await.unwrap();
    assert_eq!(removal.await.unwrap().unwrap(), 0);
    assert_eq!(ledger.blob_size(world, blob).await.unwrap(), Some(1));
    // A removal that the touch waits for.
    let removal = format!("BEGIN; DELETE FROM {schema}.blob");
    other.batch_execute(&removal).await.unwrap();
    let touch = {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.touch_blobs(world, &[blob]).await })
    };
    while !is_waiting(server, schema, "blob") {
        assert!(!touch.is_finished(), "it did not wait for the removal");
    }
    other.batch_execute("COMMIT").await.unwrap();
    touch.await.unwrap().unwrap();
    assert_eq!(ledger.blob_size(world, blob).await.unwrap(), None);
}

/// A connection beside those of ledgers.
pub(crate) async fn client(server: &Server) -> Client {
    let how = format!(
        "host=127.0.0.1 port={} user={OWNER} dbname=postgres",
        server.port
    );
    let (client, connection) = tokio_postgres::connect(&how, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Tells whether a statement on a table of a schema waits for a lock.
pub(crate) fn is_waiting(server: &Server, schema: &str, table: &str) -> bool {
    let waits = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\"{schema}\".{table}%'"
    );
    server.sql("postgres", &waits).trim() != "0"
}

/// Appends until another holds the world; gives how many rows landed.
async fn until_fenced(
    ledger: &PostgresLedger,
    holder: NodeId,
    world: folkmoot_core::ids::WorldId,
) -> u64 {
    let mut landed = 0;
    loop {
        let chain = next(world, landed + 2, "old");
        let landing = ledger.append(holder, &[chain]).await.unwrap();
        if landing[0] != Landing::Appended {
            assert!(matches!(landing[0], Landing::Fenced { .. }), "{landing:?}");
            return landed;
        }
        landed += 1;
    }
}
