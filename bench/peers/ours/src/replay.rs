//! Reading a room back, beside bare decoding of its events.

use std::time::{Duration, Instant};

use folkmoot::core::event::{Event, EventRecord};
use folkmoot::core::ids::Position;
use folkmoot::port::EventLog as _;
use folkmoot::{Store, WorldName, fold_world};
use futures::TryStreamExt as _;
use peers_common::{Args, Fallible, Figure};

use crate::room::Script;

/// Lets one room have all its turns, and folds it from its log.
#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
pub(crate) async fn measure(store: &Store, script: &Script, args: &Args) -> Fallible<Figure> {
    let name = script.play(store, args.turns).await?;
    let (begun, mut events) = (Instant::now(), 0);
    while begun.elapsed() < args.time {
        let replayed = fold_world(store, &name, None).await?;
        events += replayed.head().get();
    }
    let rate = events as f64 / begun.elapsed().as_secs_f64();
    let beside = bare(store, &name, args.time / 4).await?;
    Ok(Figure::new(rate).with("beside", beside))
}

/// Decodes the facts and the content of the same events out of memory, into the same types: no store, no links, no fold.
/// Only the decoding is timed.
#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
async fn bare(store: &Store, name: &WorldName, time: Duration) -> Fallible<f64> {
    let id = fold_world(store, name, None).await?.id();
    let id = id.ok_or("the room has no id")?;
    let commits: Vec<_> = store
        .read(id, Position::new(1))
        .await?
        .try_collect()
        .await?;
    let events = commits.iter().flat_map(|stored| &stored.commit.events);
    let records = events
        .map(Event::to_record)
        .collect::<Result<Vec<EventRecord>, _>>()?;
    let (mut taken, mut count) = (Duration::ZERO, 0);
    while taken < time {
        let records = records.clone();
        count += records.len();
        let begun = Instant::now();
        for record in records {
            std::hint::black_box(Event::from_record(record)?);
        }
        taken += begun.elapsed();
    }
    Ok(count as f64 / taken.as_secs_f64())
}
