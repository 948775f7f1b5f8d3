//! The UI message stream of the AI SDK, version 1: `POST` and `GET` of `/worlds/{world}/ai-sdk`.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::KeepAlive;
use axum::response::{IntoResponse as _, Response, Sse};
use folkmoot::core::ids::EpisodeId;
use folkmoot::core::ids::principal::Principal;
use folkmoot::{FeedItem, ItemId, Right, Seat};
use futures::stream::StreamExt as _;

use super::run::{Run, before, unfinished};
use super::terms::Terms;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::{InPath, RequestKey, Signed, Unread};
use crate::rooms::Lobby;
use crate::routes::messages::{NewMessage, deliver};
use crate::wire::SentEvent;

mod answer;
mod calls;
mod chat;
mod decisions;
mod frames;
mod part;
mod speech;
#[cfg(test)]
mod tests;

use answer::{Answer, Telling, events};
use calls::Reader;
use chat::{Asked, Chat};
use decisions::{Heard, hear};
use frames::Cursor;

/// The route under which the keys of its commands stand.
const ROUTE: &str = "POST /v1/worlds/{world}/ai-sdk";
/// The words of the protocol.
const TERMS: Terms = Terms {
    key: "messages",
    key_reused: "a message with this id was posted before, with other words: send it under another id",
    text: "messages",
    decisions: "messages",
    shown_differs: "the call shows something else now: take up the stream again, and decide what that asks",
};
/// The header that tells clients which protocol comes.
const VERSION: (&str, &str) = ("x-vercel-ai-ui-message-stream", "v1");

/// Answer a chat of the AI SDK
///
/// Only the message that is sent is read: the last one, or that which `messageId` names. One of the
/// user is posted once, under its id, and the answer streams until nobody works on it or it waits for
/// people. In an answer, parts in the state `approval-responded` are decisions of the caller about
/// requests that wait: its last step is told anew, and then what follows.
#[utoipa::path(
    post, path = "/worlds/{world}/ai-sdk", operation_id = "ai_sdk_post", tag = "clients",
    params(("world" = String, Path, description = "The world's name")),
    request_body = Chat,
    responses(
        (status = 200, content_type = "text/event-stream",
            description = "The answer, as a UI message stream of version 1", body = SentEvent)))]
pub(crate) async fn post(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    body: Unread,
) -> Result<Response, Problem> {
    lobby.quotas.command(&caller)?;
    let seat = lobby.seat(&caller, &world, Right::Read).await?;
    let chat: Chat = body.read(&lobby).await?;
    let asked = chat.read()?;
    let taken = take(&lobby, &caller, &seat, asked).await;
    let (episode, telling) = taken.map_err(|problem| TERMS.told(problem))?;
    let answer = begin(&lobby, &caller, seat, episode, telling)?;
    Ok(streamed(&lobby, answer))
}

/// Take up an answer of the AI SDK that runs or waits for people
///
/// It is told from its beginning, under the id that it had.
#[utoipa::path(
    get, path = "/worlds/{world}/ai-sdk/stream", operation_id = "ai_sdk_resume", tag = "clients",
    params(("world" = String, Path, description = "The world's name")),
    responses(
        (status = 200, content_type = "text/event-stream",
            description = "The answer, as a UI message stream of version 1", body = SentEvent),
        (status = 204, description = "Nothing runs, and nothing waits for people")))]
pub(crate) async fn resume(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
) -> Result<Response, Problem> {
    lobby.quotas.command(&caller)?;
    let seat = lobby.seat(&caller, &world, Right::Read).await?;
    let Some(episode) = unfinished(&seat).await? else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let answer = begin(&lobby, &caller, seat, episode, Telling::Whole(Vec::new()))?;
    Ok(streamed(&lobby, answer))
}

/// Does what a chat asks for. Gives the episode that answers it, and how much of that the client is
/// told.
async fn take(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    asked: Asked,
) -> Result<(EpisodeId, Telling), Problem> {
    match asked {
        Asked::Say { id, text } => {
            let key = RequestKey::of_route(ROUTE, &format!("message/{id}"))?;
            let message = NewMessage::of_text(text);
            let world = seat.world().name().to_string();
            let posted = deliver(lobby, caller, &world, &key, message).await?;
            Ok((EpisodeId(posted.position), Telling::Whole(Vec::new())))
        }
        Asked::GoOn(claims) => {
            let heard = hear(lobby, caller, seat, claims).await?;
            let refused = heard.iter().filter_map(Heard::part).collect();
            let (episode, place) = last_asked(heard)?;
            Ok((episode, Telling::from_step_of(place, refused)))
        }
    }
}

/// The newest request that the room asked: its episode, and its place.
///
/// # Errors
/// The first refusal if there is none, as there is nothing to go on with.
fn last_asked(heard: Vec<Heard>) -> Result<(EpisodeId, ItemId), Problem> {
    let asked = heard.iter().filter_map(|heard| heard.asked.as_ref());
    let place = |item: &FeedItem| item.episode.map(|episode| (episode, item.id));
    if let Some(last) = asked.filter_map(place).max_by_key(|(_, id)| *id) {
        return Ok(last);
    }
    let refused = heard.into_iter().find_map(|heard| heard.refused);
    Err(refused.unwrap_or_else(|| {
        let why = "the chat has neither a new message nor a decision";
        Problem::new(ProblemCode::Invalid, why).about("messages")
    }))
}

fn begin(
    lobby: &Lobby,
    caller: &Caller,
    seat: Seat,
    episode: EpisodeId,
    telling: Telling,
) -> Result<Answer, Problem> {
    let world = seat.world().name().to_string();
    let cursor = Cursor::new(world, episode, reader(caller, &seat));
    let start = before(ItemId {
        at: episode.0,
        number: 0,
    });
    let episodes = BTreeSet::from([episode]);
    let drain = lobby.rooms.drain.clone();
    let run = Run::follow(seat, start, episodes, caller.lease.clone(), drain)?;
    Ok(Answer {
        run,
        cursor,
        telling,
        is_over: false,
    })
}

/// Tells whether the caller is asked for decisions, as [`offers`](super::claim::offers) does: a
/// service is not, and whoever may only say no to a call is.
fn reader(caller: &Caller, seat: &Seat) -> Reader {
    let is_service = matches!(seat.principal(), Principal::Service(_));
    let has_token = caller.may.has(Right::Decide, seat.world().name());
    if !is_service && has_token && seat.may(Right::Decide) {
        Reader::Decides
    } else {
        Reader::Watches
    }
}

fn streamed(lobby: &Lobby, answer: Answer) -> Response {
    let open = lobby.metrics.feed();
    let events = events(answer.parts()).map(move |event| {
        let _counted = &open;
        event
    });
    let stream = Sse::new(events).keep_alive(KeepAlive::default());
    ([VERSION], stream).into_response()
}
