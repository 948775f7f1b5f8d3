//! The engines whose stores are cut from power.

use std::path::Path;

use folkmoot::store::{EngineKind, OpenError};
use folkmoot::{OpenMode, Store};

/// An engine that keeps files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sled,
    Files,
}

impl Engine {
    /// The one whose stores are recorded for a seed: every fifth has plain files.
    pub(crate) const fn of(seed: u64) -> Self {
        if seed % 5 == 4 {
            Self::Files
        } else {
            Self::Sled
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sled => "sled",
            Self::Files => "files",
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        [Self::Sled, Self::Files]
            .into_iter()
            .find(|engine| engine.name() == name)
            .unwrap()
    }
}

/// Opens a store: the only place that knows how.
pub(crate) fn open(engine: Engine, dir: &Path, mode: OpenMode) -> Result<Store, OpenError> {
    match engine {
        Engine::Sled => Store::open_with(dir, mode, EngineKind::Sled),
        Engine::Files => Store::open_with(dir, mode, EngineKind::Files),
    }
}
