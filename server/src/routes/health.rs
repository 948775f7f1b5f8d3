//! `/healthz` and `/readyz`: for whoever looks after the process.

use std::sync::Arc;

use axum::extract::State;

use crate::problem::{Problem, ProblemCode};
use crate::rooms::Lobby;

/// The process answers.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// The server takes requests: the worlds with work left were opened, it does not end, and a node among many is not cut off
/// from the store that they share.
pub(crate) async fn readyz(State(lobby): State<Arc<Lobby>>) -> Result<&'static str, Problem> {
    // A server that ends refused the request before.
    let why = if !lobby.is_ready() {
        "the server still opens the worlds that have work left"
    } else if lobby.is_cut_off() {
        "the server is cut off from the store that it shares with others; see whether the database can be reached from here"
    } else {
        return Ok("ready\n");
    };
    Err(Problem::new(ProblemCode::Unavailable, why).with("retry_after_s", 1))
}
