//! Acts on a whole store: deleting worlds, and copying it.

use std::path::PathBuf;

use folkmoot::core::ids::{PersonName, Time, WorldName};
use folkmoot::core::port::{Clock as _, EventLog as _};
use folkmoot::life::{LifeError, delete_worlds};
use folkmoot::store::{Backup, BackupError, DeleteError, DeleteOrder, OpenError, Tombstone};
use folkmoot::{Proof, Runtime, Store, SystemClock};
use serde::{Deserialize, Serialize};

use crate::exit::{CliError, PENDING, STORE, USAGE};

/// A wish to delete worlds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Deletion {
    /// The names of the worlds.
    pub(crate) worlds: Vec<WorldName>,
    /// Only those whose last commit is before this: one that somebody used meanwhile stays.
    pub(crate) idle_since: Option<Time>,
    /// The name of the person; their login name if `None`. Claimed, not proven.
    pub(crate) by: Option<PersonName>,
}

/// A copy of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BackupView {
    /// The directory of the copy.
    pub(crate) path: PathBuf,
    /// The number of its worlds.
    pub(crate) worlds: usize,
    /// The number of their events, all together.
    pub(crate) events: u64,
    /// The number of attachments that were copied.
    pub(crate) blobs: usize,
    /// The number of attachments that were left out because they are damaged.
    pub(crate) blobs_damaged: usize,
    /// The number of events that have lost content in the store, and in the copy.
    pub(crate) content_damaged: usize,
    /// The folder of keys that sealed worlds are read with. They are no part of a backup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) keys: Option<PathBuf>,
}

/// Deletes worlds in the name of `proof`.
pub(crate) async fn delete(
    runtime: &Runtime,
    store: &Store,
    proof: &Proof,
    deletion: &Deletion,
) -> Result<Vec<Tombstone>, CliError> {
    let mut worlds = deletion.worlds.clone();
    if let Some(limit) = deletion.idle_since {
        worlds.clear();
        for name in &deletion.worlds {
            let entry = store.find(name).await?;
            let is_idle =
                entry.is_some_and(|entry| entry.time < limit) && runtime.world(name).is_none();
            worlds.extend(is_idle.then(|| name.clone()));
        }
    }
    let order = DeleteOrder {
        by: proof.principal().clone(),
        at: SystemClock.now(),
    };
    Ok(delete_worlds(runtime, store, &worlds, &order).await?)
}

/// Copies a store.
pub(crate) async fn backup(store: &Store, dir: PathBuf) -> Result<BackupView, CliError> {
    let copied = store.backup(dir).await;
    let copied = copied.map_err(|error| copy_failed(&error, "the backup was not made"))?;
    let Backup {
        path,
        worlds,
        events,
        blobs,
        blobs_damaged,
        content_damaged,
        ..
    } = copied;
    Ok(BackupView {
        path,
        worlds,
        events,
        blobs,
        blobs_damaged,
        content_damaged,
        keys: store.keys_folder(),
    })
}

/// Says why there is no copy, and that there is none.
pub(crate) fn copy_failed(error: &BackupError, outcome: &str) -> CliError {
    match error {
        BackupError::Target(error @ OpenError::NotADirectory { .. }) => {
            CliError::other(USAGE, error.to_string())
        }
        BackupError::Occupied { .. } | BackupError::InsideStore { .. } => {
            CliError::other(USAGE, error.to_string())
        }
        BackupError::Target(_)
        | BackupError::Source(_)
        | BackupError::Blobs { .. }
        | BackupError::Different { .. }
        | BackupError::Stopped(_)
        | _ => {
            let why = folkmoot::core::port::causes::with_causes(error);
            CliError::other(STORE, format!("{why}; {outcome}"))
        }
    }
}

impl From<LifeError> for CliError {
    fn from(error: LifeError) -> Self {
        let why = folkmoot::core::port::causes::with_causes(&error);
        match error {
            LifeError::NoSuchWorld(_) => Self::other(
                STORE,
                format!("{why}; `folkmoot worlds` lists those that there are; none was deleted"),
            ),
            LifeError::Open(_) => Self::other(
                STORE,
                format!(
                    "{why}: process {} holds it; none was deleted",
                    std::process::id()
                ),
            ),
            LifeError::NoRight(_) => {
                Self::other(PENDING, format!("refused: {why}; none was deleted"))
            }
            LifeError::HasForks { .. } => Self::other(STORE, format!("{why}; none was deleted")),
            LifeError::Store(DeleteError::Unfinished { .. }) => Self::other(STORE, why),
            LifeError::Store(_) | LifeError::Read(_) | LifeError::Unread { .. } | _ => {
                Self::other(STORE, format!("{why}; none was deleted"))
            }
        }
    }
}
