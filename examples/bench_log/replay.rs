//! Reading a world back, beside bare decoding of the same bytes.

use std::time::{Duration, Instant};

use folkmoot::Store;
use folkmoot::core::event::{Event, EventRecord};
use folkmoot::core::ids::{Position, WorldId};
use folkmoot::core::port::EventLog as _;
use folkmoot::core::world::World;
use futures::TryStreamExt as _;

use crate::Fallible;

/// Reads, decodes and folds the whole world; gives the count of events and the time.
pub(crate) async fn fold(store: &Store, world: WorldId) -> Fallible<(u64, Duration)> {
    let (started, mut state) = (Instant::now(), World::default());
    let mut commits = store.read(world, Position::new(1)).await?;
    while let Some(stored) = commits.try_next().await? {
        state.apply(&stored.commit);
    }
    Ok((state.head().get(), started.elapsed()))
}

/// Reads and decodes the whole world.
pub(crate) async fn read(store: &Store, world: WorldId) -> Fallible<(u64, Duration)> {
    let (started, mut count) = (Instant::now(), 0);
    let mut commits = store.read(world, Position::new(1)).await?;
    while let Some(stored) = commits.try_next().await? {
        count += stored.commit.events.len() as u64;
    }
    Ok((count, started.elapsed()))
}

/// Decodes the facts and the content of the same events with serde_json, out of memory, into the same types: no store,
/// no commit headers, no links, no fold. Only the decoding is timed.
pub(crate) async fn bare(store: &Store, world: WorldId) -> Fallible<(u64, Duration)> {
    let (mut time, mut count) = (Duration::ZERO, 0);
    let mut commits = store.read(world, Position::new(1)).await?.try_chunks(4_096);
    while let Some(chunk) = commits.try_next().await? {
        let records = chunk
            .iter()
            .flat_map(|stored| &stored.commit.events)
            .map(Event::to_record);
        let records = records.collect::<Result<Vec<EventRecord>, _>>()?;
        count += records.len() as u64;
        let started = Instant::now();
        for record in records {
            std::hint::black_box(Event::from_record(record)?);
        }
        time += started.elapsed();
    }
    Ok((count, time))
}
