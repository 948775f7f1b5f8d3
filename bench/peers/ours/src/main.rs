//! Folkmoot with its store on disk: one measurement, named on the command line.
//!
//! A room is a world, an agent is an agent with a model, and a durable step is a commit that is synced before its effect
//! begins. Only the interface of embedders is used.

use folkmoot::{OpenMode, Store};
use peers_common::{Args, EFFECTS, Fallible, ROUNDS, Texts};

use room::Script;

mod fanout;
mod growth;
mod rate;
mod replay;
mod room;
mod rooms;

/// The allocator of the `folkmoot` command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Fallible<()> {
    let args = Args::read()?;
    let script = Script::new(Texts::read(&args.texts)?, args.time);
    let store = Store::open(args.dir.join("store"), OpenMode::Create)?;
    let figure = match args.kind()? {
        ("effect", agents) => rate::measure(&store, &script.calling(1, EFFECTS), agents).await?,
        ("round", agents) => rate::measure(&store, &script.calling(ROUNDS, 1), agents).await?,
        ("growth", _) => growth::measure(&store, &script, &args).await?,
        ("replay", _) => replay::measure(&store, &script.calling(1, 1), &args).await?,
        ("fanout", _) => fanout::measure(&store, &script, args.agents).await?,
        ("start", _) => rooms::measure(&store, &script.calling(1, 1), 1).await?,
        ("memory", _) => rooms::measure(&store, &script.calling(1, 1), args.rooms).await?,
        _ => return Err(format!("{} is not measured", args.measure).into()),
    };
    figure.print();
    Ok(store.close()?)
}
