//! The state that the threads and the streams of one store share.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_core::port::{AppendError, BlobError, ReadError};

use crate::engine::{Engine, EngineError};
use crate::format::upcast::Upcasters;
use crate::home::keys::Keyring;
use crate::state::index::Index;
use crate::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The reason that nothing is appended after a clean end.
pub(crate) const CLOSED: &str = "it is closed";

/// The reason that nothing is appended to a store that is only read.
pub(crate) const READS_ONLY: &str = "it is open for reading only";

/// The phase of a store's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The store works.
    Open,
    /// The store was opened to be read.
    Reading,
    /// The store stopped after an error.
    Stopped(String),
    /// The store was closed.
    Closed,
}

/// The reason why a store takes nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WritesEnd {
    #[error("{READS_ONLY}")]
    ReadsOnly,
    #[error("{0}")]
    Stopped(String),
    #[error("{CLOSED}")]
    Closed,
}

impl From<WritesEnd> for AppendError {
    fn from(end: WritesEnd) -> Self {
        Self::Stopped(end.to_string())
    }
}

impl From<WritesEnd> for BlobError {
    fn from(end: WritesEnd) -> Self {
        Self::Stopped(end.to_string())
    }
}

/// The content that was missing or damaged among what was read so far through a handle that passes
/// over it. In the events it reads as gone. It holds no store open.
#[derive(Debug, Clone, Default)]
pub struct LostContent(Arc<Mutex<BTreeMap<(WorldId, Position), String>>>);

impl LostContent {
    /// A sentence for each, which names the world, the event and the file.
    #[must_use]
    pub fn to_lines(&self) -> Vec<String> {
        self.lines().values().cloned().collect()
    }

    /// Notes what is lost in an event of the world that is called `name`, if anybody knows that.
    pub(crate) fn note(
        &self,
        name: Option<&WorldName>,
        (world, at): (WorldId, Position),
        what: &str,
    ) {
        let name = name.map_or_else(|| world.to_string(), ToString::to_string);
        self.lines()
            .insert((world, at), format!("of the world {name}: {what}"));
    }

    /// The first of it with its sentence, and how many others there are.
    pub(crate) fn first(&self) -> Option<(Position, String, usize)> {
        let lines = self.lines();
        let ((_, at), line) = lines.first_key_value()?;
        Some((*at, line.clone(), lines.len().saturating_sub(1)))
    }

    fn lines(&self) -> MutexGuard<'_, BTreeMap<(WorldId, Position), String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state that the threads and the streams of one store share.
#[derive(Debug)]
pub(crate) struct Shared {
    engine: RwLock<Option<Arc<dyn Engine>>>,
    index: Mutex<Index>,
    phase: Mutex<Phase>,
    chores: Mutex<()>,
    batches: Mutex<()>,
    files: RwLock<()>,
    /// Held for writing while a unit of several frames is replaced.
    units: RwLock<()>,
    pub(crate) upcasters: Upcasters,
    pub(crate) keys: Keyring,
}

/// The engine, kept from closing while this lives.
pub(crate) struct Lease<'a>(RwLockReadGuard<'a, Option<Arc<dyn Engine>>>);

impl Lease<'_> {
    /// The engine, unless the store is closed.
    pub(crate) fn engine(&self) -> Result<&dyn Engine, EngineError> {
        self.0
            .as_deref()
            .ok_or_else(|| EngineError::Io(std::io::Error::other(CLOSED)))
    }
}

impl Shared {
    pub(crate) fn new(
        engine: Arc<dyn Engine>,
        index: Index,
        upcasters: Upcasters,
        keys: Keyring,
    ) -> Self {
        Self::in_phase(Phase::Open, engine, index, upcasters, keys)
    }

    /// Of a store that is only read.
    pub(crate) fn reading(
        engine: Arc<dyn Engine>,
        index: Index,
        upcasters: Upcasters,
        keys: Keyring,
    ) -> Self {
        Self::in_phase(Phase::Reading, engine, index, upcasters, keys)
    }

    fn in_phase(
        phase: Phase,
        engine: Arc<dyn Engine>,
        index: Index,
        upcasters: Upcasters,
        keys: Keyring,
    ) -> Self {
        Self {
            engine: RwLock::new(Some(engine)),
            index: Mutex::new(index),
            phase: Mutex::new(phase),
            chores: Mutex::new(()),
            batches: Mutex::new(()),
            files: RwLock::new(()),
            units: RwLock::new(()),
            upcasters,
            keys,
        }
    }

    /// Keeps units of several frames as they are while they are read. Nothing else is waited for
    /// meanwhile.
    pub(crate) fn steady(&self) -> RwLockReadGuard<'_, ()> {
        self.units.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps everybody from reading units of several frames.
    pub(crate) fn replacing(&self) -> RwLockWriteGuard<'_, ()> {
        self.units.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lease(&self) -> Lease<'_> {
        Lease(self.engine.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether a world's content is sealed.
    pub(crate) fn seals(&self, world: WorldId) -> bool {
        self.index()
            .worlds
            .get(&world)
            .is_some_and(|known| known.reach.is_sealed)
    }

    /// Held by whoever rearranges what is stored: one sweep, backup or deletion at a time. Whoever
    /// has a lease never waits for it: who has it takes leases, and the end of the store lets
    /// nobody have one while it waits for those that are out.
    pub(crate) fn chores(&self) -> MutexGuard<'_, ()> {
        self.chores.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, if nobody holds it.
    pub(crate) fn chores_now(&self) -> Option<MutexGuard<'_, ()>> {
        self.chores.try_lock().ok()
    }

    /// Held while a batch is admitted, written and taken into the index. Whoever holds chores never
    /// waits for it: the committer may wait for a sweep.
    pub(crate) fn batch(&self) -> MutexGuard<'_, ()> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, if nobody holds it.
    pub(crate) fn batch_now(&self) -> Option<MutexGuard<'_, ()>> {
        self.batches.try_lock().ok()
    }

    /// Held by whoever writes a file of a world that it found in the index.
    pub(crate) fn files(&self) -> RwLockReadGuard<'_, ()> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Held by whoever takes a world out of the index.
    pub(crate) fn no_files(&self) -> RwLockWriteGuard<'_, ()> {
        self.files.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if nothing may be written.
    pub(crate) fn check_writes(&self) -> Result<(), WritesEnd> {
        match self.phase() {
            Phase::Open => Ok(()),
            Phase::Reading => Err(WritesEnd::ReadsOnly),
            Phase::Stopped(why) => Err(WritesEnd::Stopped(why)),
            Phase::Closed => Err(WritesEnd::Closed),
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        self.phase
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Ends the store. The first reason stays. Whoever follows a world is woken.
    pub(crate) fn end(&self, end: Phase) {
        {
            let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(*phase, Phase::Open | Phase::Reading) {
                *phase = end;
            }
        }
        self.index().wake();
    }

    /// Lets the engine go, once nobody reads from it.
    pub(crate) fn release(&self) {
        let engine = self
            .engine
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(engine);
    }
}

/// Says what an engine's error means to a reader of the world's log behind `at`.
pub(crate) fn read_error(error: EngineError, at: Position) -> ReadError {
    match error {
        EngineError::Damaged(what) => ReadError::Damaged { at, what },
        EngineError::Full(source) | EngineError::Io(source) => ReadError::Io(source),
        EngineError::WrongHead { .. } | EngineError::Fenced { .. } => {
            ReadError::Io(std::io::Error::other(error))
        }
    }
}
