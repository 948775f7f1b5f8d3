//! `/mcp`: the protocol over HTTP.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, Response, StatusCode};
use axum::response::IntoResponse as _;
use axum::routing::any;
use folkmoot::core::ids::principal::Principal;
use rmcp::model::RequestId;
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::McpServer;
use super::cancel::{CallName, SESSION};
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::{Signed, read_body};
use crate::rooms::Lobby;

/// The server of hosts behind its route.
#[derive(Clone)]
struct Served {
    server: McpServer,
    service: StreamableHttpService<McpServer, NeverSessionManager>,
}

/// The route of hosts.
pub(crate) fn routes(lobby: &Arc<Lobby>) -> Router<Arc<Lobby>> {
    let server = McpServer::new(lobby, None);
    let made = server.clone();
    let service = StreamableHttpService::new(
        move || Ok(made.clone()),
        Arc::new(NeverSessionManager::default()),
        config(lobby),
    );
    let served = Served { server, service };
    Router::new().route(
        "/mcp",
        any(move |lobby, signed, request| answer(served, lobby, signed, request)),
    )
}

/// The hosts and origins are checked before all routes, so that they are not checked here.
fn config(lobby: &Lobby) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(lobby.rooms.limits.body_bytes_max)
        .with_cancellation_token(CancellationToken::new())
}

/// Answers a request of a host.
async fn answer(
    served: Served,
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    request: Request,
) -> Response<Body> {
    match asked(&served, &lobby, caller, request).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    }
}

async fn asked(
    served: &Served,
    lobby: &Lobby,
    caller: Caller,
    request: Request,
) -> Result<Response<Body>, Problem> {
    check_service(&caller)?;
    let (mut parts, body) = request.into_parts();
    let bytes = received(lobby, body).await?;
    // A body that is no message is refused below.
    let message = serde_json::from_slice::<Peeked>(&bytes).unwrap_or_default();
    if let Some(name) = message.cancels(&caller, &parts) {
        served.server.waits.cancel(&name);
    }
    let begins = parts.method == Method::POST && message.method.as_deref() == Some("initialize");
    parts.extensions.insert(caller);
    let request = Request::from_parts(parts, Body::from(bytes));
    let mut response = served.service.handle(request).await.map(Body::new);
    if let Some(problem) = refused(response.status()) {
        return Err(problem);
    }
    if begins && response.status().is_success() {
        response.headers_mut().insert(SESSION, session()?);
    }
    Ok(response)
}

/// Receives a body, as fast as those of other routes.
async fn received(lobby: &Lobby, body: Body) -> Result<Bytes, Problem> {
    let limits = &lobby.rooms.limits;
    let read = read_body(body, limits.body_bytes_max);
    tokio::time::timeout(limits.request_timeout, read)
        .await
        .map_err(|_| Problem::new(ProblemCode::TimedOut, "the body took too long"))?
}

/// The problem of a request whose headers do not fit; `None` if they do.
fn refused(status: StatusCode) -> Option<Problem> {
    match status {
        StatusCode::NOT_ACCEPTABLE => Some(Problem::new(
            ProblemCode::NotAcceptable,
            "the answer is JSON or a stream of events: send \
             `Accept: application/json, text/event-stream`",
        )),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Some(Problem::new(
            ProblemCode::UnsupportedMediaType,
            "a message of MCP is JSON: send `Content-Type: application/json`",
        )),
        _ => None,
    }
}

/// Refuses people: a model would speak and act in their name.
fn check_service(caller: &Caller) -> Result<(), Problem> {
    if matches!(caller.proof.principal(), Principal::Service(_)) {
        return Ok(());
    }
    let why = "a host of MCP is a program: give it a token of its own, made with \
               `folkmoot token new --as NAME --service --tokens FILE`";
    Err(Problem::new(ProblemCode::Forbidden, why).with("reason", "not_a_service"))
}

/// A session: a name that nobody guesses, and nothing else.
fn session() -> Result<HeaderValue, Problem> {
    let failed = |why: String| Problem::new(ProblemCode::Unavailable, why);
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| failed(error.to_string()))?;
    let name: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::try_from(name).map_err(|error| failed(error.to_string()))
}

/// The part of a message that is looked at before it is answered.
#[derive(Debug, Default, Deserialize)]
struct Peeked {
    method: Option<String>,
    params: Option<PeekedParams>,
}

#[derive(Debug, Deserialize)]
struct PeekedParams {
    #[serde(rename = "requestId")]
    request: Option<RequestId>,
}

impl Peeked {
    /// The call that it cancels; `None` if it cancels none.
    fn cancels(&self, caller: &Caller, parts: &Parts) -> Option<CallName> {
        if self.method.as_deref() != Some("notifications/cancelled") {
            return None;
        }
        let id = self.params.as_ref()?.request.clone()?;
        CallName::of(caller, parts, id)
    }
}
