//! Bodies of JSON.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body as RawBody, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;

use crate::problem::{Problem, ProblemCode};
use crate::rooms::Lobby;

/// A body of JSON, read as a `T`. No body is an empty object.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<Lobby>> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, lobby: &Arc<Lobby>) -> Result<Self, Problem> {
        json(request, lobby.rooms.limits.body_bytes_max)
            .await
            .map(Self)
    }
}

/// The number of times that a body with a client's memory may be longer than others: by default it
/// has 2 MiB, which is a thousand pages of words. A longer one is mostly what tools gave, of which
/// nothing is read here, and the client can leave it out.
const MEMORY_TIMES: usize = 8;

/// A body of JSON in which a client sends all that it remembers. Nothing of it was received yet:
/// whoever may not send it is refused before.
#[derive(Debug)]
pub(crate) struct Unread(Request);

impl FromRequest<Arc<Lobby>> for Unread {
    type Rejection = Infallible;

    async fn from_request(request: Request, _lobby: &Arc<Lobby>) -> Result<Self, Infallible> {
        Ok(Self(request))
    }
}

impl Unread {
    /// Receives the body, and reads it as a `T`.
    pub(crate) async fn read<T: DeserializeOwned>(self, lobby: &Lobby) -> Result<T, Problem> {
        let max = lobby.rooms.limits.body_bytes_max;
        json(self.0, max.saturating_mul(MEMORY_TIMES)).await
    }
}

async fn json<T: DeserializeOwned>(request: Request, max: usize) -> Result<T, Problem> {
    let (parts, body) = request.into_parts();
    let bytes = read(body, max).await?;
    if bytes.is_empty() {
        return parse(b"{}");
    }
    check_type(&parts.headers)?;
    parse(&bytes)
}

/// Reads all of a body of at most `max` bytes.
///
/// # Errors
/// [`ProblemCode::TooLarge`], or [`ProblemCode::BadRequest`] if the client broke off.
pub(crate) async fn read(body: RawBody, max: usize) -> Result<axum::body::Bytes, Problem> {
    to_bytes(body, max).await.map_err(|error| {
        if error.into_inner().is::<LengthLimitError>() {
            Problem::new(
                ProblemCode::TooLarge,
                format!("the body is longer than {max} bytes"),
            )
        } else {
            Problem::new(ProblemCode::BadRequest, "the body broke off")
        }
    })
}

/// Refuses a body that is not said to be JSON: a page of another origin can send other types
/// unasked. Nothing is unpacked, so that no small body is a large one.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let unsupported = |why| Err(Problem::new(ProblemCode::UnsupportedMediaType, why));
    if headers.contains_key(header::CONTENT_ENCODING) {
        return unsupported("the body is packed; send it as it is, without Content-Encoding");
    }
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .and_then(|kind| kind.split(';').next())
        .map(str::trim);
    if kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        Ok(())
    } else {
        unsupported("the body is to be JSON: send it with Content-Type: application/json")
    }
}

/// Reads JSON; a fault names the field.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let field = error.path().to_string();
        let cause = error.inner();
        let is_syntax = cause.is_syntax() || cause.is_eof();
        let code = if is_syntax {
            ProblemCode::BadRequest
        } else {
            ProblemCode::Invalid
        };
        let problem = Problem::new(code, format!("the body does not fit: {cause}"));
        // Text that is no JSON has no fields.
        if is_syntax || field == "." {
            problem
        } else {
            problem.about(field)
        }
    })?;
    json.end().map_err(|error| {
        Problem::new(
            ProblemCode::BadRequest,
            format!("the body does not end: {error}"),
        )
    })?;
    Ok(value)
}
