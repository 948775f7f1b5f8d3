//! The cost of leases: 64 nodes that renew, reap, claim and look for asks, over worlds that rest.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use folkmoot_core::ids::NodeId;
use folkmoot_core::port::{Inbox as _, Members as _, NodeCard, Renewal};
use folkmoot_store::PostgresLedger;
use tokio::task::JoinSet;

use crate::rows;
use crate::server::Server;

const NODES: usize = 64;
const WORLDS: usize = 50_000;
const FOR: Duration = Duration::from_secs(30);
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

/// What a node does: renews once a second, and reaps, claims and looks for asks twice.
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
    ledger.asks(node, 64).await.unwrap();
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
