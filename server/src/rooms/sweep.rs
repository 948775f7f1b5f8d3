//! The removal of uploads that no message names.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use folkmoot::WorldName;
use folkmoot::core::ids::{Time, WorldId};
use folkmoot::core::port::{BlobError, EventLog as _, Labels};
use folkmoot::store::{PutRange, SharedStore};
use tokio::sync::RwLockReadGuard;

use super::{Lobby, PAGE};
use crate::problem::Problem;

#[cfg(test)]
mod tests;

/// How long an upload is looked at, over a store that nodes share, before it stays for good: long enough that nodes may fail
/// at it, or be away.
const LOOKED_AT: Duration = Duration::from_secs(24 * 3_600);

/// The name of the sweep among the chores of which each is done by one node for all.
const CHORE: &str = "sweep of files";

impl Lobby {
    /// Holds off the removal of files from a store of this process until a message that names some is in the log. Over a
    /// store that nodes share nothing is held off: whoever posts makes the files young first.
    pub(crate) async fn posting(&self) -> RwLockReadGuard<'_, ()> {
        self.posting.read().await
    }

    /// Removes the files that were kept longer than `age` ago and that no message names.
    ///
    /// # Errors
    /// The first one.
    pub(crate) async fn sweep(&self, age: Duration) -> Result<usize, Problem> {
        match self.rooms.store.as_shared() {
            Some(store) => self.sweep_shared(store, age).await,
            None => self.sweep_local(age).await,
        }
    }

    async fn sweep_local(&self, age: Duration) -> Result<usize, Problem> {
        let store = &self.rooms.store;
        let before = SystemTime::now().checked_sub(age);
        let Some(before) = before else { return Ok(0) };
        let mut removed = 0;
        let mut after: Option<WorldName> = None;
        loop {
            let page = store.worlds(&Labels::new(), after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else {
                return Ok(removed);
            };
            after = Some(last.name.clone());
            for entry in page {
                if !store.has_blobs(entry.world).await? {
                    continue;
                }
                // Most of the log is read before anybody has to wait.
                self.files.all(store, &entry).await?;
                let _alone = self.posting.write().await;
                let Some(entry) = store.find(&entry.name).await? else {
                    continue;
                };
                let named = self.files.all(store, &entry).await?;
                removed += store.sweep_blobs(entry.world, named, before).await?;
            }
        }
    }

    /// Looks at the uploads of a day alone, so that it does not ask for each of all worlds, unless another node did so just
    /// now. A world that fails keeps no other from being looked at.
    async fn sweep_shared(&self, store: &SharedStore, age: Duration) -> Result<usize, Problem> {
        if !store.take_turn(CHORE, age / 2).await? {
            return Ok(0);
        }
        let now = store.blob_time().await?;
        let range = PutRange {
            since: earlier(now, age + LOOKED_AT),
            before: earlier(now, age),
        };
        let mut looked_at = BTreeSet::new();
        let mut removed = 0;
        let mut failed = None;
        let mut after = None;
        loop {
            let page = store.puts(range, after, PAGE).await?;
            let Some(last) = page.last() else {
                return failed.map_or(Ok(removed), Err);
            };
            after = Some(*last);
            for (_, world) in page {
                if !looked_at.insert(world) {
                    continue;
                }
                match self.sweep_world(store, world, range.before).await {
                    Ok(files) => removed += files,
                    Err(problem) => failed = failed.or(Some(problem)),
                }
            }
        }
    }

    /// Removes the files of a world that were put before `before` and that no message names. One that a message takes up
    /// meanwhile is put anew by then, and stays.
    async fn sweep_world(
        &self,
        shared: &SharedStore,
        world: WorldId,
        before: Time,
    ) -> Result<usize, Problem> {
        let store = &self.rooms.store;
        let Some(name) = shared.name_of(world).await? else {
            return Ok(0);
        };
        let entry = store.find(&name).await?;
        let Some(entry) = entry.filter(|entry| entry.world == world) else {
            return Ok(0);
        };
        let named = self.files.all(store, &entry).await?;
        let before = SystemTime::UNIX_EPOCH + Duration::from_millis(before.0);
        match store.sweep_blobs(world, named, before).await {
            Err(BlobError::NoSuchWorld(_)) => Ok(0),
            swept => Ok(swept?),
        }
    }
}

/// The time so long before `now`.
fn earlier(now: Time, by: Duration) -> Time {
    let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
    Time(now.0.saturating_sub(by))
}
