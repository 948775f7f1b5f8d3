//! Several ways of knowing a caller, told apart by the form of the token.

use async_trait::async_trait;
use axum::http::request::Parts;

use super::bearer::bearer;
use super::jwt::Jwt;
use super::secret::{Secret, SecretKind};
use super::sessions::Sessions;
use super::tokens::Tokens;
use super::{Authenticate, AuthenticateError, Caller};

/// The ways in which `folkmoot serve` knows a caller. A token is looked up in the one whose form
/// it has, and in no other.
#[derive(Debug, Clone, Default)]
pub struct Several {
    /// Sessions.
    pub sessions: Option<Sessions>,
    /// Tokens of a file, or those that the nodes of a store share.
    pub tokens: Option<Tokens>,
    /// Issuers of JWTs.
    pub issuers: Vec<Jwt>,
}

impl Several {
    async fn caller(&self, token: &Secret) -> Result<Caller, AuthenticateError> {
        match (&self.sessions, &self.tokens) {
            (Some(sessions), _) if SecretKind::Session.fits(token) => sessions.caller(token).await,
            (_, Some(tokens)) if SecretKind::Token.fits(token) => tokens.caller(token).await,
            _ => match self.issuers.iter().find(|issuer| issuer.is_named_by(token)) {
                Some(issuer) => issuer.caller(token).await,
                None => Err(AuthenticateError::Unknown),
            },
        }
    }
}

#[async_trait]
impl Authenticate for Several {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        self.caller(&bearer(parts)?).await
    }
}
