//! Engines without a store over them.

use std::path::PathBuf;
use std::sync::Arc;

use folkmoot_store::{Engine, MemoryEngine};

use super::{Kind, open};
use crate::fixture::copy_folder;

/// An engine that can be closed, killed and opened again.
#[derive(Debug)]
pub(crate) struct Bare {
    kind: Kind,
    disk: tempfile::TempDir,
    dir: PathBuf,
    deaths: u32,
    memory: Arc<MemoryEngine>,
    engine: Option<Arc<dyn Engine>>,
}

impl Bare {
    pub(crate) fn new(kind: Kind) -> Self {
        let disk = tempfile::tempdir().unwrap();
        let dir = disk.path().join("engine");
        std::fs::create_dir(&dir).unwrap();
        let mut bare = Self {
            kind,
            disk,
            dir,
            deaths: 0,
            memory: Arc::default(),
            engine: None,
        };
        bare.reopen();
        bare
    }

    pub(crate) fn engine(&self) -> &dyn Engine {
        self.engine.as_deref().unwrap()
    }

    /// Lets it go and opens it again.
    pub(crate) fn reopen(&mut self) {
        self.engine = None;
        self.engine = Some(open(self.kind, &self.dir, &self.memory).unwrap());
    }

    /// Opens what a process that is killed now would leave.
    pub(crate) fn kill(&mut self) {
        self.deaths += 1;
        let copy = self.disk.path().join(format!("killed {}", self.deaths));
        copy_folder(&self.dir, &copy);
        self.dir = copy;
        self.reopen();
    }
}
