//! The runtime: opens worlds, finds them, closes them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use folkmoot_core::ids::{AskId, WorldId, WorldName};
use folkmoot_core::port::{Blobs, Checkpoints, Custody, EventLog};
use folkmoot_core::world::{Activity, World};
use tokio::sync::{mpsc, watch};

use crate::bus::ActivityChannel;
use crate::error::OpenError;
use crate::gate::{GatedBlobs, GatedLog, Gatekeeper};
use crate::means::courier::Courier;
use crate::means::{Entered, Means};
use crate::opening::{Opening, Perform};
use crate::parts::Assemble;
use crate::seat::WorldHandle;
use crate::task::{ASKS_MAX, Door, Kept, Status, WorldTask, keep};

mod builder;
mod closed;
mod fork;
mod hold;
mod reach;

pub use builder::{IDLE_CLOSE, RuntimeBuilder};
pub use closed::Beforehand;
pub use fork::{Branched, Forking, LeftBehind};
pub use hold::HeldWorld;

/// A store's log with what is kept beside it.
pub trait Storage: EventLog + Checkpoints + Blobs + Custody {}

impl<S: EventLog + Checkpoints + Blobs + Custody> Storage for S {}

/// Opens worlds over one log. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Runtime {
    means: Arc<Means>,
    worlds: Arc<OpenWorlds>,
}

/// The worlds that are open, and the turns of those who open and close them.
#[derive(Debug, Default)]
struct OpenWorlds {
    open: Mutex<BTreeMap<WorldName, WorldHandle>>,
    /// Held by whoever opens or closes the world of that name. Those that nobody waits for go.
    turns: Mutex<BTreeMap<WorldName, Turn>>,
}

impl OpenWorlds {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<WorldName, WorldHandle>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Strikes out the world called `name`, unless it has been opened again.
    fn forget(&self, name: &WorldName) {
        let mut open = self.lock();
        if open.get(name).is_some_and(|handle| !handle.is_open()) {
            open.remove(name);
        }
    }
}

/// Lets one at a time open or close a world.
type Turn = Arc<tokio::sync::Mutex<()>>;

impl Runtime {
    /// A runtime over `storage`.
    #[must_use]
    pub fn builder<S: Storage + Clone + 'static>(storage: &S) -> RuntimeBuilder {
        RuntimeBuilder::over(storage)
    }

    /// This runtime with `keeper` at the gate of its log and its files. Both have the same open
    /// worlds; those that are opened through the new one write through the gate.
    #[must_use]
    pub fn through(&self, keeper: Arc<dyn Gatekeeper>) -> Self {
        let mut means = Means::clone(&self.means);
        means.log = Arc::new(GatedLog::new(means.log, Arc::clone(&keeper)));
        means.blobs = Arc::new(GatedBlobs::new(means.blobs, keeper));
        Self {
            means: Arc::new(means),
            worlds: Arc::clone(&self.worlds),
        }
    }

    /// The log, with all that is in it: whoever holds the store reads everything, and asks no seat.
    #[must_use]
    pub fn log(&self) -> &Arc<dyn EventLog> {
        &self.means.log
    }

    /// Returns what keeps the log itself: the tree over each world's commits.
    #[must_use]
    pub fn custody(&self) -> &Arc<dyn Custody> {
        &self.means.custody
    }

    /// The open world called `name`.
    #[must_use]
    pub fn world(&self, name: &WorldName) -> Option<WorldHandle> {
        self.open_worlds()
            .get(name)
            .filter(|handle| handle.is_open())
            .cloned()
    }

    /// Brings commands to other processes, if there can be any.
    pub(crate) fn courier(&self) -> Option<Courier> {
        self.means.courier.clone()
    }

    /// The id of the next request to another process.
    pub(crate) fn ask_id(&self) -> AskId {
        self.means.ask_id()
    }

    /// The number of worlds that are open, asleep or not.
    #[must_use]
    pub fn worlds_open(&self) -> usize {
        let worlds = self.open_worlds();
        worlds.values().filter(|handle| handle.is_open()).count()
    }

    /// Opens a world, or begins it, and does what is owed.
    ///
    /// # Errors
    /// [`OpenError`]; the world's log is untouched unless it says that it could not be written.
    pub async fn open(&self, opening: Opening) -> Result<WorldHandle, OpenError> {
        let turn = self.turn(&opening.name);
        let _alone = turn.lock().await;
        if self.world(&opening.name).is_some() {
            return Err(OpenError::AlreadyOpen(opening.name));
        }
        let means = self.means_with(opening.assembler.clone());
        let entered = means.open(&opening).await?;
        Ok(self.spawn(opening.name, opening.perform, &means, entered))
    }

    /// Opens a room with its own models, tools and agents, or begins it, and does what is owed. If the
    /// room was recorded with another definition, it is changed to this one, and the log says so.
    ///
    /// # Errors
    /// [`OpenError::Assemble`] names a tool or a model that the room says is the program's own, and
    /// that nobody bound; else as [`Runtime::open`].
    pub async fn open_room<'r, R: ?Sized>(&self, room: &'r R) -> Result<WorldHandle, OpenError>
    where
        Opening: From<&'r R>,
    {
        self.open(Opening::from(room)).await
    }

    /// The means of a world whose parts `assembler` makes; `None`: the runtime's.
    fn means_with(&self, assembler: Option<Arc<dyn Assemble>>) -> Arc<Means> {
        match assembler {
            None => Arc::clone(&self.means),
            Some(assembler) => Arc::new(Means {
                assembler,
                ..Means::clone(&self.means)
            }),
        }
    }

    /// Closes the world called `name` and waits until that is done. Nothing happens if it is not
    /// open.
    pub async fn close(&self, name: &WorldName) {
        self.close_for(name, false).await;
    }

    /// The same; `is_wanted`: another process takes it, and nobody else is to do so meanwhile.
    async fn close_for(&self, name: &WorldName, is_wanted: bool) {
        let turn = self.turn(name);
        let _alone = turn.lock().await;
        self.close_in_turn(name, is_wanted).await;
    }

    /// The same, by whoever has the turn.
    async fn close_in_turn(&self, name: &WorldName, is_wanted: bool) {
        let handle = self.open_worlds().remove(name);
        if let Some(handle) = handle {
            handle.close_for(is_wanted).await;
        }
    }

    /// Closes the world with this id, as [`Runtime::close`] does.
    pub async fn close_id(&self, world: WorldId) {
        let is_it = |handle: &&WorldHandle| handle.id == Some(world);
        let name = self
            .open_worlds()
            .values()
            .find(is_it)
            .map(|handle| handle.name.clone());
        if let Some(name) = name {
            self.close(&name).await;
        }
    }

    /// Closes every world, gives each back, and waits until that is done.
    pub async fn shutdown(&self) {
        let open = std::mem::take(&mut *self.open_worlds());
        for handle in open.into_values() {
            handle.close().await;
        }
    }

    fn turn(&self, name: &WorldName) -> Turn {
        let mut turns = self
            .worlds
            .turns
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        Arc::clone(turns.entry(name.clone()).or_default())
    }

    fn open_worlds(&self) -> MutexGuard<'_, BTreeMap<WorldName, WorldHandle>> {
        self.worlds.lock()
    }

    fn spawn(
        &self,
        name: WorldName,
        perform: Perform,
        means: &Arc<Means>,
        entered: Entered,
    ) -> WorldHandle {
        let (handle, door) = self.door(name, perform, means, &entered.world);
        let task = WorldTask::begin(Arc::clone(means), door, entered);
        self.keep(&handle, Kept::Awake(task, None));
        handle
    }

    /// Keeps a world until it is closed, and then forgets it. Nobody holds the task: it ends with its world.
    fn keep(&self, handle: &WorldHandle, kept: Kept) {
        let name = handle.name.clone();
        // A world does not keep its runtime: without one it closes.
        let worlds = Arc::downgrade(&self.worlds);
        tokio::spawn(async move {
            keep(kept).await;
            if let Some(worlds) = worlds.upgrade() {
                worlds.forget(&name);
            }
        });
    }

    /// A new door to a world, and the handle on it, by which it is found from now on.
    fn door(
        &self,
        name: WorldName,
        perform: Perform,
        means: &Arc<Means>,
        world: &World,
    ) -> (WorldHandle, Door) {
        let (asks, asked) = mpsc::channel(ASKS_MAX);
        let activity = ActivityChannel::default();
        // Not quiet before the task has looked at what is owed.
        let head = world.head();
        let (status, watched) = watch::channel(Status::Open {
            activity: Activity::Running,
            head,
        });
        let (access, may) = watch::channel(world.access());
        let own = asks.downgrade();
        let door = Door {
            name: name.clone(),
            perform,
            asks: asked,
            own,
            status,
            access,
            activity: activity.clone(),
        };
        let id = world.id();
        let log = Arc::clone(&means.log);
        let checkpoints = Arc::clone(&means.checkpoints);
        let blobs = Arc::clone(&means.blobs);
        let assembler = Arc::clone(&means.assembler);
        let handle = WorldHandle {
            name: name.clone(),
            id,
            log,
            checkpoints,
            blobs,
            asks,
            status: watched,
            access: may,
            activity,
            assembler,
        };
        self.open_worlds().insert(name, handle.clone());
        (handle, door)
    }
}
