//! Tokens out of a file, which is read anew when it changes, or those that the nodes of a store share.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use axum::http::request::Parts;
use folkmoot::store::SharedRecords;
use tokio::time::{MissedTickBehavior, interval};

use super::bearer::bearer;
use super::lease::Lessor;
use super::records::{FileStamp, RecordFile, RecordsError};
use super::secret::{Secret, SecretHash};
use super::shared::{SharedRecordsError, SharedTable};
use super::{Authenticate, AuthenticateError, Caller};

mod file;
mod record;
mod table;

pub use file::{NewToken, TokenError, TokenFile};
pub use record::{PrincipalKind, Revocation, TokenRecord};
pub use table::TokenTable;

/// The longest time until a change of the file counts.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The callers whom tokens name. Its clones are one.
#[derive(Debug, Clone)]
pub struct Tokens(Kind);

#[derive(Debug, Clone)]
enum Kind {
    File(Arc<Inner>),
    Shared(Arc<SharedTable<TokenRecord>>),
}

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
        Ok(Self(Kind::File(inner)))
    }

    /// Reads the tokens that all nodes of a store share, and looks every second whether they changed. A token that is revoked
    /// anywhere ends within two seconds, in open streams too; a new one counts at once. While the store cannot be asked,
    /// known tokens count for 30 s. Call it within a runtime.
    ///
    /// # Errors
    /// [`SharedRecordsError`]. Later ones are logged once.
    pub async fn shared(records: Arc<dyn SharedRecords>) -> Result<Self, SharedRecordsError> {
        let table = SharedTable::open(records).await?;
        Ok(Self(Kind::Shared(table)))
    }

    /// The caller whose token this is.
    pub(super) async fn caller(&self, token: &Secret) -> Result<Caller, AuthenticateError> {
        self.caller_of(&token.hash(), SystemTime::now()).await
    }

    /// The caller whose token has this hash.
    pub(super) async fn caller_of(
        &self,
        hash: &SecretHash,
        now: SystemTime,
    ) -> Result<Caller, AuthenticateError> {
        let table = match &self.0 {
            Kind::File(inner) => return inner.caller_of(hash, now),
            Kind::Shared(table) => table,
        };
        match table.find(hash).await? {
            Some((record, lease)) => record.caller(lease, now),
            None => Err(AuthenticateError::Unknown),
        }
    }
}

#[async_trait]
impl Authenticate for Tokens {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        self.caller(&bearer(parts)?).await
    }
}

impl Inner {
    fn caller_of(&self, hash: &SecretHash, now: SystemTime) -> Result<Caller, AuthenticateError> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        match table.tokens.get(hash) {
            Some(Entry { record, lessor }) => record.caller(lessor.lease(None), now),
            None => Err(AuthenticateError::Unknown),
        }
    }

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
