//! The caller of a request.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::identity::{AuthenticateError, Caller};
use crate::problem::{Problem, ProblemCode};
use crate::rooms::Lobby;

/// A request whose caller is known.
#[derive(Debug)]
pub(crate) struct Signed(pub(crate) Caller);

impl FromRequestParts<Arc<Lobby>> for Signed {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, lobby: &Arc<Lobby>) -> Result<Self, Problem> {
        let caller = lobby.rooms.authenticate.authenticate(parts).await?;
        tracing::Span::current().record("principal", caller.key());
        Ok(Self(caller))
    }
}

impl From<AuthenticateError> for Problem {
    fn from(error: AuthenticateError) -> Self {
        let code = match error {
            AuthenticateError::Nobody
            | AuthenticateError::Unknown
            | AuthenticateError::Malformed(_) => ProblemCode::Unauthorized,
            AuthenticateError::Unfit(_) => ProblemCode::Forbidden,
            AuthenticateError::Unavailable(_) => ProblemCode::Unavailable,
        };
        Self::new(code, error.to_string())
    }
}
