//! Sessions of browsers: some hours long, begun with the code of a login link or with a token.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use axum::http::request::Parts;
use folkmoot::core::ids::PersonName;
use folkmoot::store::SharedRecords;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::bearer::bearer;
use super::lease::Lessor;
use super::records::{RecordFile, RecordsError};
use super::secret::{RandomnessError, Secret, SecretHash, SecretKind};
use super::shared::SharedRecordsError;
use super::tokens::Tokens;
use super::{Authenticate, AuthenticateError, Caller};

mod codes;
mod shared;

use codes::Codes;
use shared::SharedSessions;
pub use shared::login_code;

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
pub struct Sessions(Kind);

#[derive(Debug, Clone)]
enum Kind {
    File(Arc<Inner>),
    Shared(Arc<SharedSessions>),
}

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

impl SessionRecord {
    fn begun(sha256: SecretHash, origin: SessionOrigin, begun: Timestamp) -> Self {
        Self {
            sha256,
            origin,
            begun,
            ends: begun.checked_add(SESSION).unwrap_or(Timestamp::MAX),
        }
    }
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
    /// Whoever began the session; nobody once their token is worth nothing.
    async fn caller(&self, tokens: Option<&Tokens>) -> Result<Caller, AuthenticateError> {
        match (self, tokens) {
            (Self::Local { uid, display }, _) => Ok(Caller::local(*uid, display)),
            (Self::Token { sha256 }, Some(tokens)) => {
                tokens.caller_of(sha256, SystemTime::now()).await
            }
            (Self::Token { .. }, None) => Err(AuthenticateError::Unknown),
        }
    }

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
    /// The session, or the code, cannot be kept where all nodes find it.
    #[error(transparent)]
    Shared(#[from] SharedRecordsError),
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
        Ok(Self(Kind::File(Arc::new(Inner {
            file,
            user,
            tokens,
            codes: Codes::new(),
            open: Mutex::new(open.collect()),
        }))))
    }

    /// The sessions that all nodes of a store share: one that begins at any of them is valid at all, and its end, wherever it
    /// comes from, counts at all within two seconds. A code that any of them made, or [`login_code`], works once, and makes a
    /// session of whoever made it; `user` is whom this one makes codes for. While the store cannot be asked, known sessions
    /// count for 30 s. Call it within a runtime.
    ///
    /// # Errors
    /// [`SharedRecordsError`]. Later ones are logged once.
    pub async fn shared(
        records: Arc<dyn SharedRecords>,
        user: LocalUser,
        tokens: Option<Tokens>,
    ) -> Result<Self, SharedRecordsError> {
        let sessions = SharedSessions::open(records, user, tokens).await?;
        Ok(Self(Kind::Shared(Arc::new(sessions))))
    }

    /// Makes a code for a login link. It works once and for 10 minutes, and whoever has it is the
    /// user of the machine.
    ///
    /// # Errors
    /// [`SessionError`].
    pub async fn code(&self) -> Result<Secret, SessionError> {
        match &self.0 {
            Kind::File(inner) => Ok(inner.codes.make(now())?),
            Kind::Shared(shared) => shared.code().await,
        }
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
        match &self.0 {
            Kind::File(inner) => begin_with_code(inner, code, display).await,
            Kind::Shared(shared) => shared.begin_with_code(code, display).await,
        }
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
        match &self.0 {
            Kind::File(inner) => begin_with_token(inner, token).await,
            Kind::Shared(shared) => shared.begin_with_token(token).await,
        }
    }

    /// Ends the session with this token, in open streams too; false if there is none.
    ///
    /// # Errors
    /// [`SessionError::File`] if the end cannot be kept. The session has ended all the same, until
    /// the server starts again. [`SessionError::Shared`] if nobody can say whether it has ended.
    pub async fn end(&self, session: &Secret) -> Result<bool, SessionError> {
        let inner = match &self.0 {
            Kind::File(inner) => Arc::clone(inner),
            Kind::Shared(shared) => return shared.end(session).await,
        };
        let hash = session.hash();
        if inner.open().remove(&hash).is_none() {
            return Ok(false);
        }
        blocking(move || inner.keep()).await??;
        Ok(true)
    }

    /// The caller whose session this is.
    pub(super) async fn caller(&self, session: &Secret) -> Result<Caller, AuthenticateError> {
        let hash = session.hash();
        match &self.0 {
            Kind::File(inner) => inner.caller(&hash, now()).await,
            Kind::Shared(shared) => shared.caller(&hash).await,
        }
    }
}

#[async_trait]
impl Authenticate for Sessions {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        self.caller(&bearer(parts)?).await
    }
}

/// Begins a session that a file keeps with a code.
async fn begin_with_code(
    inner: &Arc<Inner>,
    code: &Secret,
    display: Option<PersonName>,
) -> Result<(Secret, Caller), SessionError> {
    let code = inner.codes.take(code, now())?;
    let LocalUser {
        uid,
        display: login,
    } = inner.user.clone();
    let display = display.unwrap_or(login);
    let begun = begin(inner, SessionOrigin::Local { uid, display }).await;
    if begun.is_err() {
        // Only a session that began uses a code up.
        inner.codes.put_back(code);
    }
    begun
}

/// Begins a session that a file keeps with a token.
async fn begin_with_token(
    inner: &Arc<Inner>,
    token: &Secret,
) -> Result<Option<(Secret, Caller)>, SessionError> {
    if inner.tokens.is_none() || !SecretKind::Token.fits(token) {
        return Ok(None);
    }
    let sha256 = token.hash();
    let origin = SessionOrigin::Token { sha256 };
    // A token that is worth nothing leaves no trace.
    origin.caller(inner.tokens.as_ref()).await?;
    begin(inner, origin).await.map(Some)
}

async fn begin(
    inner: &Arc<Inner>,
    origin: SessionOrigin,
) -> Result<(Secret, Caller), SessionError> {
    let secret = Secret::random(SecretKind::Session)?;
    let record = SessionRecord::begun(secret.hash(), origin, now());
    let (hash, begun) = (record.sha256, record.begun);
    let keeper = Arc::clone(inner);
    blocking(move || keeper.begin(record)).await??;
    Ok((secret, inner.caller(&hash, begun).await?))
}

impl Inner {
    fn open(&self) -> MutexGuard<'_, HashMap<SecretHash, OpenSession>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a session once it is in the file.
    fn begin(&self, record: SessionRecord) -> Result<(), SessionError> {
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
        Ok(())
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

    async fn caller(&self, hash: &SecretHash, now: Timestamp) -> Result<Caller, AuthenticateError> {
        let session = {
            let open = self.open();
            let session = open.get(hash).filter(|one| now < one.record.ends);
            session.map(|OpenSession { record, lessor }| {
                let lease = lessor.lease(Some(record.ends.into()));
                (record.origin.clone(), lease)
            })
        };
        let (origin, lease) = session.ok_or(AuthenticateError::Unknown)?;
        let caller = origin.caller(self.tokens.as_ref()).await?;
        Ok(Caller {
            lease: lease.and(caller.lease.clone()),
            ..caller
        })
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
