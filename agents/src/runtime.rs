//! The runtime: opens worlds, finds them, closes them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use folkmoot_core::command::{Action, Command};
use folkmoot_core::event::ClockKind;
use folkmoot_core::ids::{NodeId, Position, Stamp, Time, WorldId, WorldName};
use folkmoot_core::port::{Appended, Blobs, Checkpoints, EventLog, ToolHost};
use folkmoot_core::projection::TranscriptPage;
use folkmoot_core::spec::Definition;
use folkmoot_core::world::{Activity, World};
use tokio::sync::{mpsc, watch};

use crate::bus::{ActivityChannel, Bus};
use crate::clock::SimulatedClock;
use crate::error::{FoldError, OpenError};
use crate::parts::{Assemble, Parts};
use crate::seat::WorldHandle;
use crate::task::{ASKS_MAX, Perform, Status, WorldClock, WorldTask};

pub(crate) mod fold;
pub(crate) mod seeds;
mod transcript;

pub use fold::fold_world;
use fold::load;
use seeds::Seeds;
pub use transcript::{TRANSCRIPT_PAGE_MAX, read_transcript};

/// A store's log with what is kept beside it.
pub trait Storage: EventLog + Checkpoints + Blobs {}

impl<S: EventLog + Checkpoints + Blobs> Storage for S {}

/// How a world is opened.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The world's name.
    pub name: WorldName,
    /// What to begin it with, or what it is to become. `None` takes it as it is recorded.
    pub definition: Option<Definition>,
    /// The folder that relative paths of the definition are relative to.
    pub base: Option<PathBuf>,
    /// The clock of a new world. One that exists keeps its own.
    pub clock: ClockKind,
    /// Whether owed work is done.
    pub perform: Perform,
}

impl Opening {
    /// Opens the world `name` as it is recorded.
    #[must_use]
    pub const fn recorded(name: WorldName) -> Self {
        Self { name, definition: None, base: None, clock: ClockKind::System, perform: Perform::AsItComes }
    }

    /// Opens the world `name`, or begins it, with `definition`.
    #[must_use]
    pub const fn with(name: WorldName, definition: Definition) -> Self {
        let definition = Some(definition);
        Self { name, definition, base: None, clock: ClockKind::System, perform: Perform::AsItComes }
    }
}

/// Opens worlds over one log. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    log: Arc<dyn EventLog>,
    checkpoints: Arc<dyn Checkpoints>,
    blobs: Arc<dyn Blobs>,
    assembler: Arc<dyn Assemble>,
    host: Option<Arc<dyn ToolHost>>,
    seeds: Arc<Seeds>,
    node: NodeId,
    open: Mutex<BTreeMap<WorldName, WorldHandle>>,
}

/// Puts a runtime together.
#[derive(Debug)]
pub struct RuntimeBuilder {
    log: Arc<dyn EventLog>,
    checkpoints: Arc<dyn Checkpoints>,
    blobs: Arc<dyn Blobs>,
    assembler: Arc<dyn Assemble>,
    host: Option<Arc<dyn ToolHost>>,
    seeds: Seeds,
}

impl RuntimeBuilder {
    /// Makes rooms' parts with `assembler`.
    #[must_use]
    pub fn assembler(mut self, assembler: impl Assemble + 'static) -> Self {
        self.assembler = Arc::new(assembler);
        self
    }

    /// Runs process tools under `host`. Without one, a room with such a tool is not opened.
    #[must_use]
    pub fn host(mut self, host: Arc<dyn ToolHost>) -> Self {
        self.host = Some(host);
        self
    }

    /// Takes seeds from `start` and the place in the log instead of the machine's randomness, so that the same inputs make
    /// the same log.
    #[must_use]
    pub fn counted_seeds(mut self, start: u64) -> Self {
        self.seeds = Seeds::counted(start);
        self
    }

    /// The runtime.
    #[must_use]
    pub fn build(self) -> Runtime {
        let Self { log, checkpoints, blobs, assembler, host, seeds } = self;
        let (node, seeds, open) = (seeds.node(), Arc::new(seeds), Mutex::default());
        Runtime { inner: Arc::new(Inner { log, checkpoints, blobs, assembler, host, seeds, node, open }) }
    }
}

impl Runtime {
    /// A runtime over `storage`.
    #[must_use]
    pub fn builder<S: Storage + Clone + 'static>(storage: &S) -> RuntimeBuilder {
        RuntimeBuilder {
            log: Arc::new(storage.clone()),
            checkpoints: Arc::new(storage.clone()),
            blobs: Arc::new(storage.clone()),
            assembler: Arc::new(Parts::default()),
            host: None,
            seeds: Seeds::random(),
        }
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Arc<dyn EventLog> {
        &self.inner.log
    }

    /// The open world called `name`.
    #[must_use]
    pub fn world(&self, name: &WorldName) -> Option<WorldHandle> {
        self.open_worlds().get(name).filter(|handle| handle.is_open()).cloned()
    }

    /// A page of what people saw of the world `name`; see [`read_transcript`].
    ///
    /// # Errors
    /// [`FoldError::NoSuchWorld`], or the log does not read.
    pub async fn transcript(
        &self,
        name: &WorldName,
        before: Option<Position>,
        limit: usize,
    ) -> Result<TranscriptPage, FoldError> {
        read_transcript(&*self.inner.log, name, before, limit).await
    }

    /// Opens a world, or begins it, and does what is owed.
    ///
    /// # Errors
    /// [`OpenError`]; the world's log is untouched unless it says that it could not be written.
    pub async fn open(&self, opening: Opening) -> Result<WorldHandle, OpenError> {
        if self.world(&opening.name).is_some() {
            return Err(OpenError::AlreadyOpen(opening.name));
        }
        let world = self.load(&opening).await?;
        let definition = opening.definition.clone().unwrap_or_else(|| recorded(&world));
        let base = opening.base.clone().or_else(|| world.base().map(PathBuf::from));
        let parts = self.parts(&opening, &definition, base.as_deref())?;
        let clock = clock_of(&world, opening.clock);
        let world = self.enter(world, &opening, &clock).await?;
        Ok(self.spawn(world, &opening, parts, &definition, clock))
    }

    /// Closes the world called `name` and waits until that is done. Nothing happens if it is not open.
    pub async fn close(&self, name: &WorldName) {
        let handle = self.open_worlds().remove(name);
        if let Some(handle) = handle {
            handle.close().await;
        }
    }

    /// Closes every world and waits until that is done.
    pub async fn shutdown(&self) {
        let open = std::mem::take(&mut *self.open_worlds());
        for handle in open.into_values() {
            handle.close().await;
        }
    }

    fn open_worlds(&self) -> MutexGuard<'_, BTreeMap<WorldName, WorldHandle>> {
        self.inner.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn load(&self, opening: &Opening) -> Result<World, OpenError> {
        let entry = self.inner.log.find(&opening.name).await?;
        match entry {
            Some(entry) => Ok(load(&*self.inner.log, &*self.inner.checkpoints, &entry).await?),
            None if opening.definition.is_some() => Ok(World::default()),
            None => Err(OpenError::NoSuchWorld(opening.name.clone())),
        }
    }

    fn parts(
        &self,
        opening: &Opening,
        definition: &Definition,
        base: Option<&std::path::Path>,
    ) -> Result<Parts, OpenError> {
        if opening.perform == Perform::Nothing {
            return Ok(Parts::default());
        }
        let parts = self.inner.assembler.assemble(definition, base)?;
        let is_used = |tool: &_| definition.spec.agents.iter().any(|agent| agent.tools.contains(tool));
        for (name, spec) in definition.spec.tools.iter().filter(|(name, _)| is_used(*name)) {
            if !parts.tools.contains_key(name) {
                return Err(OpenError::no_tool(name));
            }
            if spec.needs_host && self.inner.host.is_none() {
                return Err(OpenError::NoHost(name.clone()));
            }
        }
        for model in definition.spec.agents.iter().filter_map(|agent| agent.model.as_ref()) {
            if !parts.models.contains_key(model) {
                return Err(OpenError::no_model(model));
            }
        }
        Ok(parts)
    }

    /// Records the opening: a new incarnation, which fences every older one off.
    async fn enter(&self, mut world: World, opening: &Opening, clock: &WorldClock) -> Result<World, OpenError> {
        let seed = self.inner.seeds.at(Some(&opening.name), world.head());
        let stamp = world.stamp(clock.now(), seed);
        let command = Command::of_runtime(self.opening_action(&world, opening, &stamp));
        let decision = world.decide(&command, &stamp);
        decision.answer.clone().map_err(OpenError::Refused)?;
        let next = world.incarnation().next();
        if let Some(commit) = world.commit(&command, &stamp, &decision) {
            match self.inner.log.append(next, commit.clone()).await? {
                Appended::Committed { .. } | Appended::Repeated(_) => world.apply(&commit),
            }
        }
        Ok(world)
    }

    fn opening_action(&self, world: &World, opening: &Opening, stamp: &Stamp) -> Action {
        let node = self.inner.node;
        let base = opening.base.as_ref().map(|base| base.display().to_string());
        match &opening.definition {
            Some(definition) if world.head() == Position::ZERO => Action::Create {
                world: WorldId::from_stamp(stamp),
                name: opening.name.clone(),
                clock: opening.clock,
                base,
                definition: definition.clone(),
                node,
            },
            definition => {
                let is_new = |definition: &&Definition| definition.digest() != Some(world.spec_digest());
                let revise = definition.as_ref().filter(is_new).cloned();
                Action::Open { node, base: base.filter(|base| Some(base.as_str()) != world.base()), revise }
            }
        }
    }

    fn spawn(
        &self,
        world: World,
        opening: &Opening,
        parts: Parts,
        definition: &Definition,
        clock: WorldClock,
    ) -> WorldHandle {
        let inner = &self.inner;
        let (asks, asked) = mpsc::channel(ASKS_MAX);
        let activity = ActivityChannel::default();
        // Not quiet before the task has looked at what is owed.
        let (status, watched) = watch::channel(Status::Open { activity: Activity::Running, head: world.head() });
        let mut bus = Bus::new(activity.clone());
        if opening.perform != Perform::Nothing {
            bus.subscribe(parts.attendants(definition));
        }
        let doing = definition.spec.agents.iter().map(|agent| (agent.name.clone(), world.doing(&agent.name))).collect();
        let world_id = world.id();
        let task = WorldTask {
            checkpoint_at: world.head(),
            world,
            log: Arc::clone(&inner.log),
            checkpoints: Arc::clone(&inner.checkpoints),
            clock,
            seeds: Arc::clone(&inner.seeds),
            parts,
            assembler: Arc::clone(&inner.assembler),
            host: inner.host.clone(),
            perform: opening.perform,
            bus,
            asks: asked,
            own: asks.downgrade(),
            status,
            flight: crate::task::Flight::default(),
            crashes: false,
            doing,
        };
        let task = tokio::spawn(task.run());
        let log = Arc::clone(&inner.log);
        let handle = WorldHandle {
            name: opening.name.clone(),
            id: world_id,
            log,
            blobs: Arc::clone(&inner.blobs),
            asks,
            status: watched,
            activity,
            task: task.abort_handle(),
        };
        self.open_worlds().insert(opening.name.clone(), handle.clone());
        handle
    }
}

fn recorded(world: &World) -> Definition {
    Definition { spec: world.rules().spec().clone(), text: world.spec_text().clone() }
}

/// A simulated world's time is that of its last commit.
fn clock_of(world: &World, wanted: ClockKind) -> WorldClock {
    let kind = if world.head() == Position::ZERO { wanted } else { world.clock() };
    match kind {
        ClockKind::System => WorldClock::System,
        ClockKind::Simulated => WorldClock::Simulated(SimulatedClock::new(world.time().max(Time::SIMULATED_START))),
    }
}
