//! A long world: what it takes on disk, how fast it is read back and opened, and what its last event costs.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{Incarnation, WorldId, WorldName};
use folkmoot::core::port::{AppendError, Appended, EventLog as _};
use folkmoot::store::OpenMode;
use folkmoot::{Opening, Runtime, Store};

use crate::appends::{Sum, record_bytes};
use crate::args::Args;
use crate::conversation::Conversation;
use crate::latency::{self, Cost};
use crate::room::{self, Meter};
use crate::stats::{disk_bytes, grouped, median};
use crate::table::Table;
use crate::{Fallible, MANY, replay};

/// How many appends may be under way in one world. Each is still durable before it is answered.
const AHEAD: usize = 256;

/// How many commits are measured at either end of the world.
const STRETCH: usize = 1_000;

/// How often each reading is repeated.
const TIMES: usize = 3;

/// Everything about a long world, alone and among others.
pub(crate) async fn measure(args: &Args, dir: &Path, table: &mut Table) -> Fallible<()> {
    let dir_alone = dir.join("long");
    let world = write_alone(args, &dir_alone, table).await?;
    let started = Instant::now();
    let store = Store::open(&dir_alone, OpenMode::Existing)?;
    table.row(
        "opening its store after a clean close",
        &shown(started.elapsed()),
        "",
        "",
    );
    let alone = read_back(&store, world, table).await?;
    open(&store, &dir_alone, table).await?;
    store.close()?;
    among_others(args, &dir.join("shared"), alone, table).await
}

/// Writes the world, measuring its commits near the beginning and at the end.
async fn write_alone(args: &Args, dir: &Path, table: &mut Table) -> Fallible<WorldId> {
    let store = Store::open(dir, OpenMode::Create)?;
    let (mut talk, first) = Conversation::begin("long")?;
    let mut feed = Feed::new(&store);
    feed.push(first).await?;
    while talk.world.head().get() < 1_000 {
        feed.push(talk.next()?).await?;
    }
    feed.finish().await?;
    let early = latency::measure(&store, &mut talk, STRETCH).await?;
    let (from, mut raw) = (talk.world.head().get(), 0);
    while talk.world.head().get() < args.events {
        let commit = talk.next()?;
        raw += record_bytes(&commit)?.len();
        feed.push(commit).await?;
    }
    feed.finish().await?;
    let raw = float(raw as u64) / float(talk.world.head().get() - from);
    let late = latency::measure(&store, &mut talk, STRETCH).await?;
    store.close()?;
    let events = talk.world.head().get();
    let both = |of: fn(&Cost) -> Duration| {
        format!(
            "{} = {:.2} x",
            shown(of(&late)),
            ratio(of(&late), of(&early))
        )
    };
    let beside = |of: fn(&Cost) -> Duration| format!("at event 1,000: {}", shown(of(&early)));
    let count = grouped(float(events));
    let what = format!("durable append at event {count}, median");
    table.row(
        &what,
        &both(|cost| cost.append),
        &beside(|cost| cost.append),
        "equal",
    );
    let what = format!("deciding and folding a commit at event {count}, median");
    table.row(
        &what,
        &both(|cost| cost.fold),
        &beside(|cost| cost.fold),
        "equal",
    );
    let each = format!("{:.0} bytes", float(disk_bytes(dir)?) / float(events));
    let raw = format!("facts and content {raw:.0} bytes");
    table.row(
        "on disk per event, 1 world, after a clean close",
        &each,
        &raw,
        "",
    );
    talk.world.id().ok_or_else(|| "it has no id".into())
}

/// Replays the world beside bare decoding; gives the rate of reading alone.
async fn read_back(store: &Store, world: WorldId, table: &mut Table) -> Fallible<f64> {
    let (mut folds, mut reads, mut bare) = <(Sum, Sum, Sum)>::default();
    for _ in 0..TIMES {
        folds.add(replay::fold(store, world).await?);
        reads.add(replay::read(store, world).await?);
        bare.add(replay::bare(store, world).await?);
    }
    let beside = format!("bare serde_json {}", grouped(bare.rate()));
    let ratio = |sum: &Sum| format!("{} = {:.2}", grouped(sum.rate()), sum.rate() / bare.rate());
    table.row(
        "replayed events per second: read, decode, fold",
        &ratio(&folds),
        &beside,
        "0.6",
    );
    table.row(
        "events read and decoded per second, not folded",
        &ratio(&reads),
        &beside,
        "",
    );
    Ok(reads.rate())
}

/// Opens the world without its checkpoint and with it.
async fn open(store: &Store, dir: &Path, table: &mut Table) -> Fallible<()> {
    let checkpoints: PathBuf = dir.join("checkpoints");
    let runtime = Runtime::builder(store)
        .assembler(room::parts(&Arc::new(Meter::default()))?)
        .build();
    let name = WorldName::new("long")?;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        if checkpoints.exists() {
            std::fs::remove_dir_all(&checkpoints)?;
        }
        for times in [&mut without, &mut with] {
            let started = Instant::now();
            runtime.open(Opening::recorded(name.clone())).await?;
            times.push(started.elapsed());
            // Closing saves a checkpoint.
            runtime.close(&name).await;
        }
    }
    table.row(
        "opening the world without a checkpoint",
        &shown(median(without)),
        "",
        "",
    );
    table.row(
        "opening the world with a checkpoint",
        &shown(median(with)),
        "",
        "150 ms",
    );
    Ok(())
}

/// Writes the same world with as many commits of 63 others in between, and reads it out of them.
async fn among_others(args: &Args, dir: &Path, alone: f64, table: &mut Table) -> Fallible<()> {
    let store = Store::open(dir, OpenMode::Create)?;
    let mut feed = Feed::new(&store);
    let mut others = VecDeque::new();
    for number in 1..MANY {
        let (talk, first) = Conversation::begin(&format!("other-{number}"))?;
        feed.push(first).await?;
        others.push_back(talk);
    }
    let (mut talk, first) = Conversation::begin("long")?;
    feed.push(first).await?;
    while talk.world.head().get() < args.events {
        feed.push(talk.next()?).await?;
        others.rotate_left(1);
        if let Some(other) = others.front_mut() {
            feed.push(other.next()?).await?;
        }
    }
    feed.finish().await?;
    let world = talk.world.id().ok_or("it has no id")?;
    let mut reads = Sum::default();
    for _ in 0..TIMES {
        reads.add(replay::read(&store, world).await?);
    }
    let figure = format!("{} = {:.2}", grouped(reads.rate()), reads.rate() / alone);
    let what = format!("events of it read per second out of {MANY} interleaved worlds");
    table.row(&what, &figure, &format!("alone {}", grouped(alone)), "");
    let all = store.stats()?.events;
    store.close()?;
    let each = format!("{:.0} bytes", float(disk_bytes(dir)?) / float(all));
    table.row(
        &format!("on disk per event, {MANY} worlds, after a clean close"),
        &each,
        "",
        "",
    );
    Ok(())
}

type Pending = Pin<Box<dyn Future<Output = Result<Appended, AppendError>> + Send>>;

/// Appends without waiting for each answer, in order.
pub(crate) struct Feed {
    store: Store,
    under_way: VecDeque<Pending>,
}

impl Feed {
    pub(crate) fn new(store: &Store) -> Self {
        Self {
            store: store.clone(),
            under_way: VecDeque::new(),
        }
    }

    pub(crate) async fn push(&mut self, commit: Commit) -> Fallible<()> {
        if self.under_way.len() >= AHEAD {
            self.wait().await?;
        }
        let store = self.store.clone();
        let mut append: Pending =
            Box::pin(async move { store.append(Incarnation(1), vec![commit]).await });
        // The first poll puts it into its world's line.
        match futures::poll!(&mut append) {
            std::task::Poll::Ready(appended) => drop(appended?),
            std::task::Poll::Pending => self.under_way.push_back(append),
        }
        Ok(())
    }

    async fn wait(&mut self) -> Fallible<()> {
        if let Some(oldest) = self.under_way.pop_front() {
            oldest.await?;
        }
        Ok(())
    }

    pub(crate) async fn finish(&mut self) -> Fallible<()> {
        while !self.under_way.is_empty() {
            self.wait().await?;
        }
        Ok(())
    }
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64().max(1e-9)
}

#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
const fn float(count: u64) -> f64 {
    count as f64
}

pub(crate) fn shown(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 1_000.0 {
        format!("{micros:.1} us")
    } else if micros < 1_000_000.0 {
        format!("{:.1} ms", micros / 1e3)
    } else {
        format!("{:.2} s", micros / 1e6)
    }
}
