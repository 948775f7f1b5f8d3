//! Sessions of browsers: some hours long, begun with the code of a login link or with a token.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use axum::http::request::Parts;
use folkmoot::Proof;
use folkmoot::core::ids::PersonName;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::bearer::bearer;
use super::lease::Lessor;
use super::records::{RecordFile, RecordsError};
use super::secret::{RandomnessError, Secret, SecretHash, SecretKind};
use super::tokens::Tokens;
use super::{Authenticate, AuthenticateError, Caller};

mod codes;

use codes::Codes;

/// The time for which a session holds.
const SESSION: SignedDuration = SignedDuration::from_hours(12);
/// The most sessions of one user or token. Another one ends the oldest.
const SESSIONS_MAX: usize = 32;

/// The user of the machine who runs a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalUser {
    /// The number.
    pub uid: u32,
    /// The name that rooms call them by unless they choose another one.
    pub display: PersonName,
}

/// The sessions of a server. Its clones are one.
#[derive(Debug, Clone)]
pub struct Sessions(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    file: RecordFile,
    user: LocalUser,
    tokens: Option<Tokens>,
    codes: Codes,
    open: Mutex<HashMap<SecretHash, OpenSession>>,
}

#[derive(Debug)]
struct OpenSession {
    record: SessionRecord,
    lessor: Lessor,
}

/// A session as it stands in its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionRecord {
    sha256: SecretHash,
    origin: SessionOrigin,
    begun: Timestamp,
    ends: Timestamp,
}

/// The proof by which a session began. It ends with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum SessionOrigin {
    /// The code of a login link: the user of the machine.
    Local {
        uid: u32,
        /// The name, as it was claimed.
        display: PersonName,
    },
    /// A token.
    Token { sha256: SecretHash },
}

impl SessionOrigin {
    /// Tells whether both are of one user or token.
    fn is_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Local { uid: one, .. }, Self::Local { uid: other, .. }) => one == other,
            (Self::Token { sha256: one }, Self::Token { sha256: other }) => one == other,
            (Self::Local { .. }, Self::Token { .. }) | (Self::Token { .. }, Self::Local { .. }) => {
                false
            }
        }
    }
}

/// The reason that no session began or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The code is not known, was used, or is too old. They are not told apart.
    #[error("the code was used, is too old, or never was: `folkmoot login` makes another link")]
    WrongCode,
    /// There were too many wrong codes. A right one is taken all the same: nobody can lock the
    /// user of the machine out.
    #[error("there were too many wrong codes: wait, or make another link with `folkmoot login`")]
    TooManyCodes {
        /// The time until the next wrong one is looked at.
        wait: Duration,
    },
    /// The token begins no session.
    #[error(transparent)]
    Token(#[from] AuthenticateError),
    /// The session cannot be kept.
    #[error(transparent)]
    File(#[from] RecordsError),
    /// There is no secret to be had.
    #[error(transparent)]
    Randomness(#[from] RandomnessError),
}

impl Sessions {
    /// The sessions that the file `path` keeps; a file that is not there has none. `user` is
    /// whoever opens a login link, and `tokens` can begin sessions as well.
    ///
    /// # Errors
    /// [`RecordsError`].
    pub fn open(
        path: impl AsRef<Path>,
        user: LocalUser,
        tokens: Option<Tokens>,
    ) -> Result<Self, RecordsError> {
        let file = RecordFile::at(path.as_ref());
        let records: Vec<(usize, SessionRecord)> = match file.stamp()? {
            Some(_) => file.read()?.1,
            None => Vec::new(),
        };
        let open = records.into_iter().map(|(_, record)| {
            let lessor = Lessor::new();
            (record.sha256, OpenSession { record, lessor })
        });
        Ok(Self(Arc::new(Inner {
            file,
            user,
            tokens,
            codes: Codes::new(),
            open: Mutex::new(open.collect()),
        })))
    }

    /// Makes a code for a login link. It works once and for 10 minutes, and whoever has it is the
    /// user of the machine.
    ///
    /// # Errors
    /// [`RandomnessError`].
    pub fn code(&self) -> Result<Secret, RandomnessError> {
        self.0.codes.make(now())
    }

    /// Begins a session with a code, for the user of the machine under the name `display`.
    ///
    /// # Errors
    /// [`SessionError`].
    pub async fn begin_with_code(
        &self,
        code: &Secret,
        display: Option<PersonName>,
    ) -> Result<(Secret, Caller), SessionError> {
        let code = self.0.codes.take(code, now())?;
        let LocalUser {
            uid,
            display: login,
        } = self.0.user.clone();
        let display = display.unwrap_or(login);
        let begun = self.begin(SessionOrigin::Local { uid, display }).await;
        if begun.is_err() {
            // Only a session that began uses a code up.
            self.0.codes.put_back(code);
        }
        begun
    }

    /// Begins a session with a token of the server's file; `None` if it is another kind of token.
    /// It ends with the token.
    ///
    /// # Errors
    /// [`SessionError`].
    pub async fn begin_with_token(
        &self,
        token: &Secret,
    ) -> Result<Option<(Secret, Caller)>, SessionError> {
        if self.0.tokens.is_none() || !SecretKind::Token.fits(token) {
            return Ok(None);
        }
        let sha256 = token.hash();
        let origin = SessionOrigin::Token { sha256 };
        // A token that is worth nothing leaves no trace.
        self.0.principal(&origin)?;
        self.begin(origin).await.map(Some)
    }

    async fn begin(&self, origin: SessionOrigin) -> Result<(Secret, Caller), SessionError> {
        let secret = Secret::random(SecretKind::Session)?;
        let begun = now();
        let record = SessionRecord {
            sha256: secret.hash(),
            origin,
            begun,
            ends: begun.checked_add(SESSION).unwrap_or(Timestamp::MAX),
        };
        let inner = Arc::clone(&self.0);
        let caller = blocking(move || inner.begin(record)).await??;
        Ok((secret, caller))
    }

    /// Ends the session with this token, in open streams too; false if there is none.
    ///
    /// # Errors
    /// [`SessionError::File`] if the end cannot be kept. The session has ended all the same, until
    /// the server starts again.
    pub async fn end(&self, session: &Secret) -> Result<bool, SessionError> {
        let hash = session.hash();
        if self.0.open().remove(&hash).is_none() {
            return Ok(false);
        }
        let inner = Arc::clone(&self.0);
        blocking(move || inner.keep()).await??;
        Ok(true)
    }

    /// The caller whose session this is.
    pub(super) fn caller(&self, session: &Secret) -> Result<Caller, AuthenticateError> {
        self.0.caller(&session.hash(), now())
    }
}

#[async_trait]
impl Authenticate for Sessions {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        self.caller(&bearer(parts)?)
    }
}

impl Inner {
    fn open(&self) -> MutexGuard<'_, HashMap<SecretHash, OpenSession>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a session once it is in the file.
    fn begin(&self, record: SessionRecord) -> Result<Caller, SessionError> {
        let (hash, begun) = (record.sha256, record.begun);
        let lessor = Lessor::new();
        {
            let mut open = self.open();
            let of_same = |one: &OpenSession| one.record.origin.is_of(&record.origin);
            let mut same: Vec<_> = open.values().filter(|one| of_same(one)).collect();
            same.sort_by_key(|one| one.record.begun);
            let spare = (same.len() + 1).saturating_sub(SESSIONS_MAX);
            let spare: Vec<_> = same
                .iter()
                .take(spare)
                .map(|one| one.record.sha256)
                .collect();
            open.retain(|hash, one| begun < one.record.ends && !spare.contains(hash));
            open.insert(hash, OpenSession { record, lessor });
        }
        if let Err(error) = self.keep() {
            self.open().remove(&hash);
            return Err(error.into());
        }
        Ok(self.caller(&hash, begun)?)
    }

    /// Writes all sessions that are open.
    fn keep(&self) -> Result<(), RecordsError> {
        self.file.change(|records: &mut Vec<SessionRecord>| {
            let open = self.open();
            *records = open.values().map(|one| one.record.clone()).collect();
            records.sort_by_key(|record| record.begun);
            Ok(())
        })
    }

    fn caller(&self, hash: &SecretHash, now: Timestamp) -> Result<Caller, AuthenticateError> {
        let open = self.open();
        let session = open.get(hash).filter(|one| now < one.record.ends);
        let Some(OpenSession { record, lessor }) = session else {
            return Err(AuthenticateError::Unknown);
        };
        let caller = self.principal(&record.origin)?;
        let lease = lessor.lease(Some(record.ends.into()));
        Ok(Caller {
            lease: lease.and(caller.lease.clone()),
            ..caller
        })
    }

    /// Whoever began a session.
    fn principal(&self, origin: &SessionOrigin) -> Result<Caller, AuthenticateError> {
        match origin {
            SessionOrigin::Local { uid, display } => {
                Ok(Caller::of(Proof::local(*uid, display.clone())))
            }
            SessionOrigin::Token { sha256 } => match &self.tokens {
                Some(tokens) => tokens.caller_of(sha256, SystemTime::now()),
                None => Err(AuthenticateError::Unknown),
            },
        }
    }
}

fn now() -> Timestamp {
    Timestamp::now()
}

/// Does what writes files, where that holds nobody up.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AuthenticateError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| AuthenticateError::Unavailable(error.to_string()))
}

#[cfg(test)]
mod tests;
