//! Tables that are written anew, beside those who use them.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::command::CommandKind;
use folkmoot_core::command::commit::{Commit, CommitHeader};
use folkmoot_core::content::Content;
use folkmoot_core::event::{ClockKind, Event, Opened, Span, WorldEvent, WorldOpened};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{
    Digest, Incarnation, NodeId, Position, Seed, Stamp, Time, WorldId, WorldName,
};
use folkmoot_core::port::{Appended, Custody as _, EventLog as _, Members as _};
use folkmoot_store::{Compaction, DeleteOrder, LedgerUpkeep as _, SharedStore};
use tokio::time::timeout;

use crate::races::{card, client};
use crate::rows::{begin, node, open};
use crate::server::{Server, shared};

/// How long something may take that a test waits for.
const WITHIN: Duration = Duration::from_secs(60);

/// The first commit of a world, as a store writes it.
fn creation(world: WorldId, holder: NodeId) -> Commit {
    let begun = WorldOpened {
        world,
        name: WorldName::new(format!("w{}", world.0.simple())).unwrap(),
        clock: ClockKind::Simulated,
        decider: Digest::of(&[b"rules"]),
        base: None,
        source: None,
        spec_digest: Digest::of(&[b"spec"]),
        spec: Box::default(),
        text: Content::Present(Default::default()),
    };
    let opened = Opened {
        incarnation: Incarnation(1),
        node: holder,
        base: None,
        signer: None,
    };
    Commit {
        header: CommitHeader {
            world,
            first: Position::new(1),
            stamp: Stamp {
                time: Time::SIMULATED_START,
                seed: Seed::new([1; 16]),
            },
            principal: Principal::World,
            cause: None,
            key: None,
            decider: Digest::of(&[b"rules"]),
            command: CommandKind::PostMessage,
            residual: None,
        },
        events: vec![
            Event::World(WorldEvent::WorldOpened(begun)),
            Event::World(WorldEvent::Opened(opened)),
        ],
    }
}

/// Begins a world in `store`.
async fn begin_in(store: &SharedStore) -> WorldId {
    let world = crate::rows::world();
    let first = vec![creation(world, store.node())];
    let appended = store.append(Incarnation(1), first).await.unwrap();
    assert!(matches!(appended, Appended::Committed { .. }));
    world
}

fn order() -> DeleteOrder {
    DeleteOrder {
        by: Principal::World,
        at: Time(77),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deletion_and_erasure_do_not_wait_until_tables_are_written_anew() {
    let Some(server) = shared("a deletion beside a dump") else {
        return;
    };
    let url = server.url();
    let schema = url.rsplit('=').next().unwrap();
    let ledger = Arc::new(open(&url).await);
    let holder = node();
    let store = SharedStore::new(Arc::clone(&ledger) as _, holder);
    let [erased, deleted] = [begin_in(&store).await, begin_in(&store).await];
    // A dump holds such locks from its beginning to its end.
    let dump = client(server).await;
    let locks = format!(
        "BEGIN; LOCK TABLE {schema}.world, {schema}.commit, {schema}.ask, {schema}.checkpoint, {schema}.content IN ACCESS SHARE MODE"
    );
    dump.batch_execute(&locks).await.unwrap();
    let span = Span {
        from: Position::new(1),
        to: Position::new(1),
    };
    let erasing = async { store.erase(erased, &[span], Position::new(2)).await };
    let erasing = timeout(WITHIN, erasing).await;
    erasing.expect("an erasure waits for the dump").unwrap();
    let deleting = timeout(WITHIN, async { store.delete(&[deleted], &order()).await }).await;
    deleting.expect("a deletion waits for the dump").unwrap();
    begin(ledger.as_ref(), holder).await;
    let compacting = timeout(WITHIN, ledger.compact()).await;
    let compacted = compacting.expect("it waits for the dump").unwrap();
    assert_eq!(compacted, Compaction::Later);
    assert_ne!(left(server, schema), "0");
    dump.batch_execute("COMMIT").await.unwrap();
    assert_eq!(ledger.compact().await.unwrap(), Compaction::Done);
    assert_eq!(left(server, schema), "0");
}

/// The number of tables with old bytes.
fn left(server: &Server, schema: &str) -> String {
    let left = server.sql(
        "postgres",
        &format!("SELECT count(*) FROM {schema}.leftover"),
    );
    left.trim().to_owned()
}

/// The file of a table.
fn file(server: &Server, table: &str) -> String {
    server.sql(
        "postgres",
        &format!("SELECT pg_relation_filenode('{table}')"),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_member_writes_anew_what_has_old_bytes_but_not_the_worlds() {
    let Some(server) = shared("tables that a member writes anew") else {
        return;
    };
    let url = server.url();
    let schema = url.rsplit('=').next().unwrap();
    let [elder, younger] = [node(), node()];
    let [ledger, other] = [open(&url).await, open(&url).await];
    ledger.join(&card(elder), WITHIN).await.unwrap();
    other.join(&card(younger), WITHIN).await.unwrap();
    let world = begin(&ledger, elder).await;
    let commits = server.sql(
        "postgres",
        &format!("SELECT tableoid::regclass FROM {schema}.commit"),
    );
    let tables = [format!("{schema}.world"), commits.trim().to_owned()];
    let before = tables.each_ref().map(|table| file(server, table));
    ledger.delete(elder, &[(world, vec![1])]).await.unwrap();
    // The other one has lived for less long.
    other.hurry_upkeep();
    ledger.hurry_upkeep();
    timeout(WITHIN, async {
        while left(server, schema) != "0" {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("the member writes them anew");
    let after = tables.each_ref().map(|table| file(server, table));
    assert_eq!(before[0], after[0], "everybody waits for the worlds");
    assert_ne!(before[1], after[1]);
}
