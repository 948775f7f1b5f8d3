//! The cost of leases: 64 nodes that renew, reap, claim and look for asks, over worlds that rest; and how soon the holder of a
//! world hears of an ask.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use folkmoot_core::ids::{AskId, NodeId};
use folkmoot_core::port::{
    Ask, AskState, Asked, AsksWanted, Inbox as _, Members as _, NodeCard, Renewal,
};
use folkmoot_store::PostgresLedger;
use tokio::task::JoinSet;

use crate::rows;
use crate::server::Server;

const NODES: usize = 64;
const WORLDS: usize = 50_000;
const FOR: Duration = Duration::from_secs(30);
const ASKS: usize = 200;
const TTL: Duration = Duration::from_secs(60);

/// Fills a schema with worlds that nobody holds, and counts the time of the processor that the server takes meanwhile.
pub(crate) async fn measure(server: &Server) {
    let url = server.url();
    let schema = url.rsplit('=').next().unwrap().to_owned();
    let ledger = rows::open(&url).await;
    let fill = format!(
        "INSERT INTO {schema}.world (world, name, labels, sealed, holder)
            SELECT gen_random_uuid(), 'idle-' || n, '{{}}', false, NULL FROM generate_series(1, {WORLDS}) n;
        INSERT INTO {schema}.commit (world, first, last, time, incarnation, record)
            SELECT world, 1, 1, 1, 1, decode(repeat('72', 540), 'hex') FROM {schema}.world"
    );
    server.sql("postgres", &fill);
    server.sql("postgres", "CHECKPOINT");
    drop(ledger);
    let mut loops = JoinSet::new();
    let end = Instant::now() + FOR + Duration::from_secs(5);
    for _ in 0..NODES {
        let ledger = rows::open(&url).await;
        loops.spawn(lease(ledger, rows::node(), end));
    }
    // The first seconds open the connections.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let before = busy(server);
    let begun = Instant::now();
    tokio::time::sleep_until((begun + FOR).into()).await;
    let took = busy(server) - before;
    let share = took.as_secs_f64() / begun.elapsed().as_secs_f64();
    println!(
        "{NODES} lease loops over {WORLDS} idle worlds: {:.1} % of a core",
        share * 100.0
    );
    loops.join_all().await;
}

/// What a node does in a second: it renews once, reaps and claims twice; and it looks for asks as often as its inbox says.
async fn lease(ledger: PostgresLedger, node: NodeId, end: Instant) {
    let card = NodeCard {
        node,
        name: "bench".into(),
        offers: BTreeSet::new(),
        schema: 1,
        room: 100,
        draining: false,
        advertise: None,
    };
    ledger.join(&card, TTL).await.unwrap();
    let ledger = Arc::new(ledger);
    let answers = tokio::spawn(answer(Arc::clone(&ledger), node));
    let mut turn = 0;
    while Instant::now() < end {
        if turn % 2 == 0 {
            let renewal = Renewal {
                node,
                room: 100,
                draining: false,
                ttl: TTL,
            };
            ledger.renew(renewal).await.unwrap().unwrap();
        }
        ledger.reap().await.unwrap();
        assert_eq!(ledger.claim(node, 64).await.unwrap(), []);
        turn += 1;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    answers.abort();
}

/// Asks a world of another node something, again and again, and says how long the answer took.
pub(crate) async fn approve(server: &Server) {
    let url = server.url();
    let [asker, holder] = [
        Arc::new(rows::open(&url).await),
        Arc::new(rows::open(&url).await),
    ];
    let node = rows::node();
    let world = rows::begin(holder.as_ref(), node).await;
    let answers = tokio::spawn(answer(Arc::clone(&holder), node));
    let mut took = Vec::new();
    for _ in 0..ASKS {
        let begun = Instant::now();
        let ask = Ask {
            id: AskId(rows::node().0),
            world,
            command: vec![b'c'; 200],
            principal: None,
        };
        assert_eq!(asker.ask(&ask).await.unwrap(), Asked::Waits);
        let mut heard = 0;
        while asker.answers(&[ask.id]).await.unwrap() == [AskState::Waits] {
            heard = hint(&asker, heard).await;
        }
        took.push(begun.elapsed());
    }
    answers.abort();
    took.sort_unstable();
    let at = |place: usize| took[(took.len() - 1) * place / 100];
    println!(
        "an ask and its answer, by hints: p10 {:.1?}, p50 {:.1?}, p90 {:.1?}",
        at(10),
        at(50),
        at(90)
    );
}

/// Answers what a node is asked.
async fn answer(ledger: Arc<PostgresLedger>, node: NodeId) {
    let mut heard = 0;
    loop {
        let wanted = AsksWanted::of_all(1_024);
        for waiting in ledger.asks(node, wanted).await.unwrap() {
            ledger.answer(waiting.ask.id, vec![1]).await.unwrap();
        }
        heard = hint(&ledger, heard).await;
    }
}

/// Waits for a hint, or as long as a node does without one.
async fn hint(ledger: &PostgresLedger, heard: u64) -> u64 {
    let hint = tokio::time::timeout(ledger.look_every(), ledger.hint(heard)).await;
    // Whoever hears nothing looks again.
    hint.unwrap_or(heard)
}

/// The time that the processes of the server have had on a processor so far.
fn busy(server: &Server) -> Duration {
    let postmaster = fs::read_to_string(server.data().join("postmaster.pid")).unwrap();
    let postmaster: u32 = postmaster.lines().next().unwrap().parse().unwrap();
    let mut ticks = 0;
    for process in fs::read_dir("/proc").unwrap() {
        let Ok(stat) = fs::read_to_string(process.unwrap().path().join("stat")) else {
            continue;
        };
        // The fields behind the name, which stands in brackets: state, parent, …, user and system time.
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        if fields.get(1) == Some(&postmaster.to_string().as_str()) {
            ticks += fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        }
    }
    // A tick is a hundredth of a second.
    Duration::from_millis(ticks * 10)
}
