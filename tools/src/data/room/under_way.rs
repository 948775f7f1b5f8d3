//! The imports and indexes that this process is making: each is made once, however many calls wait for it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use folkmoot_core::tool::{ToolErrorCode, ToolFailure};
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use super::derive::Cannot;

/// The most that are made at a time. Each holds a thread and a disk.
const MAKINGS_MAX: usize = 2;

static UNDER_WAY: Mutex<BTreeMap<PathBuf, UnderWay>> = Mutex::new(BTreeMap::new());
static PLACES: Semaphore = Semaphore::const_new(MAKINGS_MAX);

type Outcome = Option<Result<(), ToolFailure>>;

/// How far a making has come.
#[derive(Debug, Clone)]
pub(super) enum Progress {
    /// A table.
    Import {
        /// The place up to which the file was read, of both passes.
        read: Arc<AtomicU64>,
        /// The bytes of the file.
        total: u64,
    },
    /// An index of texts.
    Index,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Import { read, total } => {
                let read = read.load(Ordering::Relaxed).min(*total);
                write!(f, "{read} of {total} bytes were read")
            }
            Self::Index => f.write_str("its texts are being indexed"),
        }
    }
}

/// A making that goes on, whoever waits for it.
#[derive(Debug, Clone)]
pub(super) struct UnderWay {
    progress: Progress,
    outcome: watch::Receiver<Outcome>,
}

/// Returns the making of `path`, if it is under way.
pub(super) fn of(path: &Path) -> Option<UnderWay> {
    let all = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
    all.get(path).cloned()
}

/// Joins the making of `path`, or begins it: `work` is done on a thread of its own.
pub(super) fn join(
    path: &Path,
    progress: Progress,
    work: impl FnOnce() -> Result<(), ToolFailure> + Send + 'static,
) -> UnderWay {
    let mut all = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(path) {
        return known.clone();
    }
    let (tell, outcome) = watch::channel(None);
    let under_way = UnderWay { progress, outcome };
    all.insert(path.to_owned(), under_way.clone());
    let path = path.to_owned();
    drop(tokio::spawn(async move {
        let _place = PLACES.acquire().await.ok();
        let done = tokio::task::spawn_blocking(work).await;
        let done = done.unwrap_or_else(|error| {
            Err(ToolFailure::new(ToolErrorCode::Failed, error.to_string()))
        });
        // Before it is told: whoever hears of it finds what it made, or begins anew.
        let mut all = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&path);
        drop(all);
        tell.send_replace(Some(done));
    }));
    under_way
}

impl UnderWay {
    /// Waits for its end until `until` at most.
    pub(super) async fn wait(mut self, until: Instant) -> Result<(), Cannot> {
        let end = self.outcome.wait_for(Option::is_some);
        let Ok(outcome) = tokio::time::timeout_at(until, end).await else {
            return Err(Cannot::NotYet(self.progress()));
        };
        let broken = || ToolFailure::new(ToolErrorCode::Failed, "the import broke off");
        let outcome = outcome.map_err(|_| broken())?.clone();
        Ok(outcome.ok_or_else(broken)??)
    }

    /// Returns how far it has come, in words.
    pub(super) fn progress(&self) -> String {
        self.progress.to_string()
    }
}
