//! The imports of this process that are under way: each file is derived once, however many calls wait for it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use folkmoot_core::tool::{ToolErrorCode, ToolFailure};
use tokio::sync::{Semaphore, watch};

/// The most imports at a time. Each holds a thread and a disk.
const IMPORTS_MAX: usize = 2;

static UNDER_WAY: Mutex<BTreeMap<PathBuf, UnderWay>> = Mutex::new(BTreeMap::new());
static PLACES: Semaphore = Semaphore::const_new(IMPORTS_MAX);

type Outcome = Option<Result<(), ToolFailure>>;

/// An import that goes on, whoever waits for it.
#[derive(Debug, Clone)]
pub(super) struct UnderWay {
    /// The bytes of the file.
    total: u64,
    /// The place up to which it was read, of both passes.
    read: Arc<AtomicU64>,
    outcome: watch::Receiver<Outcome>,
}

/// Returns the import that makes `path`, if it is under way.
pub(super) fn of(path: &Path) -> Option<UnderWay> {
    let all = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
    all.get(path).cloned()
}

/// Joins the import that makes `path`, or begins it: `work` is done on a thread of its own.
pub(super) fn join(
    path: &Path,
    (total, read): (u64, Arc<AtomicU64>),
    work: impl FnOnce() -> Result<(), ToolFailure> + Send + 'static,
) -> UnderWay {
    let mut all = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(path) {
        return known.clone();
    }
    let (tell, outcome) = watch::channel(None);
    let under_way = UnderWay {
        total,
        read,
        outcome,
    };
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
    /// Waits for its end.
    pub(super) async fn end(mut self) -> Result<(), ToolFailure> {
        let broken = || ToolFailure::new(ToolErrorCode::Failed, "the import broke off");
        let outcome = self.outcome.wait_for(Option::is_some).await;
        let outcome = outcome.map_err(|_| broken())?.clone();
        outcome.ok_or_else(broken)?
    }

    /// Returns how far it has come, in words.
    pub(super) fn progress(&self) -> String {
        let read = self.read.load(Ordering::Relaxed).min(self.total);
        format!("{read} of {} bytes were read", self.total)
    }
}
