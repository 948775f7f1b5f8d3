//! The small records that all processes of a ledger share: the tokens and sessions of servers, and the like.

use std::fmt::Debug;

use async_trait::async_trait;

use super::LedgerError;
use super::check::within;

/// The most bytes of a kind of shared records.
pub const SHARED_KIND_BYTES_MAX: usize = 64;

/// The most bytes of the key of a shared record.
pub const SHARED_KEY_BYTES_MAX: usize = 256;

/// The most bytes of the value of a shared record: 1 MiB.
pub const SHARED_VALUE_BYTES_MAX: usize = 1024 * 1024;

/// The small records that all processes of a ledger share. They are of no world, and each kind of them has a version, by
/// which others learn of changes: they ask for one number, and read again if it is another one.
#[async_trait]
pub trait SharedRecords: Send + Sync + Debug {
    /// Keeps a record in the place of the value `replaces`, or of none. True if it stands there now, also if it did so
    /// before: what was lost on the way is sent again. False if another value stands there, or none: nothing is changed.
    ///
    /// # Errors
    /// [`LedgerError::Invalid`] for what [`check_shared`] refuses; else see [`LedgerError`].
    async fn put_shared(
        &self,
        record: &SharedRecord,
        replaces: Option<&[u8]>,
    ) -> Result<bool, LedgerError>;

    /// Removes a record. Of several who do so at once, one gets true.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn remove_shared(&self, kind: &str, key: &[u8]) -> Result<bool, LedgerError>;

    /// The value under a key; `None` if there is none.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn shared(&self, kind: &str, key: &[u8]) -> Result<Option<Vec<u8>>, LedgerError>;

    /// The records of a kind by their keys, from the one behind `after`, at most `limit`.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn all_shared(
        &self,
        kind: &str,
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<SharedRecord>, LedgerError>;

    /// The version of a kind: zero at first, and greater with each change, in the same step. Whoever reads it before the
    /// records has at least the changes up to it.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn shared_version(&self, kind: &str) -> Result<u64, LedgerError>;
}

/// A small record that all processes of a ledger share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedRecord {
    /// Its kind, in lower-case letters and hyphens.
    pub kind: String,
    /// Its key, which no other of its kind has.
    pub key: Vec<u8>,
    /// Its value.
    pub value: Vec<u8>,
}

/// Checks a shared record before it is kept.
///
/// # Errors
/// [`LedgerError::Invalid`] if its kind is no word in lower-case letters, if its key is empty, or if a part of it is too
/// large.
pub fn check_shared(record: &SharedRecord) -> Result<(), LedgerError> {
    let SharedRecord { kind, key, value } = record;
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    if kind.is_empty() || !kind.bytes().all(is_letter) {
        let why = format!("{kind:?} is no kind of shared records");
        return Err(LedgerError::Invalid(why));
    }
    if key.is_empty() {
        let why = format!("the key of a shared record of the kind {kind} is empty");
        return Err(LedgerError::Invalid(why));
    }
    let part = |what: &str| format!("the {what} of a shared record of the kind {kind}");
    within(
        "a kind of shared records",
        kind.len(),
        SHARED_KIND_BYTES_MAX,
    )?;
    within(&part("key"), key.len(), SHARED_KEY_BYTES_MAX)?;
    within(&part("value"), value.len(), SHARED_VALUE_BYTES_MAX)
}
