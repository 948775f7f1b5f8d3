//! `/healthz` and `/readyz`: for whoever looks after the process.

use std::sync::Arc;

use axum::extract::State;

use crate::problem::{Problem, ProblemCode};
use crate::rooms::Lobby;

/// The process answers.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// The server takes requests: the worlds with work left were opened, and it does not end.
pub(crate) async fn readyz(State(lobby): State<Arc<Lobby>>) -> Result<&'static str, Problem> {
    // A server that ends refused the request before.
    if lobby.is_ready() {
        return Ok("ready\n");
    }
    let why = "the server still opens the worlds that have work left";
    Err(Problem::new(ProblemCode::Unavailable, why).with("retry_after_s", 1))
}
