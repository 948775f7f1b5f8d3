//! The guard before all resources: hosts, origins, and tokens that stand in a URL.

use std::time::Duration;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::hosts::Hosts;
use crate::problem::{Problem, ProblemCode};

/// The names of parameters in which people send tokens.
const TOKEN_PARAMETERS: [&str; 2] = ["token", "access_token"];
/// The time for which a browser may remember what another origin may do.
const PREFLIGHT_AGE: Duration = Duration::from_secs(600);

/// The router behind its guard.
pub(super) fn guarded(router: Router, hosts: Hosts) -> Router {
    let router = match hosts.allowed() {
        [] => router,
        allowed => router.layer(shared(allowed.to_vec())),
    };
    router.layer(from_fn_with_state(hosts, guard))
}

/// The answers to browsers about pages of other origins. No cookies: they are never sent.
fn shared(allowed: Vec<axum::http::HeaderValue>) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(allowed))
        .allow_methods([
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static("idempotency-key"),
            HeaderName::from_static("last-event-id"),
            HeaderName::from_static("x-request-id"),
        ])
        .expose_headers([header::RETRY_AFTER, HeaderName::from_static("x-request-id")])
        .max_age(PREFLIGHT_AGE)
}

async fn guard(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match check(&hosts, &parts) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(problem) => problem.into_response(),
    }
}

/// Checks the host, the origin and the query of a request.
fn check(hosts: &Hosts, parts: &Parts) -> Result<(), Problem> {
    if !hosts.is_any() && !is_here(hosts, parts) {
        return Err(Problem::new(
            ProblemCode::WrongHost,
            "the request names a host that is not this server: use the address that \
             `folkmoot serve` printed, or start it with `--public-url`",
        ));
    }
    let mut origins = parts.headers.get_all(header::ORIGIN).iter();
    if acts(parts) && !origins.all(|origin| hosts.has_origin(origin)) {
        return Err(Problem::new(
            ProblemCode::Forbidden,
            "a page of another origin sends this: if it may, start the server with `--allow-origin`",
        )
        .with("reason", "foreign_origin"));
    }
    refuse_tokens(parts)
}

/// Tells whether each host that the request names is this server, and there is one.
fn is_here(hosts: &Hosts, parts: &Parts) -> bool {
    let named = parts.headers.get_all(header::HOST).iter();
    let named: Option<Vec<&str>> = named.map(|host| host.to_str().ok()).collect();
    let authority = parts.uri.authority().map(|authority| authority.as_str());
    let Some(named) = named.filter(|named| named.len() <= 1) else {
        return false;
    };
    let mut all = named.into_iter().chain(authority).peekable();
    all.peek().is_some() && all.all(|host| hosts.has_host(host))
}

/// Tells whether the request does more than read: a socket carries commands.
fn acts(parts: &Parts) -> bool {
    let reads = [Method::GET, Method::HEAD].contains(&parts.method);
    !reads || parts.headers.contains_key(header::UPGRADE)
}

/// Refuses tokens where proxies, histories and logs keep them.
fn refuse_tokens(parts: &Parts) -> Result<(), Problem> {
    let Ok(Query(parameters)) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri) else {
        // The resource says what is wrong about its query.
        return Ok(());
    };
    let is_token = |name: &str| {
        let known = TOKEN_PARAMETERS.iter();
        known.copied().any(|known| known.eq_ignore_ascii_case(name))
    };
    let Some((name, _)) = parameters.into_iter().find(|(name, _)| is_token(name)) else {
        return Ok(());
    };
    let why = "a token does not belong in a URL, where logs keep it: revoke it, and send another \
               one as `Authorization: Bearer TOKEN`";
    Err(Problem::new(ProblemCode::BadRequest, why)
        .about(name)
        .with("reason", "token_in_url"))
}

#[cfg(test)]
mod tests;
