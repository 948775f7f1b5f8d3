//! Going back in a long world: the state at a position, without checkpoints and with them.

use std::path::Path;
use std::time::{Duration, Instant};

use folkmoot::core::ids::{Position, WorldName};
use folkmoot::core::port::Checkpoints as _;
use folkmoot::core::world::decider::{checkpoint_id, decider_id};
use folkmoot::{OpenMode, Store, fold_world, fold_world_from};

use crate::Fallible;
use crate::args::Args;
use crate::conversation::Conversation;
use crate::long::{Feed, shown};
use crate::stats::{disk_bytes, grouped, median};
use crate::table::Table;

/// How far apart the runtime saves checkpoints, in events.
const APART: u64 = 4_096;

/// At how many positions of the world it is measured.
const PLACES: u64 = 8;

/// Folds a world up to positions all over it.
pub(crate) async fn measure(args: &Args, dir: &Path, table: &mut Table) -> Fallible<()> {
    let dir = dir.join("travel");
    let store = Store::open(&dir, OpenMode::Create)?;
    let name = WorldName::new("travel")?;
    write(args, &store, &name).await?;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for place in 1..=PLACES {
        let at = Some(Position::new(
            (args.events * place / PLACES).saturating_sub(1).max(1),
        ));
        without.push(timed(async || Ok(fold_world(&store, &name, at).await?.head())).await?);
        with.push(
            timed(async || Ok(fold_world_from(&store, &store, &name, at).await?.head())).await?,
        );
    }
    let [last_without, last_with] =
        [&without, &with].map(|times| times.last().copied().unwrap_or_default());
    let events = grouped(u32::try_from(args.events).map(f64::from)?);
    let beside = |time: Duration| format!("without checkpoints {}", shown(time));
    let what = format!("state near event {events}");
    table.row(&what, &shown(last_with), &beside(last_without), "");
    let what = format!("state at {PLACES} places up to event {events}, median");
    table.row(&what, &shown(median(with)), &beside(median(without)), "");
    // A short world has none.
    let folder = dir.join("checkpoints");
    let kept = if folder.exists() {
        disk_bytes(&folder)?
    } else {
        0
    };
    table.row(
        "on disk for all checkpoints of the world",
        &format!("{} kB", kept / 1_000),
        "",
        "",
    );
    store.close()?;
    Ok(())
}

/// Writes the world, and a checkpoint wherever the runtime would.
async fn write(args: &Args, store: &Store, name: &WorldName) -> Fallible<()> {
    let (mut talk, first) = Conversation::begin(name.as_str())?;
    let mut feed = Feed::new(store);
    feed.push(first).await?;
    let mut saved = 0;
    while talk.world.head().get() < args.events {
        feed.push(talk.next()?).await?;
        let head = talk.world.head();
        if head.get() - saved >= APART {
            saved = head.get();
            feed.finish().await?;
            let id = talk.world.id().ok_or("it has no id")?;
            store
                .save(
                    id,
                    head,
                    checkpoint_id(decider_id()),
                    serde_json::to_vec(&talk.world)?,
                )
                .await?;
        }
    }
    feed.finish().await
}

async fn timed(fold: impl AsyncFnOnce() -> Fallible<Position>) -> Fallible<Duration> {
    let started = Instant::now();
    fold().await?;
    Ok(started.elapsed())
}
