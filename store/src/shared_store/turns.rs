//! Chores that one node does for all.

use std::time::Duration;

use folkmoot_core::ids::Time;
use folkmoot_core::port::BlobError;

use super::SharedStore;
use super::settle::blob_error;
use crate::ledger::SharedRecord;

/// The kind of the shared records that say when each chore was begun last.
const KIND: &str = "turn";

impl SharedStore {
    /// Takes the turn at a chore that one node does for all: true if nobody took it within `every` before now, by the
    /// ledger's clock. Two who take it within the same millisecond may both have it.
    ///
    /// # Errors
    /// [`BlobError`].
    pub async fn take_turn(&self, chore: &str, every: Duration) -> Result<bool, BlobError> {
        if let Some(why) = self.inner.ended() {
            return Err(BlobError::Stopped(why));
        }
        let now = self.blob_time().await?;
        let ledger = &self.inner.ledger;
        let last = self.inner.read(|| ledger.shared(KIND, chore.as_bytes()));
        let last = last.await.map_err(|error| blob_error(&error))?;
        if !is_due(last.as_deref(), now, every) {
            return Ok(false);
        }
        let record = SharedRecord {
            kind: KIND.to_owned(),
            key: chore.as_bytes().to_vec(),
            value: now.0.to_be_bytes().to_vec(),
        };
        let taken = self
            .inner
            .read(|| ledger.put_shared(&record, last.as_deref()));
        taken.await.map_err(|error| blob_error(&error))
    }
}

/// Tells whether a chore that was begun at `last` is to be done again. One of no time that can be is.
fn is_due(last: Option<&[u8]>, now: Time, every: Duration) -> bool {
    let last = last.and_then(|last| <[u8; 8]>::try_from(last).ok());
    let last = last.map(|last| Time(u64::from_be_bytes(last)));
    last.is_none_or(|last| last > now || last.until(now) >= every)
}
