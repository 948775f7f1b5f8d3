//! The store of one process: the event log, once, over any engine.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use folkmoot_core::ids::{CopyId, WorldName};
use folkmoot_core::port::AppendError;

use crate::engine::{Engine, EngineError};
use crate::engines::{EngineKind, MemoryEngine};
use crate::format::upcast::Upcasters;
use crate::home::blobs::Vault;
use crate::home::checkpoints::Shelter;
use crate::home::head_record::HeadRecord;
use crate::home::keys::Keyring;
use crate::home::opening::{OpenError, OpenMode};
use crate::home::{self, Home};
use crate::local::simulation::Driver;
use crate::read::runs;
use crate::state::index::Index;
use crate::state::shared::{CLOSED, LostContent, Phase, Shared};
use crate::state::stats::Stats;
use crate::sync::{Builder, JoinHandle, Mutex, Receiver, sync_channel};
use crate::write::committer::{Committer, SweepDue};
use crate::write::leader::Leader;
use crate::write::queue::{AppendRequest, Queue};
use crate::write::{committer, deletion, recover};

mod event_log;
mod life;
mod look;
mod ports;
pub(crate) mod simulation;
#[cfg(test)]
pub(crate) mod tests;

/// A store of worlds that one process has alone. Cloning gives another handle on the same store; the
/// last one to be dropped closes it.
#[derive(Debug, Clone)]
pub(crate) struct LocalStore {
    pub(crate) inner: Arc<Inner>,
    /// The list in which lost content is noted that reads as gone. `None`: it is damage.
    lost: Option<LostContent>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) shared: Arc<Shared>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) shelter: Shelter,
    pub(crate) vault: Vault,
    pub(crate) home: Option<PathBuf>,
    /// The copy of another store that it is; `None` if it is none.
    copy: Option<CopyId>,
    threads: Mutex<Option<Threads>>,
    /// Whoever appends. There is none in a simulation, whose driver appends, and in a store that is only read.
    pub(crate) leader: OnceLock<Arc<Leader>>,
    /// The survey of a store that is only read.
    looked: Option<look::Looked>,
}

#[derive(Debug)]
struct Threads {
    committer: JoinHandle<Option<HeadRecord>>,
    sweeper: JoinHandle<()>,
}

impl LocalStore {
    /// Opens the store in the directory `dir`.
    pub(crate) fn open(dir: impl Into<PathBuf>, mode: OpenMode) -> Result<Self, OpenError> {
        Self::open_with(dir, mode, EngineKind::default())
    }

    /// The same, to go on with the world called `world`. If content of it is missing or damaged,
    /// the store is not opened, and nothing of it has changed. The log of that world is read for
    /// it, once, and its content.
    pub(crate) fn open_for(
        dir: impl Into<PathBuf>,
        mode: OpenMode,
        world: &WorldName,
    ) -> Result<Self, OpenError> {
        Self::open_in(
            &Home::open(dir.into(), mode)?,
            EngineKind::default(),
            Some(world),
        )
    }

    /// The same, to take content or worlds out of an existing store. Content that is missing or
    /// damaged reads as gone there, and no folds are saved.
    pub(crate) fn open_to_erase(dir: impl Into<PathBuf>) -> Result<Self, OpenError> {
        Ok(Self::open(dir, OpenMode::Existing)?.passing_over_loss())
    }

    /// Another handle on the same store, for who only reads or erases: content that is missing or
    /// damaged reads as gone through it, is noted in [`LocalStore::lost_content`], and no folds are
    /// saved.
    #[must_use]
    pub(crate) fn passing_over_loss(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            lost: Some(LostContent::default()),
        }
    }

    /// The content that is found to be lost while this handle reads; always empty if it does not
    /// pass over it.
    #[must_use]
    pub(crate) fn lost_content(&self) -> LostContent {
        self.lost.clone().unwrap_or_default()
    }

    /// Opens the store in the directory `dir`. If it has none yet, it gets an engine of this kind;
    /// else it keeps its own.
    pub(crate) fn open_with(
        dir: impl Into<PathBuf>,
        mode: OpenMode,
        kind: EngineKind,
    ) -> Result<Self, OpenError> {
        Self::open_in(&Home::open(dir.into(), mode)?, kind, None)
    }

    fn open_in(
        home: &Home,
        kind: EngineKind,
        world: Option<&WorldName>,
    ) -> Result<Self, OpenError> {
        let path = home.path().to_owned();
        let failed = |error| home::open_error(&path, error);
        // Recovery in memory first: an opening that finds damage has written nothing
        // (decision 0024).
        Self::check(home, world)?;
        let engine = kind.open_checked(home.clone()).map_err(failed)?;
        home.sign()?;
        Self::with_engine(engine)
    }

    /// Makes an empty store in memory. If the system refuses it threads, it is one that is stopped.
    #[must_use]
    pub(crate) fn memory() -> Self {
        Self::with_engine(Arc::new(MemoryEngine::new()))
            .unwrap_or_else(|error| Self::stopped(&error))
    }

    fn stopped(why: &OpenError) -> Self {
        let engine = Arc::new(MemoryEngine::new());
        let keys = Keyring::new(None);
        let shared = Arc::new(Shared::new(
            engine,
            Index::default(),
            Upcasters::default(),
            keys,
        ));
        let queue = Arc::new(Queue::default());
        shared.end(Phase::Stopped(why.to_string()));
        queue.stop(&why.to_string());
        let shelter = Shelter::new(None);
        let vault = Vault::new(None);
        Self {
            inner: Arc::new(Inner {
                shared,
                queue,
                shelter,
                vault,
                home: None,
                copy: None,
                threads: Mutex::new(None),
                leader: OnceLock::new(),
                looked: None,
            }),
            lost: None,
        }
    }

    /// Opens the store that an engine keeps.
    pub(crate) fn with_engine(engine: Arc<dyn Engine>) -> Result<Self, OpenError> {
        Self::with_schemas(engine, Upcasters::default())
    }

    /// Opens the store that an engine keeps, as a build would whose event schema has moved on.
    #[cfg(feature = "testing")]
    pub(crate) fn with_next_schema(
        engine: Arc<dyn Engine>,
        next: crate::NextSchema,
    ) -> Result<Self, OpenError> {
        Self::with_schemas(engine, Upcasters::moved_on(next))
    }

    /// Leaves all further appends to the store's own thread, so that those that are asked for at once share a barrier.
    #[cfg(feature = "testing")]
    pub(crate) fn gather_appends(&self) {
        if let Some(leader) = self.inner.leader.get() {
            leader.rest();
        }
    }

    /// Opens the store that an engine keeps, for a simulation: the [`Driver`] does what its threads
    /// would do, when it is told to, and as long as it lives, nothing that is asked of a store on
    /// this thread is done on another. Salts come from `seed` and not from the system: such a store
    /// protects nobody's content.
    pub(crate) fn simulated(
        engine: Arc<dyn Engine>,
        seed: u64,
    ) -> Result<(Self, Driver), OpenError> {
        let driver = Driver::begin(seed);
        let path = engine
            .home()
            .map_or_else(|| PathBuf::from("in memory"), std::path::Path::to_owned);
        let (store, committer, due) =
            Self::start(engine, Upcasters::default()).map_err(|failure| failure.at(path))?;
        Ok((store.clone(), driver.over(store, committer, due)))
    }

    fn with_schemas(engine: Arc<dyn Engine>, upcasters: Upcasters) -> Result<Self, OpenError> {
        let path = engine
            .home()
            .map_or_else(|| PathBuf::from("in memory"), std::path::Path::to_owned);
        let spawned = Self::start(engine, upcasters).and_then(|(store, committer, due)| {
            let (shared, queue) = (Arc::clone(&committer.shared), Arc::clone(&committer.queue));
            let leader = Arc::new(Leader::new(committer));
            let threads =
                spawn(shared, queue, Arc::clone(&leader), due).map_err(EngineError::Io)?;
            let inner = &store.inner;
            *inner.threads.lock().unwrap_or_else(PoisonError::into_inner) = Some(threads);
            // Nobody has set it: the store is new.
            inner.leader.set(leader).ok();
            Ok(store)
        });
        spawned.map_err(|failure| failure.at(path))
    }

    /// Recovers what the engine keeps. Nothing is appended until somebody runs the committer.
    fn start(
        engine: Arc<dyn Engine>,
        upcasters: Upcasters,
    ) -> Result<(Self, Committer, Receiver<SweepDue>), Failure> {
        let home = engine.home().map(std::path::Path::to_owned);
        let head_record = home
            .as_deref()
            .map(HeadRecord::open)
            .transpose()
            .map_err(EngineError::Io)?;
        let mut index = recover::recover(engine.as_ref(), &upcasters)?;
        let (head_record, recorded) = head_record.unzip();
        recover::check_head(&index, recorded.flatten()).map_err(|recorded| Failure::Cut {
            found: index.head.0,
            recorded: recorded.0,
        })?;
        deletion::take_out(engine.as_ref(), &mut index)?;
        let term = engine.take_over()?;
        let shared = Arc::new(Shared::new(
            engine,
            index,
            upcasters,
            Keyring::new(home.as_deref()),
        ));
        let queue = Arc::new(Queue::default());
        let (sweeps, due) = sync_channel(1);
        let committer = Committer {
            shared: Arc::clone(&shared),
            queue: Arc::clone(&queue),
            term,
            head_record,
            sweeps,
            synced_at: Instant::now(),
            later: Vec::new(),
            leads: true,
            barrier_took: Duration::ZERO,
            was_alone: true,
            awaits_sweep: false,
        };
        let shelter = Shelter::new(home.as_deref());
        let vault = Vault::new(home.as_deref());
        let copy = home.as_deref().map(home::copy::read).transpose()?.flatten();
        let inner = Inner {
            shared,
            queue,
            shelter,
            vault,
            home,
            copy,
            threads: Mutex::default(),
            leader: OnceLock::new(),
            looked: None,
        };
        inner.finish_deletions()?;
        inner.remove_leftovers()?;
        Ok((
            Self {
                inner: Arc::new(inner),
                lost: None,
            },
            committer,
            due,
        ))
    }

    /// Waits for all appends under way, brings the log in order and lets the engine go. Appends and
    /// reads fail from then on; streams end. A second call does nothing.
    pub(crate) fn close(&self) -> Result<(), AppendError> {
        self.inner.close()
    }

    /// Facts about the store, for people who look after it.
    pub(crate) fn stats(&self) -> Result<Stats, std::io::Error> {
        Stats::of(&self.inner.shared, self.inner.home.as_deref())
    }
}

/// The reason that a store does not start.
enum Failure {
    Engine(EngineError),
    Cut { found: u64, recorded: u64 },
}

impl Failure {
    /// Returns what it means to whoever opens the store at `path`.
    fn at(self, path: PathBuf) -> OpenError {
        match self {
            Self::Engine(error) => home::open_error(&path, error),
            Self::Cut { found, recorded } => OpenError::CutTail {
                path,
                found,
                recorded,
            },
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

fn spawn(
    shared: Arc<Shared>,
    queue: Arc<Queue>,
    leader: Arc<Leader>,
    due: Receiver<SweepDue>,
) -> std::io::Result<Threads> {
    let thread = |name: &str| Builder::new().name(name.to_owned());
    let sweeper = thread("folkmoot-runs").spawn(move || sweep_when_due(&shared, &queue, &due))?;
    let committer = thread("folkmoot-log").spawn(move || leader.run())?;
    Ok(Threads { committer, sweeper })
}

/// Sweeps when the committer finds it due, until the committer ends. An error of it ends the store.
fn sweep_when_due(shared: &Shared, queue: &Queue, due: &Receiver<SweepDue>) {
    while let Ok(SweepDue) = due.recv() {
        sweep(shared, queue);
    }
}

/// Sweeps, if the store works. An error of it ends the store.
pub(crate) fn sweep(shared: &Shared, queue: &Queue) {
    if shared.phase() != Phase::Open {
        return;
    }
    if let Err(error) = runs::sweep(shared) {
        let why = format!("copying into runs failed: {error}");
        tracing::error!(why, "the store stops");
        shared.end(Phase::Stopped(why.clone()));
        queue.stop(&why);
    }
}

impl Inner {
    /// Takes an append, and makes it at once if that is free and quick.
    fn put(&self, request: AppendRequest) -> Result<(), AppendError> {
        match self.leader.get() {
            Some(leader) => leader.append(request),
            None => self.queue.put(request),
        }
    }

    fn close(&self) -> Result<(), AppendError> {
        if self.looked.is_some() {
            self.shared.end(Phase::Closed);
            self.shared.release();
        }
        let Some(threads) = self
            .threads
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        else {
            return Ok(());
        };
        self.queue.close(CLOSED);
        let head_record = threads.committer.join();
        let swept = threads.sweeper.join();
        let result = match (head_record, swept) {
            (Ok(record), Ok(())) => self.finish(record),
            (Err(_), _) | (_, Err(_)) => Err(EngineError::Io(std::io::Error::other(
                "a thread of the store panicked",
            ))),
        };
        self.shared.end(Phase::Closed);
        self.shared.release();
        result.map_err(|error| committer::append_error(&error))
    }

    /// Brings the log in order once nothing is appended any more. What is stopped is left as it is.
    pub(crate) fn finish(&self, record: Option<HeadRecord>) -> Result<(), EngineError> {
        match self.shared.phase() {
            Phase::Open => self.tidy(record),
            Phase::Reading | Phase::Stopped(_) | Phase::Closed => Ok(()),
        }
    }

    /// Leaves nothing outside of runs, so that the next open has nothing to verify.
    fn tidy(&self, record: Option<HeadRecord>) -> Result<(), EngineError> {
        runs::sweep(&self.shared)?;
        let head = committer::head(&self.shared.index());
        match (record, head) {
            (Some(mut record), Some(head)) => record
                .write(head)
                .and_then(|()| record.sync())
                .map_err(EngineError::Io),
            (Some(_) | None, Some(_) | None) => Ok(()),
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(%error, "the store was not closed cleanly");
        }
    }
}
