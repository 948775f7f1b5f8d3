//! Opening a store to read it, which changes nothing of it, whatever state it is in.
//!
//! What opening brings in order elsewhere is brought in order in memory, over engines that only
//! read. Of a damaged store there is what rebuilding would save; where that ends is an error and no
//! end.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_core::port::{ReadError, WorldEntry};

use super::{Failure, Inner, LocalStore};
use crate::engine::{Engine, EngineError};
use crate::engines::{EngineKind, Overlay};
use crate::format::upcast::Upcasters;
use crate::home::blobs::Vault;
use crate::home::checkpoints::Shelter;
use crate::home::keys::Keyring;
use crate::home::opening::OpenError;
use crate::home::{self, Home, head_record};
use crate::read::reader::Reader;
use crate::state::index::Index;
use crate::state::shared::{LostContent, READS_ONLY, Shared};
use crate::sync::Mutex;
use crate::verify::salvage;
use crate::verify::salvage::{RebuiltWorld, Survey};
use crate::write::queue::Queue;
use crate::write::{deletion, recover};

/// The survey of a store that is only read.
#[derive(Debug)]
pub(super) struct Looked {
    /// The lock: nobody writes meanwhile.
    _home: Home,
    /// `None` if nothing is damaged, as far as opening tells.
    survey: Option<Survey>,
}

impl LocalStore {
    /// Opens the store in the directory `dir` to read it. No byte of it is changed, and nothing can
    /// be appended. Others may read meanwhile, and nobody can write. Of a damaged store there is
    /// what [`rebuild`](crate::rebuild) would save: [`LocalStore::survey`] says what that is.
    pub(crate) fn look(dir: impl Into<PathBuf>) -> Result<Self, OpenError> {
        let home = Home::look(dir.into())?;
        let path = home.path().to_owned();
        Self::look_in(home).map_err(|error| home::open_error(&path, error))
    }

    /// Returns what is whole of a damaged store that was opened to be read; `None` if nothing was
    /// found to be damaged, or if it was opened for writing.
    #[must_use]
    pub(crate) fn survey(&self) -> Option<&Survey> {
        self.inner.looked.as_ref()?.survey.as_ref()
    }

    fn look_in(home: Home) -> Result<Self, EngineError> {
        let (engine, mut troubles) = match EngineKind::look(home.clone()) {
            Ok((engine, troubles)) => (Some(engine), troubles),
            Err(EngineError::Damaged(what)) => (None, vec![what]),
            Err(error) => return Err(error),
        };
        if let Some(engine) = engine.clone().filter(|_| troubles.is_empty()) {
            match recovered(engine, home.path()) {
                Ok((engine, index)) => return Ok(Self::reading(engine, index, home, None)),
                Err(Failure::Engine(EngineError::Damaged(what))) => troubles.push(what),
                Err(Failure::Cut { found, recorded }) => {
                    troubles.push(format!(
                        "the log ends at frame {found}, and frame {recorded} was written"
                    ));
                }
                Err(Failure::Engine(error)) => return Err(error),
            }
        }
        let (mended, survey) = salvage::mend(home.path(), (engine, troubles))?;
        let mended: Arc<dyn Engine> = Arc::new(mended);
        let upcasters = Upcasters::default();
        let mut index = recover::recover(mended.as_ref(), &upcasters)?;
        deletion::take_out(mended.as_ref(), &mut index)?;
        Ok(Self::reading(mended, index, home, Some(survey)))
    }

    fn reading(engine: Arc<dyn Engine>, index: Index, home: Home, survey: Option<Survey>) -> Self {
        let path = home.path().to_owned();
        let looked = Looked {
            _home: home,
            survey,
        };
        Self::read_only(engine, index, Some(path), Some(looked))
    }

    /// The logs that an engine gives, for who proves them. There are no files and no saved folds.
    pub(crate) fn of_logs(engine: Arc<dyn Engine>, index: Index) -> Self {
        Self::read_only(engine, index, None, None)
    }

    fn read_only(
        engine: Arc<dyn Engine>,
        index: Index,
        path: Option<PathBuf>,
        looked: Option<Looked>,
    ) -> Self {
        let keys = Keyring::new(path.as_deref());
        let shared = Arc::new(Shared::reading(engine, index, Upcasters::default(), keys));
        let queue = Arc::new(Queue::default());
        queue.stop(READS_ONLY);
        let shelter = Shelter::new(path.as_deref());
        let vault = Vault::new(path.as_deref());
        let (threads, leader) = (Mutex::default(), OnceLock::new());
        let inner = Inner {
            shared,
            queue,
            shelter,
            vault,
            home: path,
            copy: None,
            threads,
            leader,
            looked,
        };
        Self {
            inner: Arc::new(inner),
            lost: Some(LostContent::default()),
        }
    }

    /// Finds out, before anything is written, whether a store can be opened for writing, and has
    /// all content of `world`.
    pub(super) fn check(home: &Home, world: Option<&WorldName>) -> Result<(), OpenError> {
        let path = home.path();
        let (engine, troubles) =
            EngineKind::look(home.clone()).map_err(|error| home::open_error(path, error))?;
        if let Some(what) = troubles.into_iter().next() {
            return Err(OpenError::Damaged {
                path: path.to_owned(),
                what,
            });
        }
        let (engine, index) =
            recovered(engine, path).map_err(|failure| failure.at(path.to_owned()))?;
        let Some(WorldEntry { world, name, .. }) = world.and_then(|world| index.entry(world))
        else {
            return Ok(());
        };
        let shared = Arc::new(Shared::reading(
            engine,
            index,
            Upcasters::default(),
            Keyring::new(None),
        ));
        let lost =
            Reader::look_for_lost_content(&shared, world).map_err(|error| unread(path, error))?;
        match lost.first() {
            Some((at, what, more)) => Err(OpenError::LostContent {
                world: name,
                at,
                what,
                more,
            }),
            None => Ok(()),
        }
    }

    /// Returns what a world of a damaged store has lost behind its last event, if it has.
    pub(super) fn lost(&self, world: WorldId) -> Option<&RebuiltWorld> {
        let mut worlds = self.survey()?.worlds.iter();
        worlds.find(|found| found.world == world && found.lost.is_some())
    }

    /// Refuses to say of a damaged store that it has no such world, where nothing tells.
    pub(super) fn check_name(&self, name: &WorldName) -> Result<(), ReadError> {
        let Some(survey) = self.survey() else {
            return Ok(());
        };
        let is_it = |world: &&RebuiltWorld| {
            world.kept == Position::ZERO && world.name.as_ref().is_none_or(|known| known == name)
        };
        match survey.worlds.iter().find(is_it) {
            Some(world) => Err(damaged(world)),
            None if survey.worlds.is_empty() => {
                let what = survey
                    .store
                    .first()
                    .map_or_else(String::new, |damage| damage.what.clone());
                Err(ReadError::Damaged {
                    at: Position::new(1),
                    what,
                })
            }
            None => Ok(()),
        }
    }
}

/// Returns what it means to whoever opens a store that one of its worlds does not read.
fn unread(path: &Path, error: ReadError) -> OpenError {
    let engine_error = match error {
        ReadError::Damaged { what, .. } => EngineError::Damaged(what),
        ReadError::Io(error) => EngineError::Io(error),
        error @ (ReadError::Newer { .. }
        | ReadError::NoSuchWorld(_)
        | ReadError::Stopped(_)
        | _) => EngineError::Io(io::Error::other(error)),
    };
    home::open_error(path, engine_error)
}

/// Returns what is read behind the last event that is whole.
pub(super) fn damaged(world: &RebuiltWorld) -> ReadError {
    let what = world.lost.clone().unwrap_or_default();
    ReadError::Damaged {
        at: world.kept.next(),
        what: format!("events up to {} were written: {what}", world.known),
    }
}

/// Reads the index of a store, and brings in order in memory what a process that died has left.
fn recovered(engine: Arc<dyn Engine>, home: &Path) -> Result<(Arc<dyn Engine>, Index), Failure> {
    let recorded = head_record::read(home).map_err(EngineError::Io)?;
    // Recovery writes. Into memory here: whoever looks changes nothing on the disk (decision 0024).
    let engine: Arc<dyn Engine> = Arc::new(Overlay::over(engine));
    let mut index = recover::recover(engine.as_ref(), &Upcasters::default())?;
    recover::check_head(&index, recorded).map_err(|recorded| Failure::Cut {
        found: index.head.0,
        recorded: recorded.0,
    })?;
    deletion::take_out(engine.as_ref(), &mut index)?;
    Ok((engine, index))
}
