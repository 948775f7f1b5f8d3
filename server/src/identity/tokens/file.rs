//! Minting, listing and revoking tokens.

use std::path::{Path, PathBuf};
use std::time::Duration;

use folkmoot::Rights;
use folkmoot::core::ids::PersonName;
use jiff::{SignedDuration, Timestamp};

use super::super::WorldPattern;
use super::super::records::{RecordFile, RecordsError};
use super::super::secret::{RandomnessError, Secret, SecretKind};
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
        let sha256 = secret.hash();
        let record = TokenRecord {
            id: sha256.short(),
            sha256,
            name: new.name,
            kind: new.kind,
            may: new.may.unwrap_or_else(|| new.kind.usual_rights()),
            worlds: new.worlds,
            create: new.create,
            minted_by: new.minted_by,
            minted_at: now,
            expires: new.lasts.map(|lasts| after(now, lasts)).transpose()?,
            revoked: None,
        };
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
        if prefix.len() < PREFIX_MIN {
            return Err(TokenError::TooShort);
        }
        if self.0.stamp()?.is_none() {
            return Err(self.no_such(prefix));
        }
        self.0.change(|records: &mut Vec<TokenRecord>| {
            let called = |record: &&mut TokenRecord| record.id.starts_with(prefix);
            let mut found: Vec<_> = records.iter_mut().filter(called).collect();
            let count = found.len();
            match (found.pop(), count) {
                (Some(record), 1) => {
                    let by = by.to_owned();
                    record.revoked.get_or_insert(Revocation { by, at: now });
                    Ok(record.clone())
                }
                (Some(_), _) => Err(TokenError::Ambiguous {
                    prefix: prefix.to_owned(),
                    count,
                }),
                (None, _) => Err(self.no_such(prefix)),
            }
        })
    }

    fn no_such(&self, prefix: &str) -> TokenError {
        TokenError::NoSuchToken {
            file: self.path().to_owned(),
            prefix: prefix.to_owned(),
        }
    }
}

/// The time that is `span` behind `now`.
fn after(now: Timestamp, span: Duration) -> Result<Timestamp, TokenError> {
    let span = SignedDuration::try_from(span).map_err(|_| TokenError::TooLong)?;
    now.checked_add(span).map_err(|_| TokenError::TooLong)
}
