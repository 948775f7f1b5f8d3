//! Durable tool calls per second: a model that asks for one no-op call per answer, and every commit durable before the
//! next: answer, start, finish, go on.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use folkmoot::core::ids::WorldName;
use folkmoot::store::OpenMode;
use folkmoot::{Opening, Post, Proof, Runtime, Store, WorldHandle};

use crate::appends::Sum;
use crate::args::Args;
use crate::room::{self, Meter};
use crate::stats::grouped;
use crate::table::Table;
use crate::timed::Timed;
use crate::{Fallible, MANY, bare};

/// Calls, and the pairs of commits in them, of one number of agents.
#[derive(Default)]
struct Figures {
    loops: Sum,
    pairs: Sum,
}

/// Lets the bare file, one agent and many take turns.
pub(crate) async fn measure(args: &Args, dir: &Path, table: &mut Table) -> Fallible<()> {
    let store = Store::open(dir.join("calls"), OpenMode::Create)?;
    let (file, turn) = (dir.join("bare"), args.time / args.rounds);
    let (mut bare, mut device) = <(Sum, Sum)>::default();
    let (mut one, mut many) = <(Figures, Figures)>::default();
    for round in 0..args.rounds {
        bare.add(bare::one(&file, &[b'x'; 400], turn)?);
        device.add(bare::in_place(&file, &[b'x'; 400], turn)?);
        run(&store, &format!("one-{round}"), 1, turn, &mut one).await?;
        run(&store, &format!("many-{round}"), MANY, turn, &mut many).await?;
    }
    let (bare, pairs) = (bare.rate(), one.pairs.rate());
    let ratio = format!("{} = {:.2} pairs per sync", grouped(pairs), pairs / bare);
    table.row(
        "pairs start + finish per second, 1 agent",
        &ratio,
        &format!("bare file {}", grouped(bare)),
        "0.35",
    );
    let ratio = format!("{:.2} pairs per sync", pairs / device.rate());
    table.row(
        "the same beside syncs of a file that does not grow",
        &ratio,
        &grouped(device.rate()),
        "",
    );
    let loops = one.loops.rate();
    let ratio = format!("{} = {:.2} per sync", grouped(loops), loops / bare);
    table.row("tool calls per second, 1 agent, full loop", &ratio, "", "");
    let all = many.loops.rate();
    let what = format!("tool calls per second, {MANY} agents, full loop");
    table.row(
        &what,
        &format!("{} = {:.1} x", grouped(all), all / loops),
        &format!("1 agent {}", grouped(loops)),
        "10 x",
    );
    // Each agent has one pair under way at a time.
    let all = many.pairs.rate() * 64.0;
    let what = format!("pairs start + finish per second, {MANY} agents");
    table.row(
        &what,
        &format!("{} = {:.1} x", grouped(all), all / pairs),
        &format!("1 agent {}", grouped(pairs)),
        "",
    );
    Ok(store.close()?)
}

/// Has `agents` agents, each in a world of its own, call for `time`.
async fn run(
    store: &Store,
    name: &str,
    agents: u64,
    time: Duration,
    figures: &mut Figures,
) -> Fallible<()> {
    let timed = Arc::new(Timed::default());
    let meter = Arc::new(Meter::default());
    let runtime = Runtime::builder(store)
        .assembler(room::parts(&meter)?)
        .build()
        .through(Arc::clone(&timed) as _);
    let mut worlds = Vec::new();
    for number in 0..agents {
        worlds.push(begin(&runtime, WorldName::new(format!("{name}-{number}"))?).await?);
    }
    let ((_, _), before, started) = (
        timed.take(),
        meter.runs.load(Ordering::Relaxed),
        Instant::now(),
    );
    tokio::time::sleep(time).await;
    figures.loops.add((
        meter.runs.load(Ordering::Relaxed) - before,
        started.elapsed(),
    ));
    figures.pairs.add(timed.take());
    meter.is_over.store(true, Ordering::Relaxed);
    for world in worlds {
        world.quiet().await?;
    }
    runtime.shutdown().await;
    Ok(())
}

async fn begin(runtime: &Runtime, name: WorldName) -> Fallible<WorldHandle> {
    let world = runtime
        .open(Opening::with(name, room::definition()?))
        .await?;
    world
        .as_principal(Proof::script(room::person()?))
        .publish_message(Post::text("Go on until told."))
        .await?;
    Ok(world)
}
