//! Appends of a ledger in PostgreSQL beside bare `INSERT`s into a table of the same columns, in turns on one server; and what
//! the leases of 64 nodes cost it over many idle worlds.
//!
//! The machine is seldom quiet, so only the ratios count: each pair is measured within a fraction of a second.
//! `appends`, `asks` or `leases` behind `--` measures that alone.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench says what went wrong by panicking"
)]

use std::sync::Arc;
use std::time::Instant;

use folkmoot_core::ids::{Incarnation, NodeId, WorldId};
use folkmoot_core::port::EventLog as _;
use folkmoot_store::{Ack, Landing, PostgresLedger, RowChain, Rows as _, SharedStore};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use bare::Bare;

mod bare;
#[path = "../append/commits.rs"]
mod commits;
mod leases;
#[path = "../../tests/postgres/rows.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod rows;
#[path = "../../tests/postgres/server.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod server;

/// The bytes of a record: those of a message of some sentences.
const RECORD: usize = 540;

/// The microseconds by which a sync is made longer once: fast disks hide that of others, and statements alone are compared.
const SYNC: u32 = 3_500;

/// How many rounds are measured of each kind, and how many before them warm up.
const ROUNDS: usize = 60;
const WARM: usize = 5;

fn main() {
    // A commit waits as long as it is told to, also if nobody else has a transaction.
    let settings = "commit_siblings = 0\n";
    let Some(server) = server::Server::with("the bench of shared stores", settings, &[]) else {
        return;
    };
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let wanted = |what: &str| {
            let mut named = std::env::args()
                .skip(1)
                .filter(|arg| !arg.starts_with('-'))
                .peekable();
            named.peek().is_none() || named.any(|arg| arg == what)
        };
        if wanted("appends") {
            let ledger = Arc::new(rows::open(&server.url()).await);
            assert!(matches!(ledger.ack(), Ack::Server { .. }));
            let bare = Bare::connect(&server).await;
            for delay in [0, SYNC] {
                server.set(&format!("commit_delay = {delay}"));
                println!("with {delay} us more for each sync:");
                for worlds in [1, 64] {
                    rounds(&ledger, &bare, worlds, delay).await;
                }
            }
            server.set("commit_delay = 0");
        }
        if wanted("asks") {
            leases::approve(&server).await;
        }
        if wanted("leases") {
            leases::measure(&server).await;
        }
    });
}

/// Measures bare statements of so many rows, appends of as many chains, and commits of as many worlds at once, in turns.
async fn rounds(ledger: &Arc<PostgresLedger>, bare: &Bare, worlds: usize, delay: u32) {
    let holder = rows::node();
    let store = SharedStore::new(Arc::clone(ledger) as Arc<_>, holder);
    let mut chained = Vec::new();
    let mut logged = Vec::new();
    for number in 0..worlds {
        chained.push((rows::begin(ledger.as_ref(), holder).await, 1_u64));
        let name = u64::from(delay) * 1_000_000 + (worlds * 1_000 + number) as u64;
        let first = commits::creation(name).unwrap();
        logged.push((first.header.world, 3_u64));
        store.append(Incarnation(1), vec![first]).await.unwrap();
    }
    let steps = if worlds == 1 { 100 } else { 20 };
    let mut took: [Vec<f64>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    for round in 0..ROUNDS + WARM {
        let begun = Instant::now();
        bare.insert(steps, worlds).await;
        let plain = begun.elapsed();
        let begun = Instant::now();
        append(ledger, holder, &mut chained, steps).await;
        let appended = begun.elapsed();
        let begun = Instant::now();
        commit(&store, &mut logged, steps).await;
        let committed = begun.elapsed();
        if round >= WARM {
            let all = [plain, appended, committed];
            took.iter_mut()
                .zip(all)
                .for_each(|(took, one)| took.push(one.as_secs_f64()));
        }
    }
    tell(worlds, steps, &took);
}

fn tell(worlds: usize, steps: usize, took: &[Vec<f64>; 3]) {
    let count = (steps * worlds) as f64;
    println!("{worlds} at once:");
    for (name, times) in ["bare rows", "ledger", "event log"].iter().zip(took) {
        let mut ratios: Vec<f64> = times
            .iter()
            .zip(&took[0])
            .map(|(one, bare)| one / bare)
            .collect();
        ratios.sort_by(f64::total_cmp);
        let at = |place: usize| ratios[(ratios.len() - 1) * place / 100];
        let rate = count * times.len() as f64 / times.iter().sum::<f64>();
        println!(
            "  {name:9} {rate:8.0}/s; time by that of bare rows: p10 {:.2}, p50 {:.2}, p90 {:.2}; rate by theirs at p50 {:.2}",
            at(10),
            at(50),
            at(90),
            1.0 / at(50)
        );
    }
}

async fn append(
    ledger: &PostgresLedger,
    holder: NodeId,
    worlds: &mut [(WorldId, u64)],
    steps: usize,
) {
    let salt = "r".repeat(RECORD - 36);
    for _ in 0..steps {
        let next = |(world, head): &(WorldId, u64)| rows::next(*world, head + 1, &salt);
        let chains: Vec<RowChain> = worlds.iter().map(next).collect();
        let landings = ledger.append(holder, &chains).await.unwrap();
        assert!(landings.iter().all(|one| *one == Landing::Appended));
        worlds.iter_mut().for_each(|(_, head)| *head += 1);
    }
}

async fn commit(store: &SharedStore, worlds: &mut [(WorldId, u64)], steps: usize) {
    let mut tasks = JoinSet::new();
    for (world, next) in worlds.iter().copied() {
        let store = store.clone();
        tasks.spawn(async move {
            for first in next..next + steps as u64 {
                let post = commits::post(world, first).unwrap();
                store.append(Incarnation(1), vec![post]).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    worlds
        .iter_mut()
        .for_each(|(_, next)| *next += steps as u64);
}
