//! The tokens that the nodes of a store share, for whoever makes them.

use std::sync::Arc;
use std::time::Duration;

use folkmoot::store::SharedRecords;
use jiff::Timestamp;

use super::super::secret::{Secret, SecretHash, SecretKind};
use super::super::shared::{SharedRecordsError, SharedValue, put_new, read_all, replace};
use super::file::{NewToken, TokenError, place_of};
use super::record::{Revocation, TokenRecord};

/// How often a revocation is tried while others change the same token.
const TRIES: usize = 8;

impl SharedValue for TokenRecord {
    const KIND: &'static str = "token";
    const LOOK_EVERY: Duration = Duration::from_secs(1);

    fn counts(&self) -> bool {
        self.revoked.is_none()
    }
}

/// The tokens that all nodes of a store share, for whoever makes them.
#[derive(Debug, Clone)]
pub struct TokenTable(Arc<dyn SharedRecords>);

impl TokenTable {
    /// The tokens among the records that all nodes of a store share.
    #[must_use]
    pub const fn of(records: Arc<dyn SharedRecords>) -> Self {
        Self(records)
    }

    /// Makes a token at the time `now`, and keeps its hash. The secret is nowhere but in the answer.
    ///
    /// # Errors
    /// [`TokenError`]; then nobody has the secret of a new token.
    pub async fn mint(
        &self,
        new: NewToken,
        now: Timestamp,
    ) -> Result<(Secret, TokenRecord), TokenError> {
        let secret = Secret::random(SecretKind::Token)?;
        let record = new.record(secret.hash(), now)?;
        put_new(&*self.0, &record.sha256, &record).await?;
        Ok((secret, record))
    }

    /// All tokens, oldest first, also those that are worth nothing any more.
    ///
    /// # Errors
    /// [`SharedRecordsError`], also for a token that does not read.
    pub async fn list(&self) -> Result<Vec<TokenRecord>, SharedRecordsError> {
        let all = read_all::<TokenRecord>(&*self.0).await?.into_iter();
        let tokens: Result<Vec<_>, _> = all.map(|(_, token)| token).collect();
        let mut tokens = tokens?;
        let age = |token: &TokenRecord| (token.minted_at, String::from(token.sha256));
        tokens.sort_by_cached_key(age);
        Ok(tokens)
    }

    /// Revokes the token whose id begins with `prefix`, in the name of `by` and at the time `now`. One that was revoked before
    /// stays as it is. All nodes know it within two seconds.
    ///
    /// # Errors
    /// [`TokenError`]; nothing is revoked then, unless the store was lost before it answered.
    pub async fn revoke(
        &self,
        prefix: &str,
        by: &str,
        now: Timestamp,
    ) -> Result<TokenRecord, TokenError> {
        for _ in 0..TRIES {
            let tokens = self.readable().await?;
            let found = place_of(&tokens, prefix)?.and_then(|place| tokens.get(place));
            let Some(token) = found else {
                let prefix = prefix.to_owned();
                return Err(TokenError::Unlisted { prefix });
            };
            let mut ended = token.clone();
            let by = by.to_owned();
            ended.revoked.get_or_insert(Revocation { by, at: now });
            let hash: SecretHash = token.sha256;
            if ended == *token || replace(&*self.0, &hash, (token, &ended)).await? {
                return Ok(ended);
            }
        }
        let kind = TokenRecord::KIND;
        Err(SharedRecordsError::Changed { kind }.into())
    }

    /// The tokens that read: one that does not keeps nobody from revoking the others.
    async fn readable(&self) -> Result<Vec<TokenRecord>, SharedRecordsError> {
        let all = read_all::<TokenRecord>(&*self.0).await?.into_iter();
        Ok(all.filter_map(|(_, token)| token.ok()).collect())
    }
}
