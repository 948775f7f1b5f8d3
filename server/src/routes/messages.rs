//! Messages of a world.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use folkmoot::core::event::Attachment;
use folkmoot::view::ViewError;
use folkmoot::view::routing::{RoutingView, routing as read_routing};
use folkmoot::{MessageId, Position, Post, Right, read_transcript};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::identity::Caller;
use crate::problem::Problem;
use crate::request::{Body, InPath, InQuery, PAGE, RequestKey, Signed, page_limit};
use crate::rooms::Lobby;
use crate::wire::json;

/// A page of messages.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// The position that the page ends before; without it the page is the newest.
    #[param(value_type = Option<u64>)]
    before: Option<Position>,
    /// The most entries, from 1 to 200.
    limit: Option<usize>,
}

/// A page of what people saw.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MessagePage {
    /// The entries, newest first: each a `message`, a `notice`, or what a tool `shown` to people.
    #[schema(value_type = Vec<Object>)]
    entries: Vec<serde_json::Value>,
    /// The position that the next, older page ends before; absent if this is the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    next: Option<Position>,
}

/// A message to post.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMessage {
    /// The text.
    pub(crate) text: String,
    /// The message that it answers.
    #[schema(value_type = Option<u64>)]
    pub(crate) reply_to: Option<MessageId>,
    /// The files, as `POST …/blobs` described them.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub(crate) attachments: Vec<Attachment>,
}

impl NewMessage {
    /// A message of words alone, which answers none.
    pub(crate) const fn of_text(text: String) -> Self {
        Self {
            text,
            reply_to: None,
            attachments: Vec::new(),
        }
    }
}

/// A message that is in the log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Posted {
    /// The message's id.
    #[schema(value_type = u64)]
    pub(crate) message: MessageId,
    /// The position of its event.
    #[schema(value_type = u64)]
    pub(crate) position: Position,
}

/// Read what people saw, newest first
#[utoipa::path(
    get, path = "/worlds/{world}/messages", operation_id = "list_messages", tag = "messages",
    params(("world" = String, Path, description = "The world's name"), PageQuery),
    responses(
        (status = 200, description = "A page of the transcript", body = MessagePage)))]
pub(crate) async fn list(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    InQuery(query): InQuery<PageQuery>,
) -> Result<Json<MessagePage>, Problem> {
    let limit = page_limit(query.limit.or(Some(PAGE)))?;
    let room = lobby.room(&caller, &world).await?;
    let page = read_transcript(&lobby.rooms.store, &room.entry.name, query.before, limit).await?;
    let mut entries = Vec::new();
    for entry in &page.entries {
        entries.push(json(
            entry,
            &["/message/time", "/notice/time", "/shown/time"],
        )?);
    }
    let next = page.next;
    Ok(Json(MessagePage { entries, next }))
}

/// Post a message
///
/// The answer comes once the message survives power loss. Sent again with the same
/// `Idempotency-Key`, it is posted once, and gets the first answer.
#[utoipa::path(
    post, path = "/worlds/{world}/messages", tag = "messages",
    params(("world" = String, Path, description = "The world's name"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = NewMessage,
    responses(
        (status = 201, description = "The message is in the log", body = Posted)))]
pub(crate) async fn post(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    key: RequestKey,
    Body(message): Body<NewMessage>,
) -> Result<(StatusCode, Json<Posted>), Problem> {
    let posted = deliver(&lobby, &caller, &world, &key, message).await?;
    Ok((StatusCode::CREATED, Json(posted)))
}

/// Posts a message, and says where it stands once it is durable.
pub(crate) async fn deliver(
    lobby: &Lobby,
    caller: &Caller,
    world: &str,
    key: &RequestKey,
    message: NewMessage,
) -> Result<Posted, Problem> {
    lobby.check_length(&message.text)?;
    let seat = lobby.seat(caller, world, Right::Post).await?;
    let _stays = if message.attachments.is_empty() {
        None
    } else {
        Some(lobby.posting().await)
    };
    lobby.check_cost(&seat).await?;
    let post = Post {
        text: message.text,
        attachments: message.attachments,
        reply_to: message.reply_to,
        key: key.of(caller),
    };
    let message = seat.publish_message(post).await?;
    lobby.metrics.posted();
    let position = message.0;
    Ok(Posted { message, position })
}

/// The reasons that agents answer a message or not.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Routing {
    /// The position of the message.
    #[schema(value_type = u64)]
    message: Position,
    /// The rule that decided, in words.
    words: String,
    /// The agents of the room: those that answer, and then the others.
    agents: Vec<RoutedAgent>,
    /// The number of further agents that are silent for the reason of the last one.
    more: usize,
}

/// The verdict for an agent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RoutedAgent {
    /// The agent.
    agent: String,
    /// True if it answers.
    answers: bool,
    /// The reason in words.
    words: String,
}

impl From<RoutingView> for Routing {
    fn from(view: RoutingView) -> Self {
        let agents = view.agents.into_iter().map(|one| RoutedAgent {
            agent: one.agent.to_string(),
            answers: one.answers,
            words: one.words,
        });
        Self {
            message: view.message,
            words: view.words,
            agents: agents.collect(),
            more: view.more,
        }
    }
}

/// See why each agent answers a message or not
///
/// It is what the log recorded when the message came, or the edit. The answer holds no word of it.
#[utoipa::path(
    get, path = "/worlds/{world}/messages/{message}/routing", tag = "messages",
    params(("world" = String, Path, description = "The world's name"),
        ("message" = u64, Path, description = "The position of the message, or of an edit")),
    responses((status = 200, description = "The reasons, agent by agent", body = Routing)))]
pub(crate) async fn routing(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, message)): InPath<(String, Position)>,
) -> Result<Json<Routing>, Problem> {
    let name = lobby.allowed(&caller, &world, Right::Read).await?;
    match read_routing(&lobby.rooms.store, &name, message).await {
        Ok(Some(view)) => Ok(Json(view.into())),
        Ok(None) | Err(ViewError::NoSuchEvent { .. }) => Err(Problem::not_found()),
        Err(error) => Err(error.into()),
    }
}
