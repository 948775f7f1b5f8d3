//! Why worlds are not deleted.

use folkmoot_core::ids::{WorldId, WorldName};

use crate::engine::EngineError;
use crate::state::shared::WritesEnd;

/// Why worlds are not deleted, or not wholly.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeleteError {
    /// There is no such world; none was deleted.
    #[error("there is no world {0}")]
    NoSuchWorld(WorldId),
    /// Another world shares its events; none was deleted. Delete that one first, or both together.
    #[error("the world {world} is the parent of {fork}; delete that fork first, or both together")]
    HasForks {
        /// The parent.
        world: WorldId,
        /// One of its forks.
        fork: WorldName,
    },
    /// Another node has a world, or none; none was deleted. Ask that node, or take the world first.
    #[error("the world {world} is held by {by}; nothing was deleted")]
    Held {
        /// The world.
        world: WorldId,
        /// Who holds it, in words.
        by: String,
    },
    /// Nothing was deleted that does not have a tombstone.
    #[error("the worlds cannot be deleted")]
    Engine(#[from] EngineError),
    /// The worlds are deleted, but their text may still be in files. The next deletion, or the next opening, finishes that.
    #[error(
        "the worlds are deleted, but their content may still be in files; the store removes it when it is opened again"
    )]
    Unfinished {
        /// The number of worlds.
        worlds: usize,
        /// The error that kept it from being finished.
        #[source]
        source: EngineError,
    },
    /// The store stopped after an earlier error, or is closed.
    #[error("the store is stopped: {0}")]
    Stopped(String),
}

impl From<WritesEnd> for DeleteError {
    fn from(end: WritesEnd) -> Self {
        Self::Stopped(end.to_string())
    }
}
