//! Tokens out of a file, which is read anew when it changes.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use axum::http::request::Parts;
use tokio::time::{MissedTickBehavior, interval};

use super::bearer::bearer;
use super::lease::Lessor;
use super::records::{FileStamp, RecordFile, RecordsError};
use super::secret::{Secret, SecretHash};
use super::{Authenticate, AuthenticateError, Caller};

mod file;
mod record;

pub use file::{NewToken, TokenError, TokenFile};
pub use record::{PrincipalKind, Revocation, TokenRecord};

/// The longest time until a change of the file counts.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The callers whom a file of tokens names. Its clones are one.
#[derive(Debug, Clone)]
pub struct Tokens(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    file: RecordFile,
    table: RwLock<Table>,
}

/// The tokens of the file.
#[derive(Debug, Default)]
struct Table {
    /// The state of the file that was looked at last.
    stamp: Option<FileStamp>,
    /// The tokens that are not revoked, by their hashes.
    tokens: HashMap<SecretHash, Entry>,
}

#[derive(Debug)]
struct Entry {
    record: TokenRecord,
    lessor: Lessor,
}

impl Tokens {
    /// Reads the file `path`, and looks every 250 ms whether it changed. A token that is revoked
    /// there ends, in open streams too. Call it within a runtime.
    ///
    /// # Errors
    /// [`RecordsError`] if the file is not there or cannot be used. Later ones are logged once, and
    /// the last good tokens stay in force.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordsError> {
        let inner = Arc::new(Inner {
            file: RecordFile::at(path.as_ref()),
            table: RwLock::default(),
        });
        inner.read()?;
        tokio::spawn(follow(Arc::downgrade(&inner)));
        Ok(Self(inner))
    }

    /// The caller whose token this is.
    pub(super) fn caller(&self, token: &Secret) -> Result<Caller, AuthenticateError> {
        self.caller_of(&token.hash(), SystemTime::now())
    }

    /// The caller whose token has this hash.
    pub(super) fn caller_of(
        &self,
        hash: &SecretHash,
        now: SystemTime,
    ) -> Result<Caller, AuthenticateError> {
        let table = self.0.table.read().unwrap_or_else(PoisonError::into_inner);
        let entry = table.tokens.get(hash);
        let entry = entry.filter(|entry| entry.record.end().is_none_or(|end| now < end));
        let Some(Entry { record, lessor }) = entry else {
            return Err(AuthenticateError::Unknown);
        };
        Ok(Caller {
            proof: record.proof(),
            may: record.permissions(),
            lease: lessor.lease(record.end()),
        })
    }
}

#[async_trait]
impl Authenticate for Tokens {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        self.caller(&bearer(parts)?)
    }
}

impl Inner {
    fn read(&self) -> Result<(), RecordsError> {
        let (stamp, records) = self.file.read()?;
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let tokens = table.followed_by(records, &self.file)?;
        *table = Table {
            stamp: Some(stamp),
            tokens,
        };
        Ok(())
    }

    /// Reads the file again if it changed.
    fn look(&self) -> Result<(), RecordsError> {
        let stamp = self.file.stamp()?;
        let known = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let is_known = known.stamp == stamp;
        drop(known);
        if is_known { Ok(()) } else { self.read() }
    }
}

impl Table {
    /// The tokens of `records`. Those that are as before keep their leases; the leases of the
    /// others end when this table is dropped.
    fn followed_by(
        &mut self,
        records: Vec<(usize, TokenRecord)>,
        file: &RecordFile,
    ) -> Result<HashMap<SecretHash, Entry>, RecordsError> {
        let mut tokens = HashMap::new();
        for (line, record) in &records {
            let is_new = tokens.insert(record.sha256, *line).is_none();
            if !is_new {
                return Err(file.broken(*line, "another line has this token"));
            }
        }
        let mut old = std::mem::take(&mut self.tokens);
        let records = records.into_iter().map(|(_, record)| record);
        let entry = |record: TokenRecord| {
            let known = old.remove(&record.sha256);
            let lessor = known.filter(|known| known.record == record);
            let lessor = lessor.map(|known| known.lessor).unwrap_or_default();
            (record.sha256, Entry { record, lessor })
        };
        let records = records.filter(|record| record.revoked.is_none());
        Ok(records.map(entry).collect())
    }
}

/// Looks at the file until nobody needs its tokens any more.
async fn follow(inner: Weak<Inner>) {
    let mut looks = interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut said = None;
    loop {
        looks.tick().await;
        let Some(inner) = inner.upgrade() else {
            return;
        };
        // A file system that does not answer must not hold up what else runs on this thread.
        let looked = tokio::task::spawn_blocking(move || inner.look()).await;
        let fault = match looked {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(folkmoot::core::port::causes::with_causes(&error)),
            Err(error) => Some(error.to_string()),
        };
        if fault != said {
            match &fault {
                Some(why) => tracing::error!(why, "the tokens stay as they were read before"),
                None => tracing::warn!("the file of the tokens is read again"),
            }
            said = fault;
        }
    }
}

#[cfg(test)]
mod tests;
