//! Appends of a ledger in PostgreSQL beside bare `INSERT`s into a table of the same columns, in turns on one server; and what
//! the leases of 64 nodes cost it over many idle worlds.
//!
//! The machine is seldom quiet, so only the ratios count: each pair is measured within a fraction of a second.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench says what went wrong by panicking"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use folkmoot_core::ids::NodeId;
use folkmoot_store::{Landing, PostgresLedger, RowChain, Rows as _};
use tokio::runtime::Runtime;

use bare::Bare;

mod bare;
mod leases;
#[path = "../../tests/postgres/rows.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod rows;
#[path = "../../tests/postgres/server.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod server;

/// The bytes of a record: those of a message of some sentences.
const RECORD: usize = 540;

/// How many pairs of measurements there are of each kind.
const PAIRS: usize = 60;

fn main() {
    let Some(server) = server::Server::start("the bench of shared stores") else {
        return;
    };
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let url = server.url();
        let ledger = Arc::new(rows::open(&url).await);
        let bare = Arc::new(Bare::connect(&server).await);
        for worlds in [1, 64] {
            pairs(&ledger, &bare, worlds).await;
        }
        leases::measure(&server).await;
    });
}

/// Measures appends of so many worlds, each with one commit in flight, beside statements of as many bare rows.
async fn pairs(ledger: &Arc<PostgresLedger>, bare: &Arc<Bare>, worlds: usize) {
    let holder = rows::node();
    let mut lanes = Vec::new();
    // As the store does: each of its two committers has the commits of its worlds in one call.
    for lane in 0..worlds.min(2) {
        let mut of_lane = Vec::new();
        for _ in 0..worlds.div_ceil(2).min(worlds - lane * worlds / 2) {
            of_lane.push((rows::begin(ledger.as_ref(), holder).await, 1_u64));
        }
        lanes.push(of_lane);
    }
    let steps = if worlds == 1 { 100 } else { 20 };
    let mut ratios = Vec::new();
    let mut all = [Duration::ZERO; 2];
    for pair in 0..PAIRS + 5 {
        let begun = Instant::now();
        let bares = lanes.iter().map(|lane| {
            let bare = Arc::clone(bare);
            let rows = lane.len();
            tokio::spawn(async move { bare.insert(steps, rows).await })
        });
        futures::future::join_all(bares).await;
        let bare_took = begun.elapsed();
        let begun = Instant::now();
        let appends = lanes.iter().map(|lane| {
            let ledger = Arc::clone(ledger);
            let lane = lane.clone();
            tokio::spawn(async move { append(&ledger, holder, lane, steps).await })
        });
        let moved = futures::future::join_all(appends).await;
        let took = begun.elapsed();
        lanes = moved.into_iter().map(Result::unwrap).collect();
        // The first ones warm up.
        if pair >= 5 {
            ratios.push(took.as_secs_f64() / bare_took.as_secs_f64());
            all[0] += bare_took;
            all[1] += took;
        }
    }
    ratios.sort_by(f64::total_cmp);
    let count = (PAIRS * steps * worlds) as f64;
    let [bare_rate, rate] = all.map(|took| count / took.as_secs_f64());
    let at = |place: usize| ratios[ratios.len() * place / 100];
    println!(
        "{worlds:3} worlds: {rate:8.0} commits/s, bare {bare_rate:8.0}; time of a bare row p10 {:.2}, p50 {:.2}, p90 {:.2}; rate {:.2} of bare (p50)",
        at(10),
        at(50),
        at(90),
        1.0 / at(50)
    );
}

async fn append(
    ledger: &PostgresLedger,
    holder: NodeId,
    mut worlds: Vec<(folkmoot_core::ids::WorldId, u64)>,
    steps: usize,
) -> Vec<(folkmoot_core::ids::WorldId, u64)> {
    let salt = "r".repeat(RECORD - 36);
    for _ in 0..steps {
        let chains: Vec<RowChain> = worlds
            .iter()
            .map(|(world, head)| rows::next(*world, head + 1, &salt))
            .collect();
        let landings = ledger.append(holder, &chains).await.unwrap();
        assert!(landings.iter().all(|one| *one == Landing::Appended));
        worlds.iter_mut().for_each(|(_, head)| *head += 1);
    }
    worlds
}
