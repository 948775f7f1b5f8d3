//! Messages that stand: edited, taken back, made anew.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use folkmoot::MessageId;
use folkmoot::core::command::TalkAction;
use serde::Deserialize;
use utoipa::ToSchema;

use super::done::Done;
use crate::problem::Problem;
use crate::request::{Body, InPath, RequestKey, Signed};
use crate::rooms::Lobby;

/// Other words for a message.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewWords {
    /// The words.
    text: String,
}

/// Put other words in the place of a message
///
/// The message keeps its id. Answers to the old words alone are gone, and the new ones are answered.
#[utoipa::path(
    patch, path = "/worlds/{world}/messages/{message}", tag = "messages",
    params(("world" = String, Path, description = "The world's name"),
        ("message" = u64, Path, description = "The message's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = NewWords,
    responses((status = 200, description = "The edit is in the log", body = Done)))]
pub(crate) async fn edit(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, message)): InPath<(String, MessageId)>,
    key: RequestKey,
    Body(NewWords { text }): Body<NewWords>,
) -> Result<Json<Done>, Problem> {
    lobby.check_length(&text)?;
    let action = TalkAction::Edit { message, text };
    let accepted = lobby.give(&caller, &world, action, key.of(&caller)).await?;
    Ok(Done::json(&accepted))
}

/// Take a message back
///
/// Answers to it alone go as well. The log keeps the original.
#[utoipa::path(
    delete, path = "/worlds/{world}/messages/{message}", tag = "messages",
    params(("world" = String, Path, description = "The world's name"),
        ("message" = u64, Path, description = "The message's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    responses((status = 200, description = "The message is taken back", body = Done)))]
pub(crate) async fn retract(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, message)): InPath<(String, MessageId)>,
    key: RequestKey,
) -> Result<Json<Done>, Problem> {
    let action = TalkAction::Retract { message };
    let accepted = lobby.give(&caller, &world, action, key.of(&caller)).await?;
    Ok(Done::json(&accepted))
}

/// Have an agent answer once more
///
/// The reply is taken back, and the agent answers the same news again.
#[utoipa::path(
    post, path = "/worlds/{world}/messages/{message}/regenerate", tag = "messages",
    params(("world" = String, Path, description = "The world's name"),
        ("message" = u64, Path, description = "The reply's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    responses((status = 200, description = "The agent answers again", body = Done)))]
pub(crate) async fn regenerate(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, message)): InPath<(String, MessageId)>,
    key: RequestKey,
) -> Result<Json<Done>, Problem> {
    let action = TalkAction::Regenerate { message };
    let accepted = lobby.give(&caller, &world, action, key.of(&caller)).await?;
    Ok(Done::json(&accepted))
}
