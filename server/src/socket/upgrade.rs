//! The way into a socket: an upgrade of a request.

use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::header;
use axum::response::Response;

use super::{Entrance, serve};
use crate::problem::{Problem, ProblemCode};
use crate::request::InPath;
use crate::rooms::Lobby;

/// Follow a world, and act in it, over one connection
///
/// The first frame of a client is `{"type":"hello"}`, with `token` if the request has no
/// `Authorization`, `after` (the id of the last item it has) and `drafts` (the bytes that it has of
/// each). Then the server sends what the feed has, each frame with its episode as `run`. A command
/// has a `type`, an `id` (its idempotency key) and the members of the route that does the same; it
/// gets one frame `answer`.
#[utoipa::path(
    get, path = "/worlds/{world}/socket", tag = "feed",
    params(("world" = String, Path, description = "The world's name")),
    responses(
        (status = 101, description = "The connection is a socket from here on")))]
pub(crate) async fn socket(
    State(lobby): State<Arc<Lobby>>,
    InPath(world): InPath<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    let caller = if parts.headers.contains_key(header::AUTHORIZATION) {
        Some(lobby.rooms.authenticate.authenticate(&parts).await?)
    } else {
        None
    };
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &lobby)
        .await
        .map_err(|error| Problem::new(ProblemCode::BadRequest, error.body_text()))?;
    let max = lobby.rooms.limits.frame_bytes_max;
    let entrance = Entrance {
        lobby,
        world,
        parts,
        caller,
    };
    Ok(upgrade
        .max_message_size(max)
        .max_frame_size(max)
        .on_upgrade(move |socket| serve(socket, entrance)))
}
