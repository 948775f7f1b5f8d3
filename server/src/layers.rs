//! The layers around all resources: who asks is written down, and nothing goes on for ever.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::sensitive_headers::SetSensitiveRequestHeadersLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;
use tower_http::trace::TraceLayer;
use tracing::{Span, field};

use crate::metrics::Answered;
use crate::problem::{Problem, ProblemCode};
use crate::rooms::Lobby;

mod request_id;

pub(crate) use request_id::REQUEST_ID;

/// The seconds after which a client may come back to a server that ends.
const BACK_AFTER_S: u64 = 5;

/// The routes that may take as long as they take: they read or check a whole log, or wait until a
/// room is quiet and see to their time themselves.
const UNHURRIED: [&str; 3] = ["/integrity", "/export", "/mcp"];

/// The same router with the layers, the innermost first.
pub(crate) fn layered(router: Router, lobby: &Arc<Lobby>) -> Router {
    let body_timeout = lobby.rooms.limits.body_timeout;
    router
        .layer(RequestBodyTimeoutLayer::new(body_timeout))
        .layer(from_fn_with_state(Arc::clone(lobby), hurry))
        .layer(from_fn_with_state(Arc::clone(lobby), refuse_at_the_end))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(Arc::clone(lobby), count))
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_request(())
                .on_response(|response: &Response, took: Duration, _: &Span| done(response, took))
                .on_failure(()),
        )
        .layer(SetSensitiveRequestHeadersLayer::new([
            header::AUTHORIZATION,
            header::COOKIE,
        ]))
        .layer(from_fn(request_id::identify))
}

/// The matched route, e.g. `/v1/worlds/{world}/feed`: never what a client wrote.
pub(crate) fn route(request: &Request) -> &str {
    let path = request.extensions().get::<MatchedPath>();
    path.map_or("none", MatchedPath::as_str)
}

/// The method, if it is one of HTTP's own.
pub(crate) fn method(request: &Request) -> &'static str {
    match *request.method() {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// The span that every log line of a request is in. Texts in it are quoted and escaped, so that no
/// header or name begins a line of its own.
fn span(request: &Request) -> Span {
    let id = request.headers().get(REQUEST_ID);
    let id = id.and_then(|id| id.to_str().ok()).unwrap_or_default();
    // Errors are logged under any filter, and are to have it.
    tracing::error_span!(
        "request",
        method = method(request),
        route = route(request),
        request_id = id,
        principal = field::Empty,
    )
}

fn done(response: &Response, took: Duration) {
    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    tracing::info!(status = response.status().as_u16(), ms, "answered");
}

/// Counts the request and its answer.
async fn count(State(lobby): State<Arc<Lobby>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = method(&request);
    let route = route(&request).to_owned();
    let response = next.run(request).await;
    lobby.metrics.answered(Answered {
        method,
        route,
        status: response.status().as_u16(),
        took: begun.elapsed(),
        problem: response.extensions().get().copied(),
    });
    response.map(|body| lobby.metrics.sent(body))
}

/// Lets no request in once the server ends.
async fn refuse_at_the_end(
    State(lobby): State<Arc<Lobby>>,
    request: Request,
    next: Next,
) -> Response {
    if !lobby.rooms.drain.has_begun() || route(&request).ends_with("/healthz") {
        return next.run(request).await;
    }
    let mut response = Problem::new(
        ProblemCode::Unavailable,
        "the server ends; come back when it has started again",
    )
    .with("retry_after_s", BACK_AFTER_S)
    .into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Ends a request that takes too long. The head of a stream comes at once, and what follows it has
/// its own time.
async fn hurry(State(lobby): State<Arc<Lobby>>, request: Request, next: Next) -> Response {
    let limits = &lobby.rooms.limits;
    let route = route(&request);
    if UNHURRIED.iter().any(|ending| route.ends_with(ending)) {
        return next.run(request).await;
    }
    let is_upload = route.ends_with("/blobs") && request.method() == Method::POST;
    let key = key_of(route);
    let most = if is_upload {
        limits.upload_timeout
    } else {
        limits.request_timeout
    };
    match tokio::time::timeout(most, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let why = format!(
                "the request took longer than {} s; it may still be done: send it again with the \
                 same {key}",
                most.as_secs()
            );
            Problem::new(ProblemCode::TimedOut, why).into_response()
        }
    }
}

/// The name of the key that makes a repeat harmless on `route`.
fn key_of(route: &str) -> &'static str {
    if route.ends_with("/ag-ui") {
        "runId"
    } else if route.ends_with("/ai-sdk") {
        "message, under its id"
    } else {
        "Idempotency-Key"
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is what a panic is answered by"
)]
fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let why = panic
        .downcast_ref::<&str>()
        .map(|why| (*why).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    tracing::error!(why, "a handler panicked");
    Problem::new(
        ProblemCode::Internal,
        "the server failed; its log says why, under the X-Request-Id of this answer",
    )
    .into_response()
}
