//! Deciding, folding, encoding, appending and replaying, each by itself, so that a change for the worse can be found.
//!
//! What these cost together, beside what the machine could do at best, is measured by the example `bench_log`.

use std::error::Error;
use std::time::{Duration, Instant};

use conversation::Conversation;
use criterion::{Criterion, Throughput, criterion_group};
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, EventRecord};
use folkmoot::core::ids::Position;
use folkmoot::core::port::EventLog as _;
use folkmoot::core::world::World;
use folkmoot::{OpenMode, Store};
use futures::TryStreamExt as _;
use tokio::runtime::Runtime;

#[path = "../bench_log/conversation.rs"]
mod conversation;
#[expect(
    dead_code,
    reason = "the tools and models of a running room are not needed here"
)]
#[path = "../bench_log/room.rs"]
mod room;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many commits the history has that is folded and read.
const COMMITS: usize = 2_000;

/// A conversation, and its commits so far.
fn history() -> Fallible<(Conversation, Vec<Commit>)> {
    let (mut talk, first) = Conversation::begin("bench")?;
    let mut commits = vec![first];
    for _ in 1..COMMITS {
        commits.push(talk.next()?);
    }
    Ok((talk, commits))
}

fn pure(criterion: &mut Criterion) -> Fallible<()> {
    let (mut talk, commits) = history()?;
    criterion.bench_function("decide and fold one commit", |bencher| {
        bencher.iter(|| talk.next().map(drop).is_ok())
    });
    let records = commits
        .iter()
        .flat_map(|commit| &commit.events)
        .map(Event::to_record);
    let records = records.collect::<Result<Vec<EventRecord>, _>>()?;
    let mut group = criterion.benchmark_group("a history");
    group.throughput(Throughput::Elements(u64::try_from(records.len())?));
    group.bench_function("fold", |bencher| bencher.iter(|| fold(&commits)));
    group.bench_function("encode", |bencher| {
        bencher.iter(|| {
            commits
                .iter()
                .flat_map(|commit| &commit.events)
                .filter(|one| one.to_record().is_ok())
                .count()
        });
    });
    group.bench_function("decode", |bencher| {
        let decode = |records: Vec<EventRecord>| {
            records
                .into_iter()
                .filter_map(|one| Event::from_record(one).ok())
                .count()
        };
        bencher.iter_batched(|| records.clone(), decode, criterion::BatchSize::LargeInput);
    });
    group.finish();
    Ok(())
}

fn fold(commits: &[Commit]) -> World {
    let mut world = World::default();
    commits.iter().for_each(|commit| world.apply(commit));
    world
}

fn stored(criterion: &mut Criterion) -> Fallible<()> {
    let (runtime, dir) = (Runtime::new()?, tempfile::tempdir()?);
    let store = Store::open(dir.path().join("store"), OpenMode::Create)?;
    let (mut talk, commits) = history()?;
    let (world, incarnation) = (talk.world.id().ok_or("no id")?, talk.world.incarnation());
    runtime.block_on(async {
        for commit in commits {
            store.append(incarnation, vec![commit]).await?;
        }
        Fallible::Ok(())
    })?;
    let events = talk.world.head().get();
    let mut group = criterion.benchmark_group("a stored history");
    group.throughput(Throughput::Elements(events));
    group.bench_function("read and fold", |bencher| {
        bencher.iter(|| runtime.block_on(replay(&store, world)).is_ok())
    });
    group.finish();
    let append = async |talk: &mut Conversation| -> Fallible<Duration> {
        let commit = talk.next()?;
        let started = Instant::now();
        store.append(incarnation, vec![commit]).await?;
        Ok(started.elapsed())
    };
    criterion.bench_function("append one commit, durably", |bencher| {
        bencher.iter_custom(|times| {
            let each = || runtime.block_on(append(&mut talk)).unwrap_or(Duration::MAX);
            std::iter::repeat_with(each)
                .take(usize::try_from(times).unwrap_or(usize::MAX))
                .sum()
        });
    });
    Ok(store.close()?)
}

async fn replay(store: &Store, id: folkmoot::core::ids::WorldId) -> Fallible<World> {
    let mut world = World::default();
    let mut commits = store.read(id, Position::new(1)).await?;
    while let Some(stored) = commits.try_next().await? {
        world.apply(&stored.commit);
    }
    Ok(world)
}

fn run(criterion: &mut Criterion) {
    let outcome = pure(criterion).and_then(|()| stored(criterion));
    assert!(
        outcome.is_ok(),
        "a part of the benchmark failed: {outcome:?}"
    );
}

criterion_group!(benches, run);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
}
