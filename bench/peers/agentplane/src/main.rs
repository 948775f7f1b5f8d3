//! agentplane with its store on redb, whose commits are synced: one measurement, named on the command line.
//!
//! A room is a run, an agent is a manifest of kind `tool-calling`, and a durable step is an effect, which is recorded before
//! it is performed and after. A run ends with its answer, so a room of many turns is as many runs.

use peers_common::{Args, EFFECTS, Fallible, Figure, ROUNDS, Texts, disk_bytes, resident_bytes};

use plane::{Plane, Shared};

mod burst;
mod fanout;
mod plane;
mod rate;
mod replay;
mod worker;

/// The allocator of Folkmoot's side.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Fallible<()> {
    let args = Args::read()?;
    Shared::set(Texts::read(&args.texts)?, args.time)?;
    let plane = |rounds, effects| Plane::open(&args.dir, rounds, effects);
    let figure = match args.kind()? {
        ("effect", agents) => rate::measure(plane(0, EFFECTS)?, burst::NAME, agents).await?,
        ("round", agents) => rate::measure(plane(ROUNDS, 0)?, worker::NAME, agents).await?,
        ("growth", _) => {
            rooms(plane(0, 0)?, args.turns).await?;
            Figure::new(disk_bytes(&args.dir)?)
        }
        ("replay", _) => replay::measure(plane(0, args.turns)?, args.time).await?,
        ("fanout", _) => fanout::measure(plane(0, 0)?, args.agents).await?,
        ("start", _) => rooms(plane(1, 0)?, 1).await?,
        ("memory", _) => rooms(plane(1, 0)?, args.rooms).await?,
        _ => return Err(format!("{} is not measured", args.measure).into()),
    };
    figure.print();
    Ok(())
}

/// Asks something in `count` runs, weighs the process, and closes the store.
async fn rooms(plane: Plane, count: usize) -> Fallible<Figure> {
    let before = resident_bytes()?;
    for _ in 0..count {
        plane.ask(worker::NAME).await?;
    }
    let resident = resident_bytes()?;
    Ok(Figure::new(resident).with("growth", resident - before))
}
