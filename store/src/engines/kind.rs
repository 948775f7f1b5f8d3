//! The kind of engine of a store's directory.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::sled::BareSled;
use super::{FilesEngine, MemoryEngine, SledEngine, files, sled};
use crate::engine::{Engine, EngineError};
use crate::home::{self, Home};

/// The engines that keep a store in a directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// A sled database.
    #[default]
    Sled,
    /// A plain file.
    Files,
}

impl EngineKind {
    /// The engine that the directory of a store has; `None` if it has none yet.
    ///
    /// # Errors
    /// [`EngineError::Damaged`] if it has both; [`EngineError::Io`] if the disk does not say what
    /// is there.
    pub(crate) fn of(home: &Path) -> Result<Option<Self>, EngineError> {
        let has = |folder: &str| home.join(folder).try_exists().map_err(EngineError::Io);
        let mut has_sled = false;
        for folder in sled::FOLDERS {
            has_sled |= has(folder)?;
        }
        match (has_sled, has(files::FOLDER)?) {
            (false, false) => Ok(None),
            (true, false) => Ok(Some(Self::Sled)),
            (false, true) => Ok(Some(Self::Files)),
            (true, true) => Err(EngineError::Damaged(
                "it has the folders of two logs".to_owned(),
            )),
        }
    }

    /// Opens the engine that the directory has; `self` is the one that a directory without any
    /// gets.
    pub(crate) fn open_home(self, home: Home) -> Result<Arc<dyn Engine>, EngineError> {
        match Self::of(home.path())?.unwrap_or(self) {
            Self::Sled => Ok(Arc::new(SledEngine::open_home(home)?)),
            Self::Files => Ok(Arc::new(FilesEngine::open_home(home)?)),
        }
    }

    /// Opens the engine that the directory has to read what is whole of it; says what is not, as
    /// far as that shows. Nothing is written.
    pub(crate) fn look(home: Home) -> Result<(Arc<dyn Engine>, Vec<String>), EngineError> {
        let path = home.path().to_owned();
        let found = match Self::of(&path)?.unwrap_or_default() {
            Self::Sled => BareSled::open(home)?
                .map(|(engine, troubles)| (Arc::new(engine) as Arc<dyn Engine>, troubles)),
            Self::Files => {
                FilesEngine::look(home)?.map(|(engine, troubles)| (Arc::new(engine) as _, troubles))
            }
        };
        // Its maker died before it had any.
        let (engine, mut troubles) =
            found.unwrap_or_else(|| (Arc::new(MemoryEngine::new()), Vec::new()));
        match home::copy::read(&path) {
            Err(EngineError::Damaged(what)) => troubles.push(what),
            copy => drop(copy?),
        }
        Ok((engine, troubles))
    }

    /// The same, where somebody has looked already whether it is damaged.
    pub(crate) fn open_checked(self, home: Home) -> Result<Arc<dyn Engine>, EngineError> {
        match Self::of(home.path())?.unwrap_or(self) {
            Self::Sled => Ok(Arc::new(SledEngine::open_checked(home)?)),
            Self::Files => Ok(Arc::new(FilesEngine::open_home(home)?)),
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sled => "sled",
            Self::Files => "files",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_the_disk_does_not_tell_of_is_not_taken_for_none() {
        for folder in [files::FOLDER, sled::FOLDERS[0]] {
            let home = tempfile::tempdir().unwrap();
            assert!(matches!(EngineKind::of(home.path()), Ok(None)));
            // A link that leads to itself: nothing can be asked of it.
            std::os::unix::fs::symlink(folder, home.path().join(folder)).unwrap();
            assert!(matches!(
                EngineKind::of(home.path()),
                Err(EngineError::Io(_))
            ));
        }
    }
}
