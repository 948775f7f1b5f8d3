//! The tokens of the test server: `token-NAME` is the token of NAME, and `service-NAME` that of a program. They may do
//! everything that a room allows.

use async_trait::async_trait;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use folkmoot::{PersonName, Proof};
use folkmoot_server::{Authenticate, AuthenticateError, Caller};

/// Everybody and every program whose token says their name.
#[derive(Debug)]
pub(crate) struct Tokens;

#[async_trait]
impl Authenticate for Tokens {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        let header = parts
            .headers
            .get(AUTHORIZATION)
            .ok_or(AuthenticateError::Nobody)?;
        let token = header.to_str().ok();
        let token = token.and_then(|text| text.strip_prefix("Bearer "));
        let (kind, name) = token
            .and_then(|token| token.split_once('-'))
            .ok_or(AuthenticateError::Unknown)?;
        let display = PersonName::new(name).map_err(|_| AuthenticateError::Unknown)?;
        let method = Proof::by("token");
        match kind {
            "token" => Ok(Caller::of(method.user(name).called(display))),
            "service" => Ok(Caller::of(method.service(name).called(display))),
            _ => Err(AuthenticateError::Unknown),
        }
    }
}
