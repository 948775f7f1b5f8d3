//! `/metrics`: the counts of this server.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::problem::{Problem, ProblemCode};
use crate::request::Signed;
use crate::rooms::Lobby;

/// The text form of Prometheus.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The counts, for whoever may operate the whole server.
pub(crate) async fn metrics(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
) -> Result<impl IntoResponse, Problem> {
    if !caller.may.operates_server() {
        let why = "only who operates the whole server reads its metrics; `--metrics-listen` gives \
                   them an address of their own";
        return Err(Problem::new(ProblemCode::Forbidden, why));
    }
    Ok(text(&lobby))
}

/// The counts, for whoever reaches their own address.
pub(crate) async fn open_metrics(State(lobby): State<Arc<Lobby>>) -> impl IntoResponse {
    text(&lobby)
}

fn text(lobby: &Lobby) -> impl IntoResponse + use<> {
    let worlds = lobby.rooms.runtime.worlds_open();
    ([(header::CONTENT_TYPE, TEXT)], lobby.metrics.render(worlds))
}
