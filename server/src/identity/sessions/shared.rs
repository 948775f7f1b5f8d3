//! The sessions of all nodes of a store.

use std::sync::Arc;
use std::time::Duration;

use folkmoot::core::ids::PersonName;
use folkmoot::store::SharedRecords;
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, RateLimiter};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::lease::Lease;
use super::super::secret::{Secret, SecretHash, SecretKind};
use super::super::shared::{SharedRecordsError, SharedTable, SharedValue, put_new, read_all};
use super::super::tokens::Tokens;
use super::super::{AuthenticateError, Caller};
use super::codes::{CODE, CODES_MAX, wrong_codes};
use super::{LocalUser, SESSIONS_MAX, SessionError, SessionOrigin, SessionRecord, now};

impl SharedValue for SessionRecord {
    const KIND: &'static str = "session";
    const LOOK_EVERY: Duration = Duration::from_secs(1);

    fn counts(&self) -> bool {
        true
    }
}

/// The code of a login link that nobody has used yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CodeRecord {
    /// Whoever made it, and is whoever uses it.
    uid: u32,
    display: PersonName,
    ends: Timestamp,
}

impl SharedValue for CodeRecord {
    const KIND: &'static str = "login-code";
    /// Each use looks for itself.
    const LOOK_EVERY: Duration = Duration::from_secs(60);

    fn counts(&self) -> bool {
        true
    }
}

/// Makes a code for a login link, which any node of the store takes. It works once and for 10 minutes, and whoever has it is
/// `user`.
///
/// # Errors
/// [`SessionError`].
pub async fn login_code(
    records: &dyn SharedRecords,
    user: &LocalUser,
) -> Result<Secret, SessionError> {
    let code = Secret::random(SecretKind::Code)?;
    let begun = now();
    let record = CodeRecord {
        uid: user.uid,
        display: user.display.clone(),
        ends: begun.checked_add(CODE).unwrap_or(Timestamp::MAX),
    };
    remove_spare_codes(records, begun).await?;
    put_new(records, &code.hash(), &record).await?;
    Ok(code)
}

/// Removes codes that are too old or do not read, and the oldest ones if there is no room for another.
async fn remove_spare_codes(
    records: &dyn SharedRecords,
    now: Timestamp,
) -> Result<(), SharedRecordsError> {
    let mut spare = Vec::new();
    let mut waiting = Vec::new();
    for (hash, code) in read_all::<CodeRecord>(records).await? {
        match code {
            Ok(code) if now < code.ends => waiting.push((code.ends, hash)),
            Ok(_) | Err(_) => spare.push(hash),
        }
    }
    waiting.sort_by_key(|(ends, _)| *ends);
    let most = (waiting.len() + 1).saturating_sub(CODES_MAX);
    spare.extend(waiting.iter().take(most).map(|(_, hash)| *hash));
    for hash in spare {
        let removed = records.remove_shared(CodeRecord::KIND, hash.as_bytes());
        removed.await.map_err(|source| SharedRecordsError::Store {
            kind: CodeRecord::KIND,
            source,
        })?;
    }
    Ok(())
}

/// The sessions that all nodes of a store share, as one of them knows them.
#[derive(Debug)]
pub(super) struct SharedSessions {
    records: Arc<dyn SharedRecords>,
    user: LocalUser,
    tokens: Option<Tokens>,
    sessions: Arc<SharedTable<SessionRecord>>,
    codes: Arc<SharedTable<CodeRecord>>,
    wrong: DefaultDirectRateLimiter,
}

impl SharedSessions {
    pub(super) async fn open(
        records: Arc<dyn SharedRecords>,
        user: LocalUser,
        tokens: Option<Tokens>,
    ) -> Result<Self, SharedRecordsError> {
        Ok(Self {
            sessions: SharedTable::open(Arc::clone(&records)).await?,
            codes: SharedTable::open(Arc::clone(&records)).await?,
            wrong: RateLimiter::direct(wrong_codes()),
            records,
            user,
            tokens,
        })
    }

    pub(super) async fn code(&self) -> Result<Secret, SessionError> {
        login_code(&*self.records, &self.user).await
    }

    /// Begins a session of whoever made the code.
    pub(super) async fn begin_with_code(
        &self,
        code: &Secret,
        display: Option<PersonName>,
    ) -> Result<(Secret, Caller), SessionError> {
        let used = self.take(code).await?;
        let origin = SessionOrigin::Local {
            uid: used.uid,
            display: display.unwrap_or_else(|| used.display.clone()),
        };
        let begun = self.begin(origin).await;
        if begun.is_err() {
            // Only a session that began uses a code up.
            let back = put_new(&*self.records, &code.hash(), &used).await;
            if let Err(error) = back {
                tracing::debug!(%error, "the code is used up all the same");
            }
        }
        begun
    }

    /// Uses a code up. Of all nodes one can do so.
    async fn take(&self, code: &Secret) -> Result<CodeRecord, SessionError> {
        let hash = code.hash();
        self.codes.look().await?;
        let known = self.codes.known(&hash)?;
        if let Some((record, _)) = known.filter(|(record, _)| now() < record.ends)
            && self.codes.remove(&hash).await?
        {
            return Ok(record);
        }
        match self.wrong.check() {
            Ok(()) => Err(SessionError::WrongCode),
            Err(until) => Err(SessionError::TooManyCodes {
                wait: until.wait_time_from(DefaultClock::default().now()),
            }),
        }
    }

    pub(super) async fn begin_with_token(
        &self,
        token: &Secret,
    ) -> Result<Option<(Secret, Caller)>, SessionError> {
        if self.tokens.is_none() || !SecretKind::Token.fits(token) {
            return Ok(None);
        }
        let sha256 = token.hash();
        let origin = SessionOrigin::Token { sha256 };
        // A token that is worth nothing leaves no trace.
        origin.caller(self.tokens.as_ref()).await?;
        self.begin(origin).await.map(Some)
    }

    async fn begin(&self, origin: SessionOrigin) -> Result<(Secret, Caller), SessionError> {
        let secret = Secret::random(SecretKind::Session)?;
        let record = SessionRecord::begun(secret.hash(), origin, now());
        self.sessions.put(&record.sha256, &record).await?;
        // From here on others count it. Whoever begins one last sees them all, so that no more are left than may be.
        self.sessions.look().await?;
        for hash in self.spare(&record) {
            self.sessions.remove(&hash).await?;
        }
        Ok((secret, self.caller(&record.sha256).await?))
    }

    /// The sessions that have ended by themselves, and the oldest ones that give way to `begun`.
    fn spare(&self, begun: &SessionRecord) -> Vec<SecretHash> {
        let others = self.sessions.all().into_iter();
        let others = others.filter(|(hash, _)| *hash != begun.sha256);
        let (open, mut spare): (Vec<_>, Vec<_>) =
            others.partition(|(_, record)| begun.begun < record.ends);
        let mut same: Vec<_> = open
            .into_iter()
            .filter(|(_, record)| record.origin.is_of(&begun.origin))
            .collect();
        same.sort_by_key(|(_, record)| record.begun);
        let most = (same.len() + 1).saturating_sub(SESSIONS_MAX);
        spare.extend(same.into_iter().take(most));
        spare.into_iter().map(|(hash, _)| hash).collect()
    }

    /// Ends a session, in open streams of all nodes too.
    pub(super) async fn end(&self, session: &Secret) -> Result<bool, SessionError> {
        let is_ended = self.sessions.remove(&session.hash()).await?;
        if let Err(error) = self.sessions.look().await {
            tracing::debug!(%error, "a session has ended, and is forgotten with the next look");
        }
        Ok(is_ended)
    }

    pub(super) async fn caller(&self, hash: &SecretHash) -> Result<Caller, AuthenticateError> {
        let found = self.sessions.find(hash).await?;
        let found = found.filter(|(record, _)| now() < record.ends);
        let Some((record, lease)) = found else {
            return Err(AuthenticateError::Unknown);
        };
        let caller = record.origin.caller(self.tokens.as_ref()).await?;
        let lease = lease.and(Lease::until(record.ends.into()));
        Ok(Caller {
            lease: lease.and(caller.lease.clone()),
            ..caller
        })
    }
}
