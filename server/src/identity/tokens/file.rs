//! Minting, listing and revoking tokens.

use std::path::{Path, PathBuf};
use std::time::Duration;

use folkmoot::Rights;
use folkmoot::core::ids::PersonName;
use jiff::{SignedDuration, Timestamp};

use super::super::WorldPattern;
use super::super::records::{RecordFile, RecordsError};
use super::super::secret::{RandomnessError, Secret, SecretHash, SecretKind};
use super::super::shared::SharedRecordsError;
use super::record::{PrincipalKind, Revocation, TokenRecord};

/// The fewest characters by which a token is called.
const PREFIX_MIN: usize = 4;

/// A token to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// The holder.
    pub name: PersonName,
    /// The kind of the holder.
    pub kind: PrincipalKind,
    /// The rights; `None` for the usual ones of the kind.
    pub may: Option<Rights>,
    /// The worlds that it reaches.
    pub worlds: Vec<WorldPattern>,
    /// True if it may open new worlds.
    pub create: bool,
    /// The time for which it holds; `None` if it does not end by itself.
    pub lasts: Option<Duration>,
    /// Whoever makes it.
    pub minted_by: String,
}

impl NewToken {
    /// The token with the hash `sha256` that is made at the time `now`.
    pub(super) fn record(
        self,
        sha256: SecretHash,
        now: Timestamp,
    ) -> Result<TokenRecord, TokenError> {
        Ok(TokenRecord {
            id: sha256.short(),
            sha256,
            name: self.name,
            kind: self.kind,
            may: self.may.unwrap_or_else(|| self.kind.usual_rights()),
            worlds: self.worlds,
            create: self.create,
            minted_by: self.minted_by,
            minted_at: now,
            expires: self.lasts.map(|lasts| after(now, lasts)).transpose()?,
            revoked: None,
        })
    }
}

/// The reason that a token was not made or revoked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file.
    #[error(transparent)]
    File(#[from] RecordsError),
    /// There is no secret to be had.
    #[error(transparent)]
    Randomness(#[from] RandomnessError),
    /// It would hold for longer than times can be written.
    #[error("a token cannot hold that long: say fewer days, or leave its end out")]
    TooLong,
    /// No token is called that.
    #[error("{} has no token {prefix:?}: `folkmoot token list --tokens {}` lists them", file.display(), file.display())]
    NoSuchToken {
        /// The file.
        file: PathBuf,
        /// The beginning of its id.
        prefix: String,
    },
    /// No token that the nodes of the store share is called that.
    #[error("the store has no token {prefix:?}: `folkmoot token list` lists them")]
    Unlisted {
        /// The beginning of its id.
        prefix: String,
    },
    /// The records that the nodes of the store share.
    #[error(transparent)]
    Shared(#[from] SharedRecordsError),
    /// Several tokens are.
    #[error("the ids of {count} tokens begin with {prefix:?}: write more of the one that you mean")]
    Ambiguous {
        /// The beginning of their ids.
        prefix: String,
        /// Their number.
        count: usize,
    },
    /// The beginning is that of almost any.
    #[error("write at least {PREFIX_MIN} characters of a token's id")]
    TooShort,
}

/// The file of tokens, for whoever makes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenFile(RecordFile);

impl TokenFile {
    /// The file at `path`, which need not exist.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(RecordFile::at(path))
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Makes a token at the time `now`, and keeps its hash. The secret is nowhere but in the
    /// answer.
    ///
    /// # Errors
    /// [`TokenError`]; then there is no new token.
    pub fn mint(&self, new: NewToken, now: Timestamp) -> Result<(Secret, TokenRecord), TokenError> {
        let secret = Secret::random(SecretKind::Token)?;
        let record = new.record(secret.hash(), now)?;
        self.0.change(|records: &mut Vec<TokenRecord>| {
            records.push(record.clone());
            Ok::<_, TokenError>(())
        })?;
        Ok((secret, record))
    }

    /// All tokens, oldest first, also those that are worth nothing any more.
    ///
    /// # Errors
    /// [`RecordsError`].
    pub fn list(&self) -> Result<Vec<TokenRecord>, RecordsError> {
        let (_, records) = self.0.read()?;
        Ok(records.into_iter().map(|(_, record)| record).collect())
    }

    /// Revokes the token whose id begins with `prefix`, in the name of `by` and at the time `now`.
    /// One that was revoked before stays as it is.
    ///
    /// # Errors
    /// [`TokenError`]; then nothing is revoked.
    pub fn revoke(
        &self,
        prefix: &str,
        by: &str,
        now: Timestamp,
    ) -> Result<TokenRecord, TokenError> {
        check_prefix(prefix)?;
        if self.0.stamp()?.is_none() {
            return Err(self.no_such(prefix));
        }
        self.0.change(|records: &mut Vec<TokenRecord>| {
            let place = place_of(records, prefix)?;
            let found = place.and_then(|place| records.get_mut(place));
            let record = found.ok_or_else(|| self.no_such(prefix))?;
            let by = by.to_owned();
            record.revoked.get_or_insert(Revocation { by, at: now });
            Ok(record.clone())
        })
    }

    fn no_such(&self, prefix: &str) -> TokenError {
        TokenError::NoSuchToken {
            file: self.path().to_owned(),
            prefix: prefix.to_owned(),
        }
    }
}

/// Refuses a beginning that is that of almost any id.
fn check_prefix(prefix: &str) -> Result<(), TokenError> {
    if prefix.len() < PREFIX_MIN {
        return Err(TokenError::TooShort);
    }
    Ok(())
}

/// The place of the token whose id begins with `prefix`; `None` if there is none.
///
/// # Errors
/// [`TokenError::TooShort`]; [`TokenError::Ambiguous`] if there are several.
pub(super) fn place_of(records: &[TokenRecord], prefix: &str) -> Result<Option<usize>, TokenError> {
    check_prefix(prefix)?;
    let places = records.iter().enumerate();
    let mut called = places.filter(|(_, record)| record.id.starts_with(prefix));
    let first = called.next().map(|(place, _)| place);
    match called.count() {
        0 => Ok(first),
        more => Err(TokenError::Ambiguous {
            prefix: prefix.to_owned(),
            count: more + 1,
        }),
    }
}

/// The time that is `span` behind `now`.
fn after(now: Timestamp, span: Duration) -> Result<Timestamp, TokenError> {
    let span = SignedDuration::try_from(span).map_err(|_| TokenError::TooLong)?;
    now.checked_add(span).map_err(|_| TokenError::TooLong)
}
