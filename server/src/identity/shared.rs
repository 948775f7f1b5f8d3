//! Records that the processes of a ledger share, as one of them knows them: tokens, sessions and codes.
//!
//! A process keeps them all, asks every second whether they changed, and reads them again if so. One that is not known here
//! may have been made elsewhere just now, so that whoever names it has the table looked at, ten times a second at most,
//! however many ask. No record is asked for by itself: a flood of wrong tokens stays here.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::Duration;

use folkmoot::core::port::causes::with_causes;
use folkmoot::store::{LedgerError, SharedRecord, SharedRecords};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::AuthenticateError;
use super::lease::{Lease, Lessor};
use super::secret::SecretHash;

/// The shortest time between two looks at the table.
const LOOK_PAUSE: Duration = Duration::from_millis(100);
/// The longest time that a look may take.
const LOOK_MOST: Duration = Duration::from_secs(5);
/// The longest time for which known records count while nobody can look whether they changed.
const KNOWN_MOST: Duration = Duration::from_secs(30);
/// The number of records that are read at a time.
const PAGE: usize = 500;
/// How often a change is sent again whose answer was lost.
const TRIES: usize = 3;

/// The words to a caller when the table does not answer. The log has the reason, which may name machines.
const AWAY: &str = "the store of tokens and sessions does not answer; try again";

/// The reason that shared records cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SharedRecordsError {
    /// The store does not do it.
    #[error("the records of the kind {kind} in the store cannot be used")]
    Store {
        /// Their kind.
        kind: &'static str,
        /// The error of the store.
        #[source]
        source: LedgerError,
    },
    /// A record does not read.
    #[error(
        "a record of the kind {kind} in the store does not read: {why}; use a build as new as the one that wrote it"
    )]
    Malformed {
        /// Its kind.
        kind: &'static str,
        /// The fault.
        why: String,
    },
    /// The store did not answer.
    #[error("the records of the kind {kind} in the store were not read within {} s", LOOK_MOST.as_secs())]
    Late {
        /// Their kind.
        kind: &'static str,
    },
    /// Another record has the key, or has taken the place of the one that was to change.
    #[error("a record of the kind {kind} in the store was changed meanwhile: do it again")]
    Changed {
        /// Its kind.
        kind: &'static str,
    },
}

/// A value that processes share under the hash of a secret.
pub(super) trait SharedValue:
    Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The kind of its records.
    const KIND: &'static str;
    /// The longest time until a change counts everywhere, apart from the time that the look takes.
    const LOOK_EVERY: Duration;

    /// Tells whether it still counts: one that does not is as good as not there.
    fn counts(&self) -> bool;
}

/// The shared values of one kind, as this process knows them.
#[derive(Debug)]
pub(super) struct SharedTable<T> {
    records: Arc<dyn SharedRecords>,
    known: RwLock<Known<T>>,
    /// The number of those who have asked for a look.
    asked: AtomicU64,
    wake: Arc<Notify>,
    looks: watch::Receiver<Looked>,
}

/// The values of the last look that went well.
#[derive(Debug)]
struct Known<T> {
    /// The version that they are of; `None`: none are known.
    version: Option<u64>,
    /// The time at which they were as the table has them.
    fresh: Instant,
    entries: HashMap<SecretHash, Entry<T>>,
}

#[derive(Debug)]
struct Entry<T> {
    value: T,
    lessor: Lessor,
}

/// The last look at the table.
#[derive(Debug, Clone, Default)]
struct Looked {
    /// It began after so many had asked for one.
    answers: u64,
    /// The reason that it failed; `None`: it went well.
    fault: Option<String>,
}

impl<T: SharedValue> SharedTable<T> {
    /// Reads all, and follows what changes until it is dropped. Call it within a runtime of tokio's.
    pub(super) async fn open(
        records: Arc<dyn SharedRecords>,
    ) -> Result<Arc<Self>, SharedRecordsError> {
        let (told, looks) = watch::channel(Looked::default());
        let table = Arc::new(Self {
            records,
            known: RwLock::new(Known {
                version: None,
                fresh: Instant::now(),
                entries: HashMap::new(),
            }),
            asked: AtomicU64::new(0),
            wake: Arc::default(),
            looks,
        });
        table.read_news().await?;
        let wake = Arc::clone(&table.wake);
        tokio::spawn(follow(Arc::downgrade(&table), wake, told));
        Ok(table)
    }

    /// The value under `hash`, as it is known here, with a lease that ends when it changes; `None` if none is known.
    pub(super) fn known(&self, hash: &SecretHash) -> Result<Option<(T, Lease)>, AuthenticateError> {
        let known = self.read();
        if known.fresh.elapsed() > KNOWN_MOST {
            return Err(AuthenticateError::Unavailable(AWAY.to_owned()));
        }
        let entry = known.entries.get(hash);
        Ok(entry.map(|entry| (entry.value.clone(), entry.lessor.lease(None))))
    }

    /// The same; one that is not known here is looked for in the table.
    pub(super) async fn find(
        &self,
        hash: &SecretHash,
    ) -> Result<Option<(T, Lease)>, AuthenticateError> {
        if let Ok(Some(found)) = self.known(hash) {
            return Ok(Some(found));
        }
        self.look().await?;
        self.known(hash)
    }

    /// All that is known here.
    pub(super) fn all(&self) -> Vec<(SecretHash, T)> {
        let known = self.read();
        let values = known.entries.iter();
        values
            .map(|(hash, entry)| (*hash, entry.value.clone()))
            .collect()
    }

    /// Waits for a look at the table that begins from now on.
    pub(super) async fn look(&self) -> Result<(), AuthenticateError> {
        let ticket = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut looks = self.looks.clone();
        self.wake.notify_one();
        let answered = looks.wait_for(|look| look.answers >= ticket).await;
        match answered.as_deref() {
            Ok(Looked { fault: None, .. }) => Ok(()),
            Ok(Looked { fault: Some(_), .. }) | Err(_) => {
                Err(AuthenticateError::Unavailable(AWAY.to_owned()))
            }
        }
    }

    /// Keeps a value under a hash that no other has.
    pub(super) async fn put(&self, hash: &SecretHash, value: &T) -> Result<(), SharedRecordsError> {
        put_new(&*self.records, hash, value).await
    }

    /// Removes a value. It ends here at once, and elsewhere within a second and a look. Of several who do so, one gets true.
    pub(super) async fn remove(&self, hash: &SecretHash) -> Result<bool, SharedRecordsError> {
        let removed = self.records.remove_shared(T::KIND, hash.as_bytes()).await;
        let is_removed = removed.map_err(failed::<T>)?;
        self.write().entries.remove(hash);
        Ok(is_removed)
    }

    /// Reads all again if there is another version.
    async fn read_news(&self) -> Result<(), SharedRecordsError> {
        let began = Instant::now();
        let version = self.records.shared_version(T::KIND).await;
        let version = version.map_err(failed::<T>)?;
        if self.read().version == Some(version) {
            self.write().fresh = began;
            return Ok(());
        }
        let mut values = Vec::new();
        for (hash, value) in read_all::<T>(&*self.records).await? {
            match value {
                Ok(value) if value.counts() => values.push((hash, value)),
                Ok(_) => {}
                // A newer build may have written it. Whatever it gives, it gives nothing here.
                Err(error) => tracing::error!(error = with_causes(&error), "it is left out"),
            }
        }
        self.write().follow_with(values, (version, began));
        Ok(())
    }

    /// Forgets what nobody could look after for too long: open streams end.
    fn forget_the_stale(&self) {
        let mut known = self.write();
        if known.fresh.elapsed() > KNOWN_MOST {
            known.version = None;
            known.entries.clear();
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Known<T>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known<T>> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: SharedValue> Known<T> {
    /// Takes these values. Those that are as before keep their leases; the leases of all others end.
    fn follow_with(&mut self, values: Vec<(SecretHash, T)>, (version, fresh): (u64, Instant)) {
        let mut old = std::mem::take(&mut self.entries);
        let entry = |(hash, value): (SecretHash, T)| {
            let same = old.remove(&hash).filter(|old| old.value == value);
            let lessor = same.map(|same| same.lessor).unwrap_or_default();
            (hash, Entry { value, lessor })
        };
        self.entries = values.into_iter().map(entry).collect();
        self.version = Some(version);
        self.fresh = fresh;
    }
}

/// Looks at the table until nobody needs it any more: every now and then, and soon when somebody asks for it.
async fn follow<T: SharedValue>(
    table: Weak<SharedTable<T>>,
    wake: Arc<Notify>,
    told: watch::Sender<Looked>,
) {
    let mut said = None;
    loop {
        let began = Instant::now();
        tokio::select! {
            () = sleep_until(began + T::LOOK_EVERY) => {}
            () = wake.notified() => sleep_until(began + LOOK_PAUSE).await,
        }
        let Some(table) = table.upgrade() else {
            return;
        };
        let answers = table.asked.load(Ordering::SeqCst);
        let looked = timeout(LOOK_MOST, table.read_news()).await;
        let looked = looked.unwrap_or(Err(SharedRecordsError::Late { kind: T::KIND }));
        let fault = looked.err().map(|error| with_causes(&error));
        if fault.is_some() {
            table.forget_the_stale();
        }
        if fault != said {
            match &fault {
                Some(why) => tracing::error!(why, kind = T::KIND, "known ones count for 30 s"),
                None => tracing::warn!(kind = T::KIND, "the records in the store are read again"),
            }
            said.clone_from(&fault);
        }
        told.send_replace(Looked { answers, fault });
    }
}

/// Keeps a value under a hash that no other has.
pub(super) async fn put_new<T: SharedValue>(
    records: &dyn SharedRecords,
    hash: &SecretHash,
    value: &T,
) -> Result<(), SharedRecordsError> {
    let record = record(hash, value)?;
    if put(records, &record, None).await.map_err(failed::<T>)? {
        return Ok(());
    }
    Err(SharedRecordsError::Changed { kind: T::KIND })
}

/// Puts `new` in the place of `old`, if that still stands there.
pub(super) async fn replace<T: SharedValue>(
    records: &dyn SharedRecords,
    hash: &SecretHash,
    (old, new): (&T, &T),
) -> Result<bool, SharedRecordsError> {
    let old = record(hash, old)?.value;
    let new = record(hash, new)?;
    put(records, &new, Some(&old)).await.map_err(failed::<T>)
}

/// All values of a kind; one that does not read is an error of its own.
pub(super) async fn read_all<T: SharedValue>(
    records: &dyn SharedRecords,
) -> Result<Vec<(SecretHash, Result<T, SharedRecordsError>)>, SharedRecordsError> {
    let mut all = Vec::new();
    let mut after: Option<Vec<u8>> = None;
    loop {
        let page = records.all_shared(T::KIND, after.as_deref(), PAGE).await;
        let page = page.map_err(failed::<T>)?;
        let is_last = page.len() < PAGE;
        after = page.last().map(|record| record.key.clone());
        all.extend(page.iter().filter_map(value_of));
        if is_last {
            return Ok(all);
        }
    }
}

/// The value of a record; `None` if its key is no hash, so that nobody can name it.
fn value_of<T: SharedValue>(
    record: &SharedRecord,
) -> Option<(SecretHash, Result<T, SharedRecordsError>)> {
    let hash = SecretHash::from_bytes(&record.key)?;
    let value = serde_json::from_slice(&record.value);
    Some((hash, value.map_err(|error| malformed::<T>(&error))))
}

fn record<T: SharedValue>(
    hash: &SecretHash,
    value: &T,
) -> Result<SharedRecord, SharedRecordsError> {
    Ok(SharedRecord {
        kind: T::KIND.to_owned(),
        key: hash.as_bytes().to_vec(),
        value: serde_json::to_vec(value).map_err(|error| malformed::<T>(&error))?,
    })
}

/// Puts a record, and again if the answer was lost.
async fn put(
    records: &dyn SharedRecords,
    record: &SharedRecord,
    replaces: Option<&[u8]>,
) -> Result<bool, LedgerError> {
    let mut tries = 1;
    loop {
        match records.put_shared(record, replaces).await {
            Err(LedgerError::Unknown(_)) if tries < TRIES => tries += 1,
            put => return put,
        }
    }
}

fn failed<T: SharedValue>(source: LedgerError) -> SharedRecordsError {
    let kind = T::KIND;
    SharedRecordsError::Store { kind, source }
}

fn malformed<T: SharedValue>(error: &serde_json::Error) -> SharedRecordsError {
    SharedRecordsError::Malformed {
        kind: T::KIND,
        why: error.to_string(),
    }
}

#[cfg(test)]
mod tests;
