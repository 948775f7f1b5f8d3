//! The router, and the OpenAPI document of its routes.

use std::sync::Arc;

use axum::http::header;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use utoipa::OpenApi as _;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::console;
use crate::layers::layered;
use crate::problem::{Problem, ProblemCode};
use crate::protocols::{ag_ui, ai_sdk};
use crate::reference::page;
use crate::rooms::{Lobby, Rooms};
use crate::routes::{
    amend, audit, blobs, decisions, events, feed, health, life, messages, metrics, preview,
    requests, session, steer, templates, withheld, worlds,
};
use crate::socket::upgrade;

mod document;
mod host;

use document::{Document, completed};

fn v1() -> OpenApiRouter<Arc<Lobby>> {
    OpenApiRouter::new()
        .merge(lives())
        .merge(talk())
        .merge(consent())
        .merge(audits())
        .merge(clients())
        .routes(routes!(templates::list))
        .routes(routes!(session::me))
        .routes(routes!(session::begin, session::end))
}

fn lives() -> OpenApiRouter<Arc<Lobby>> {
    OpenApiRouter::new()
        .routes(routes!(worlds::list, worlds::open))
        .routes(routes!(worlds::show, life::delete))
        .routes(routes!(life::fork))
        .routes(routes!(life::erase))
        .routes(routes!(steer::set_rights))
        .routes(routes!(steer::label))
}

fn talk() -> OpenApiRouter<Arc<Lobby>> {
    OpenApiRouter::new()
        .routes(routes!(blobs::upload))
        .routes(routes!(blobs::download))
        .routes(routes!(messages::list, messages::post))
        .routes(routes!(messages::routing))
        .routes(routes!(feed::feed))
        .routes(routes!(upgrade::socket))
        .routes(routes!(amend::edit, amend::retract))
        .routes(routes!(amend::regenerate))
        .routes(routes!(steer::stop))
        .routes(routes!(steer::observe))
}

fn consent() -> OpenApiRouter<Arc<Lobby>> {
    OpenApiRouter::new()
        .routes(routes!(requests::of_world))
        .routes(routes!(requests::inbox))
        .routes(routes!(decisions::decide))
        .routes(routes!(preview::preview))
        .routes(routes!(decisions::answer))
        .routes(routes!(decisions::settle))
        .routes(routes!(steer::grants))
        .routes(routes!(steer::revoke))
}

fn audits() -> OpenApiRouter<Arc<Lobby>> {
    OpenApiRouter::new()
        .routes(routes!(events::events))
        .routes(routes!(events::event))
        .routes(routes!(audit::state))
        .routes(routes!(audit::changes))
        .routes(routes!(audit::why))
        .routes(routes!(audit::prompt))
        .routes(routes!(audit::usage))
        .routes(routes!(audit::integrity, audit::integrity_against))
        .routes(routes!(audit::anchor))
        .routes(routes!(audit::export))
        .routes(routes!(audit::diff))
        .routes(routes!(withheld::view))
}

/// The protocols of other people's clients.
fn clients() -> OpenApiRouter<Arc<Lobby>> {
    OpenApiRouter::new()
        .routes(routes!(ag_ui::route::run))
        .routes(routes!(ai_sdk::post))
        .routes(routes!(ai_sdk::resume))
}

fn documented() -> OpenApiRouter<Arc<Lobby>> {
    OpenApiRouter::with_openapi(Document::openapi()).nest("/v1", v1())
}

/// The router of all resources, ready at once. An embedder may nest it below a prefix. A program
/// that is nothing but a server takes a [`Server`](crate::Server).
pub fn router(rooms: Rooms) -> Router {
    let lobby = Arc::new(Lobby::new(rooms));
    lobby.be_ready();
    resources(&lobby)
}

/// The router of all resources of this lobby.
pub(crate) fn resources(lobby: &Arc<Lobby>) -> Router {
    let (router, document) = documented().split_for_parts();
    let document = completed(&document);
    let reference = page(&document);
    let hosts = lobby.rooms.hosts.clone();
    let router = router
        .merge(console::routes())
        .merge(hosts_of_models(lobby))
        .route("/openapi.json", get(async || Json(document)))
        .route("/docs", get(async || shown(reference)))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(metrics::metrics))
        .fallback(async || Problem::not_found())
        .method_not_allowed_fallback(async || {
            Problem::new(
                ProblemCode::MethodNotAllowed,
                "this resource has no such method",
            )
        })
        .with_state(Arc::clone(lobby));
    layered(host::guarded(router, hosts), lobby)
}

/// The routes of hosts with a model inside.
#[cfg(feature = "mcp")]
fn hosts_of_models(lobby: &Arc<Lobby>) -> Router<Arc<Lobby>> {
    crate::protocols::mcp::routes(lobby)
}

/// The routes of hosts with a model inside: this server has none.
#[cfg(not(feature = "mcp"))]
fn hosts_of_models(_lobby: &Arc<Lobby>) -> Router<Arc<Lobby>> {
    Router::new()
}

/// The router of the metrics alone, which asks nobody who they are.
pub(crate) fn open_metrics(lobby: &Arc<Lobby>) -> Router {
    Router::new()
        .route("/metrics", get(metrics::open_metrics))
        .with_state(Arc::clone(lobby))
}

/// A page that loads and runs nothing.
fn shown(page: String) -> Response {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, Html(page)).into_response()
}

/// The OpenAPI document of all resources, as JSON.
#[must_use]
pub fn openapi() -> serde_json::Value {
    completed(&documented().to_openapi())
}
