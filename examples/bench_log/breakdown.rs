//! Where the time of a round goes: one agent, whose work is serial, so that the times between marks are all there is.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{Incarnation, WorldName};
use folkmoot::core::model::response::{LLMResponse, ModelError};
use folkmoot::core::port::{
    AppendError, Appended, Drafts, EventLog, Model, ModelCall, Tool, ToolCall,
};
use folkmoot::core::tool::{ToolOutcome, ToolSpec};
use folkmoot::store::{
    Ack, Engine, EngineError, FrameLog, FrameNumber, OpenMode, Pair, Shelf, SledEngine, Table, Term,
};
use folkmoot::{Gatekeeper, Opening, Parts, Post, Proof, Runtime, Store};

use crate::args::Args;
use crate::room::{self, Meter};
use crate::stats::{grouped, rate};
use crate::{Fallible, bare, table};

/// A place that the work passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    AppendAsked,
    EngineBegun,
    EngineDone,
    AppendAnswered,
    Tool,
    Model,
}

/// The steps of a round, from place to place.
const STEPS: [(Place, Place, &str); 7] = [
    (
        Place::Model,
        Place::AppendAsked,
        "model's answer: decide, fold, admit, start",
    ),
    (
        Place::AppendAsked,
        Place::EngineBegun,
        "append: encode, hand over, make frames",
    ),
    (
        Place::EngineBegun,
        Place::EngineDone,
        "append: write and sync",
    ),
    (
        Place::EngineDone,
        Place::AppendAnswered,
        "append: take in, hand back",
    ),
    (
        Place::AppendAnswered,
        Place::Tool,
        "start is durable, until the tool runs",
    ),
    (
        Place::Tool,
        Place::AppendAsked,
        "tool's outcome: decide, fold, go on",
    ),
    (
        Place::AppendAnswered,
        Place::Model,
        "request, until the model is asked",
    ),
];

/// The times between places.
#[derive(Debug, Default)]
struct Times {
    last: Option<(Place, Instant)>,
    spent: BTreeMap<(Place, Place), (u64, Duration)>,
}

#[derive(Debug, Clone, Default)]
struct Marks(Arc<Mutex<Times>>);

impl Marks {
    fn pass(&self, place: Place) {
        let now = Instant::now();
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((from, begun)) = times.last.replace((place, now)) {
            let (count, spent) = times.spent.entry((from, place)).or_default();
            *count += 1;
            *spent += now - begun;
        }
    }

    fn take(&self) -> BTreeMap<(Place, Place), (u64, Duration)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).spent)
    }
}

/// Prints where a round's time goes, beside a bare synced append.
pub(crate) async fn measure(args: &Args, dir: &Path, out: &table::Table) -> Fallible<()> {
    let marks = Marks::default();
    let engine = Watched {
        engine: SledEngine::open(dir.join("breakdown"), OpenMode::Create)?,
        marks: marks.clone(),
    };
    let store = Store::with_engine(Arc::new(engine))?;
    let meter = Arc::new(Meter::default());
    let runtime = Runtime::builder(&store)
        .assembler(marked(room::parts(&meter)?, &marks))
        .build()
        .through(Arc::new(marks.clone()) as _);
    let world = runtime
        .open(Opening::with(WorldName::new("round")?, room::definition()?))
        .await?;
    let seat = world.as_principal(Proof::script(room::person()?));
    seat.publish_message(Post::text("Go on until told."))
        .await?;
    tokio::time::sleep(args.time / 4).await;
    let (before, started) = (meter.runs.load(Ordering::Relaxed), Instant::now());
    marks.take();
    tokio::time::sleep(args.time).await;
    let (spent, took) = (marks.take(), started.elapsed());
    let rounds = (meter.runs.load(Ordering::Relaxed) - before).max(1);
    meter.is_over.store(true, Ordering::Relaxed);
    world.quiet().await?;
    runtime.shutdown().await;
    store.close()?;
    let bare = bare::mean(&dir.join("bare-round"), &[b'x'; 400], args.time / 4)?;
    let sled = bare::sled(&dir.join("bare-sled"), &[b'x'; 400], args.time / 4)?;
    let count = u32::try_from(rounds)?;
    let sum: Duration = spent.values().map(|(_, time)| *time).sum();
    let micros = |time: Duration| format!("{:.1} us", time.as_secs_f64() * 1e6);
    for (from, to, what) in STEPS {
        let (times, time) = spent.get(&(from, to)).copied().unwrap_or_default();
        let share = time.as_secs_f64() / took.as_secs_f64() * 100.0;
        let often = rate(times, Duration::from_secs(rounds));
        let figure = format!("{} = {share:.0} %", micros(time / count));
        out.row(what, &figure, &format!("{often:.1} times a round"), "");
    }
    let share = sum.as_secs_f64() / took.as_secs_f64() * 100.0;
    let figure = format!("{} = {share:.1} %", micros(sum / count));
    let measured = format!("{} a second", grouped(rate(rounds, took)));
    out.row("a whole round, all of these", &figure, &measured, "95 %");
    let figure = format!("{:.2}", (took / count).as_secs_f64() / bare.as_secs_f64());
    let beside = format!("one takes {}", micros(bare));
    out.row(
        "a whole round in bare synced appends",
        &figure,
        &beside,
        "3",
    );
    let figure = format!("{:.2}", 2.0 * sled.as_secs_f64() / bare.as_secs_f64());
    let beside = format!("one takes {}", micros(sled));
    out.row("two appends through sled alone", &figure, &beside, "");
    Ok(())
}

/// The same parts, whose model and tool leave marks.
fn marked(parts: Parts, marks: &Marks) -> Parts {
    let models = parts.models.into_iter().map(|(name, model)| {
        let model = Marked(model, marks.clone());
        (name, Arc::new(model) as Arc<dyn Model>)
    });
    let tools = parts.tools.into_iter().map(|(name, tool)| {
        let tool = Marked(tool, marks.clone());
        (name, Arc::new(tool) as Arc<dyn Tool>)
    });
    Parts {
        models: models.collect(),
        tools: tools.collect(),
        ..Parts::default()
    }
}

#[derive(Debug)]
struct Marked<T>(T, Marks);

#[async_trait]
impl Model for Marked<Arc<dyn Model>> {
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        self.1.pass(Place::Model);
        self.0.call(call, drafts).await
    }
}

#[async_trait]
impl Tool for Marked<Arc<dyn Tool>> {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        self.1.pass(Place::Tool);
        self.0.run(call).await
    }
}

#[async_trait]
impl Gatekeeper for Marks {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        self.pass(Place::AppendAsked);
        let appended = log.append(incarnation, commits).await;
        self.pass(Place::AppendAnswered);
        appended
    }

    fn read(&self, _commits: usize) {}
}

/// An engine whose appends leave marks.
#[derive(Debug)]
struct Watched {
    engine: SledEngine,
    marks: Marks,
}

impl FrameLog for Watched {
    fn ack(&self) -> Ack {
        self.engine.ack()
    }

    fn take_over(&self) -> Result<Term, EngineError> {
        self.engine.take_over()
    }

    fn head(&self) -> Result<FrameNumber, EngineError> {
        self.engine.head()
    }

    fn append(
        &self,
        term: Term,
        expected: FrameNumber,
        frames: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        self.marks.pass(Place::EngineBegun);
        let appended = self.engine.append(term, expected, frames);
        self.marks.pass(Place::EngineDone);
        appended
    }

    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        self.engine.read(from, bytes_max)
    }

    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError> {
        self.engine.trim(up_to)
    }
}

impl Shelf for Watched {
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        self.engine.put(table, pairs)
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        self.engine.get(table, key)
    }

    fn range(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        self.engine.range(table, from, to, bytes_max)
    }

    fn keys(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        count_max: usize,
    ) -> Result<Vec<Vec<u8>>, EngineError> {
        self.engine.keys(table, from, to, count_max)
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        self.engine.floor(table, key)
    }

    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        self.engine.remove(table, keys)
    }
}

impl Engine for Watched {
    fn home(&self) -> Option<&Path> {
        self.engine.home()
    }

    fn compact(&self) -> Result<(), EngineError> {
        self.engine.compact()
    }
}
