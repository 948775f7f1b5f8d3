//! The store that many nodes share: the event log, once, over any ledger.
//!
//! Each node has one. It keeps no index of all worlds: it asks the ledger, and remembers of the worlds that it appends to
//! how far they have come. Records, chain, lifts and the rules of admission are those of [`Store`](crate::Store).

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use folkmoot_core::ids::{NodeId, Position, WorldId, WorldName};
use folkmoot_core::port::{ReadError, WhoAmI};

use crate::engine::Ack;
use crate::format::upcast::Upcasters;
use crate::home::keys::Keyring;
use crate::ledger::{Ledger, LedgerEntry};
use crate::state::shared::{CLOSED, LostContent, Phase, READS_ONLY};

mod backup;
mod blobs;
mod checkpoints;
mod committer;
mod custody;
mod deletion;
mod erase;
mod event_log;
mod followers;
mod lineage;
mod pages;
mod reaches;
mod reader;
mod rows_engine;
mod settle;
mod snapshot;
mod stream;
mod take_in;
mod turns;
mod waiter;

use committer::Committer;
use followers::Followers;
use reaches::Reaches;

pub use take_in::{TakeInError, TakenIn};

/// A store of worlds that many nodes share, as one node has it. Cloning gives another handle on the same store; the last one
/// to be dropped closes it.
#[derive(Debug, Clone)]
pub struct SharedStore {
    inner: Arc<Inner>,
    /// Closes the store with the last handle. Streams have none.
    _open: Arc<Open>,
    /// The list in which lost content is noted that reads as gone. `None`: it is damage.
    lost: Option<LostContent>,
}

/// The parts of a shared store.
#[derive(Debug)]
struct Inner {
    ledger: Arc<dyn Ledger>,
    node: Arc<dyn WhoAmI>,
    upcasters: Upcasters,
    keys: Keyring,
    /// True if there is a place for keys, so that worlds can be sealed.
    seals: bool,
    reaches: Reaches,
    followers: Followers,
    committer: Committer,
    phase: Mutex<Phase>,
}

/// The wish that a store is open.
#[derive(Debug)]
struct Open(Arc<Inner>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.end(Phase::Closed);
    }
}

impl SharedStore {
    /// The store of the node `node` over `ledger`. It appends as what the node is at that time. It has no place for keys, so that a world whose content is to be sealed is
    /// refused, and content that was sealed reads as erased.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>, node: impl WhoAmI + 'static) -> Self {
        Self::of(ledger, Arc::new(node), None)
    }

    /// The same with the keys of sealed worlds in the folder `keys` of the folder `home`, which all nodes have to share. No
    /// ledger ever has them: what is sealed with a key that was destroyed is gone from journals and backups, too.
    #[must_use]
    pub fn with_keys(ledger: Arc<dyn Ledger>, node: impl WhoAmI + 'static, home: &Path) -> Self {
        Self::of(ledger, Arc::new(node), Some(home))
    }

    /// The store over `ledger` of somebody who is no node: nothing can be appended.
    #[must_use]
    pub fn reading(ledger: Arc<dyn Ledger>) -> Self {
        let nobody = NodeId(uuid::Uuid::nil());
        let store = Self::of(ledger, Arc::new(nobody), None);
        store.inner.end(Phase::Reading);
        store
    }

    fn of(ledger: Arc<dyn Ledger>, node: Arc<dyn WhoAmI>, home: Option<&Path>) -> Self {
        let inner = Arc::new(Inner {
            ledger,
            node,
            upcasters: Upcasters::default(),
            keys: Keyring::new(home),
            seals: home.is_some(),
            reaches: Reaches::default(),
            followers: Followers::default(),
            committer: Committer::default(),
            phase: Mutex::new(Phase::Open),
        });
        Self {
            _open: Arc::new(Open(Arc::clone(&inner))),
            inner,
            lost: None,
        }
    }

    /// Another handle on the same store, for who only reads or erases: content that is missing or damaged reads as gone
    /// through it, is noted in [`SharedStore::lost_content`], and no folds are saved.
    #[must_use]
    pub fn passing_over_loss(&self) -> Self {
        Self {
            lost: Some(LostContent::default()),
            ..self.clone()
        }
    }

    /// The content that is found to be lost while this handle reads; always empty if it does not pass over it.
    #[must_use]
    pub fn lost_content(&self) -> LostContent {
        self.lost.clone().unwrap_or_default()
    }

    /// The node that it is the store of.
    #[must_use]
    pub fn node(&self) -> NodeId {
        self.inner.node.node_id()
    }

    /// Tells whether the node may act now: one that is cut off from the others may not.
    #[must_use]
    pub fn acts(&self) -> bool {
        self.inner.node.acts()
    }

    /// Returns what it means that an append returned.
    #[must_use]
    pub fn ack(&self) -> Ack {
        self.inner.ledger.ack()
    }

    /// Closes the store. What is under way is not settled any longer, and streams end.
    pub fn close(&self) {
        self.inner.end(Phase::Closed);
    }

    /// The name of a world; `None` if there is no such world.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn name_of(&self, world: WorldId) -> Result<Option<WorldName>, ReadError> {
        self.check_open()?;
        match self.inner.entry(world).await {
            Ok(entry) => Ok(Some(entry.name)),
            Err(ReadError::NoSuchWorld(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Looks once whether worlds have come further that somebody follows. With a
    /// runtime of tokio's that is done every 200 ms; without one whoever drives the store does it.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn look_for_news(&self) -> Result<(), ReadError> {
        self.inner.look_for_news().await
    }

    fn check_open(&self) -> Result<(), ReadError> {
        match self.inner.phase() {
            Phase::Open | Phase::Reading | Phase::Stopped(_) => Ok(()),
            Phase::Closed => Err(ReadError::Stopped(CLOSED.to_owned())),
        }
    }
}

impl Inner {
    fn phase(&self) -> Phase {
        self.phase
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Ends the store. The first reason stays until it is closed. Whoever follows a world is woken.
    fn end(&self, end: Phase) {
        let why = match &end {
            Phase::Stopped(why) => why.clone(),
            Phase::Reading => READS_ONLY.to_owned(),
            Phase::Open | Phase::Closed => CLOSED.to_owned(),
        };
        {
            let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
            if *phase == Phase::Open || end == Phase::Closed {
                *phase = end;
            }
        }
        self.committer.stop(&why);
        self.followers.wake();
    }

    /// The reason why nothing may be written, if there is one.
    fn ended(&self) -> Option<String> {
        match self.phase() {
            Phase::Open => None,
            Phase::Reading => Some(READS_ONLY.to_owned()),
            Phase::Stopped(why) => Some(why),
            Phase::Closed => Some(CLOSED.to_owned()),
        }
    }

    /// The entry of a world that has to be there.
    async fn entry(&self, world: WorldId) -> Result<LedgerEntry, ReadError> {
        let found = self.read(|| self.ledger.entry(world)).await;
        let found = found.map_err(|error| settle::read_error(error, Position::ZERO))?;
        found.ok_or(ReadError::NoSuchWorld(world))
    }

    /// Fails where the keys of a world cannot be destroyed, because they are in a folder that this store does not have.
    fn check_keys(&self, entry: &LedgerEntry) -> io::Result<()> {
        if self.seals || !entry.is_sealed {
            return Ok(());
        }
        let why = format!(
            "the content of the world {} is sealed, and this store has no place for keys, so that its keys would stay; open it \
             with the folder that all nodes share",
            entry.name
        );
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }
}
