//! Sessions, and who a caller is.

use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::request::Parts;
use folkmoot::Rights;
use folkmoot::core::ids::principal::Principal;
use folkmoot::core::ids::{PersonName, Time};
use folkmoot::core::port::causes::with_causes;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::identity::{Caller, Secret, SessionError, Sessions, WorldPattern, bearer};
use crate::problem::{Problem, ProblemCode};
use crate::request::{Body, Signed};
use crate::rooms::Lobby;
use crate::wire::time;

/// The proof with which a session begins: the code of a login link, or a token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSession {
    /// The code behind `#` in a login link.
    code: Option<String>,
    /// The name that rooms are to call the user of the machine by; only with a code.
    #[schema(value_type = Option<String>)]
    display: Option<PersonName>,
    /// A token.
    token: Option<String>,
}

/// A session that began.
#[derive(Serialize, ToSchema)]
pub(crate) struct Session {
    /// The token to send as `Authorization: Bearer TOKEN` from now on.
    token: String,
    /// The time at which it ends; absent if it does not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    /// Whoever signed in.
    who: Who,
}

/// A caller.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Who {
    /// The name that rooms call them by.
    name: String,
    /// The one word for the principal, as it stands in rights and owners, e.g. `token:ada`.
    key: String,
    /// True if it is a program that acts by itself.
    is_service: bool,
}

/// A caller, with what they may do.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Me {
    /// The caller.
    who: Who,
    /// The rights, in any world that the token reaches and that gives them too.
    #[schema(value_type = Vec<String>)]
    may: Rights,
    /// The worlds that the token reaches: names, or beginnings with `*`.
    #[schema(value_type = Vec<String>)]
    worlds: Vec<WorldPattern>,
    /// True if the caller may open rooms.
    create: bool,
    /// True if the caller operates the whole server.
    operates_server: bool,
    /// The time at which the token ends; absent if it does not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
}

/// Say who the caller is, and what they may do
#[utoipa::path(
    get, path = "/me", tag = "session",
    responses(
        (status = 200, description = "The caller", body = Me)))]
pub(crate) async fn me(Signed(caller): Signed) -> Json<Me> {
    Json(Me {
        who: Who::from(&caller),
        operates_server: caller.may.operates_server(),
        expires: expires(&caller),
        worlds: caller.may.worlds.to_vec(),
        create: caller.may.create,
        may: caller.may.rights,
    })
}

/// Begin a session
///
/// A code of a login link works once. A token of the server's file is exchanged for one that ends
/// after 12 hours, and earlier with the token; any other token that the server knows is given back.
#[utoipa::path(
    post, path = "/session", tag = "session", request_body = NewSession,
    responses(
        (status = 201, description = "The session", body = Session)))]
pub(crate) async fn begin(
    State(lobby): State<Arc<Lobby>>,
    mut parts: Parts,
    Body(wish): Body<NewSession>,
) -> Result<(StatusCode, Json<Session>), Problem> {
    let sessions = lobby.rooms.sessions.as_ref();
    let (secret, caller) = match (wish.code, wish.token) {
        (Some(code), None) => {
            let sessions = sessions.ok_or_else(Problem::not_found)?;
            let code = Secret::new(code);
            sessions.begin_with_code(&code, wish.display).await?
        }
        (None, Some(token)) if wish.display.is_none() => {
            let caller = known(&lobby, &mut parts, &token).await?;
            let token = Secret::new(token);
            exchanged(sessions, token, caller).await?
        }
        (None, Some(_)) => {
            let why = "a token says what its holder is called: send `display` with a code only";
            return Err(Problem::new(ProblemCode::Invalid, why).about("display"));
        }
        (Some(_), Some(_)) | (None, None) => {
            let why = "send either the `code` of a login link or a `token`";
            return Err(Problem::new(ProblemCode::Invalid, why).about("code"));
        }
    };
    let session = Session {
        token: secret.expose().to_owned(),
        expires: expires(&caller),
        who: Who::from(&caller),
    };
    Ok((StatusCode::CREATED, Json(session)))
}

/// End the session of the caller, in its open streams too
#[utoipa::path(
    delete, path = "/session", tag = "session",
    responses(
        (status = 204, description = "The session has ended")))]
pub(crate) async fn end(
    State(lobby): State<Arc<Lobby>>,
    parts: Parts,
    Signed(_): Signed,
) -> Result<StatusCode, Problem> {
    let ended = match &lobby.rooms.sessions {
        Some(sessions) => sessions.end(&bearer(&parts)?).await?,
        None => false,
    };
    if ended {
        return Ok(StatusCode::NO_CONTENT);
    }
    let why = "this token is no session: `folkmoot token revoke` ends a token";
    Err(Problem::new(ProblemCode::Forbidden, why).with("reason", "no_session"))
}

/// The caller whose token it is, as if it stood in the header.
async fn known(lobby: &Lobby, parts: &mut Parts, token: &str) -> Result<Caller, Problem> {
    let header = format!("Bearer {token}").try_into();
    let mut header: axum::http::HeaderValue = header
        .map_err(|_| Problem::new(ProblemCode::Invalid, "this cannot be a token").about("token"))?;
    header.set_sensitive(true);
    parts
        .headers
        .insert(axum::http::header::AUTHORIZATION, header);
    Ok(lobby.rooms.authenticate.authenticate(parts).await?)
}

/// A session for a token that can begin one; else the token itself.
async fn exchanged(
    sessions: Option<&Sessions>,
    token: Secret,
    caller: Caller,
) -> Result<(Secret, Caller), SessionError> {
    let begun = match sessions {
        Some(sessions) => sessions.begin_with_token(&token).await?,
        None => None,
    };
    Ok(begun.unwrap_or((token, caller)))
}

fn expires(caller: &Caller) -> Option<String> {
    let since = caller
        .lease
        .end()?
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?;
    Some(time(Time(u64::try_from(since.as_millis()).ok()?)))
}

impl From<&Caller> for Who {
    fn from(caller: &Caller) -> Self {
        let principal: &Principal = caller.proof.principal();
        let name = principal.display().map(ToString::to_string);
        Self {
            name: name.unwrap_or_else(|| principal.to_string()),
            key: caller.key(),
            is_service: principal.service().is_some(),
        }
    }
}

impl From<SessionError> for Problem {
    fn from(error: SessionError) -> Self {
        let detail = error.to_string();
        match error {
            SessionError::WrongCode => Self::new(ProblemCode::Unauthorized, detail).about("code"),
            SessionError::TooManyCodes { wait } => {
                let seconds = wait.as_secs() + 1;
                Self::new(ProblemCode::LimitReached, detail).with("retry_after_s", seconds)
            }
            SessionError::Token(error) => error.into(),
            SessionError::File(_) | SessionError::Shared(_) | SessionError::Randomness(_) => {
                let error = with_causes(&error);
                tracing::error!(error, "no session is kept");
                let why = "the server cannot keep the session; its log says why";
                Self::new(ProblemCode::Unavailable, why)
            }
        }
    }
}
