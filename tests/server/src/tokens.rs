//! The tokens of the test server: `token-NAME` is the token of NAME, who may do everything that a room allows.

use async_trait::async_trait;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use folkmoot::{PersonName, Proof};
use folkmoot_server::{Authenticate, AuthenticateError, Caller};

/// Everybody whose token says their name.
#[derive(Debug)]
pub(crate) struct Tokens;

#[async_trait]
impl Authenticate for Tokens {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        let header = parts
            .headers
            .get(AUTHORIZATION)
            .ok_or(AuthenticateError::Nobody)?;
        let name = header
            .to_str()
            .ok()
            .and_then(|text| text.strip_prefix("Bearer token-"))
            .ok_or(AuthenticateError::Unknown)?;
        let person = PersonName::new(name).map_err(|_| AuthenticateError::Unknown)?;
        Ok(Caller::of(Proof::by("token").user(name).called(person)))
    }
}
