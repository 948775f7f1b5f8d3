//! Text that people do not read, shown to whoever may operate the room.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use folkmoot::{Position, Right};
use serde_json::Value;

use crate::problem::Problem;
use crate::request::{InPath, RequestKey, Signed};
use crate::rooms::Lobby;
use crate::wire::json;

/// See what was withheld from people
///
/// Who looked, and when, is in the log before anything is shown.
#[utoipa::path(
    post, path = "/worlds/{world}/withheld/{position}", tag = "audit",
    params(("world" = String, Path, description = "The world's name"),
        ("position" = u64, Path, description = "The position of an `ArtifactWithheld` event"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    responses((status = 200, description = "The parts, in the order of the answer", body = Object)))]
pub(crate) async fn view(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, at)): InPath<(String, Position)>,
    key: RequestKey,
) -> Result<Json<Value>, Problem> {
    let seat = lobby.seat(&caller, &world, Right::Operate).await?;
    let view = seat.view_withheld(at, key.of(&caller)).await?;
    Ok(Json(json(&view, &["/time"])?))
}
