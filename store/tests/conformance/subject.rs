//! Stores under test, and what can happen to the process that has one open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_store::{Engine, FilesEngine, MemoryEngine, OpenError, OpenMode, SledEngine, Store};

use crate::fixture::copy_folder;
pub(crate) use bare::Bare;
use life::{Life, Mortal};
use nodes::Nodes;

mod bare;
mod life;
mod nodes;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;

/// The engines under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Frames in memory; what lies beside them in a directory, so that it outlives the process.
    Memory,
    /// Everything in a directory, in a database.
    Sled,
    /// Everything in a directory, in plain files.
    Files,
    /// In a ledger in memory, which one node after another has.
    Shared,
    /// The same behind a bad network.
    Uncertain,
    /// In a ledger in PostgreSQL.
    #[cfg(feature = "postgres")]
    Postgres,
}

impl Kind {
    /// True if nodes share it.
    pub(crate) const fn is_shared(self) -> bool {
        !matches!(self, Self::Memory | Self::Sled | Self::Files)
    }
}

/// Opens the engine that keeps everything in `dir`.
fn open(kind: Kind, dir: &Path, memory: &Arc<MemoryEngine>) -> Result<Arc<dyn Engine>, OpenError> {
    match kind {
        Kind::Memory => Ok(Arc::clone(memory) as Arc<dyn Engine>),
        Kind::Sled => Ok(Arc::new(SledEngine::open(dir, OpenMode::Create)?)),
        Kind::Files => Ok(Arc::new(FilesEngine::open(dir, OpenMode::Create)?)),
        Kind::Shared | Kind::Uncertain => panic!("a ledger is no engine"),
        #[cfg(feature = "postgres")]
        Kind::Postgres => panic!("a ledger is no engine"),
    }
}

/// A store that can be closed, killed and opened again.
#[derive(Debug)]
pub(crate) struct Subject {
    kind: Kind,
    /// True if appends are left to the store's own thread.
    gathers: bool,
    disk: tempfile::TempDir,
    dir: PathBuf,
    /// How often it was killed.
    deaths: u32,
    /// What a memory engine keeps does not lie in the directory.
    memory: Arc<MemoryEngine>,
    /// That of the process that has it open.
    life: Arc<Life>,
    /// The ledger, and the nodes that had it.
    nodes: Nodes,
    store: Option<Store>,
}

impl Subject {
    pub(crate) fn new(kind: Kind, gathers: bool) -> Self {
        let disk = tempfile::tempdir().unwrap();
        let dir = disk.path().join("store");
        std::fs::create_dir(&dir).unwrap();
        let (memory, life) = Default::default();
        let mut subject = Self {
            kind,
            gathers,
            disk,
            dir,
            deaths: 0,
            memory,
            life,
            nodes: Nodes::default(),
            store: None,
        };
        subject.open();
        subject
    }

    pub(crate) fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    /// What it is a kind of.
    pub(crate) const fn kind(&self) -> Kind {
        self.kind
    }

    /// Where a copy may be put.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.disk.path().join(name)
    }

    /// The directory, if all of the store is in it.
    pub(crate) fn dir(&self) -> Option<&Path> {
        matches!(self.kind, Kind::Sled | Kind::Files).then_some(&self.dir)
    }

    fn open(&mut self) {
        if self.kind.is_shared() {
            self.store = Some(self.nodes.open(self.kind, &self.dir).into());
            return;
        }
        let (engine, home) = (
            open(self.kind, &self.dir, &self.memory).unwrap(),
            self.dir.clone(),
        );
        self.life = Arc::default();
        let mortal = Mortal {
            engine,
            home,
            life: Arc::clone(&self.life),
        };
        let store = Store::with_engine(Arc::new(mortal)).unwrap();
        if self.gathers {
            store.gather_appends();
        }
        self.store = Some(store);
    }

    /// Closes the store and opens it again; `between` sees the directory while nobody has it.
    pub(crate) fn reopen(&mut self, between: impl FnOnce(&Self)) {
        let store = self.store.take().unwrap();
        store.close().unwrap();
        store.close().expect("closing again does nothing");
        between(self);
        self.open();
    }

    /// Drops the last handle, which closes the store, and opens it again.
    pub(crate) fn drop_and_open(&mut self) {
        self.store = None;
        self.open();
    }

    /// Kills the process now, and opens what it leaves.
    pub(crate) fn kill(&mut self) {
        self.deaths += 1;
        let copy = self.beside(&format!("killed {}", self.deaths));
        self.life.end(|| copy_folder(&self.dir, &copy));
        // What is left of it in this process can do no more.
        let _failed = self.store.take().unwrap().close();
        self.dir = copy;
        self.open();
    }

    /// Kills the process while it closes its store, after so many writes, and opens what they made.
    pub(crate) fn die(&mut self, writes: u64) {
        self.life.end_after(writes);
        let _failed = self.store.take().unwrap().close();
        self.open();
    }

    /// Whether a second process would be refused, as it must be if the store is in a directory.
    pub(crate) fn refuses_a_second(&self) -> bool {
        let own = std::process::id();
        self.dir().is_none()
            || matches!(open(self.kind, &self.dir, &self.memory), Err(OpenError::Locked { pid: Some(pid), .. }) if pid == own)
    }
}
