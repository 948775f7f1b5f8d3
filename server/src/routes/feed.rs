//! `GET /worlds/{world}/feed`: server-sent events.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use folkmoot::{FeedDraft, FeedStart, Right};
use futures::stream::{Stream, StreamExt as _};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::problem::Problem;
use crate::request::{InPath, InQuery, Signed};
use crate::rooms::Lobby;
use crate::stream::{Frame, FrameSource, start_at};
use crate::wire::{SentEvent, with_json};

/// The place to begin at.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FeedQuery {
    /// The id of an item: the feed goes on behind it. `now` begins with what is new. Without it the
    /// feed begins with the world. The header `Last-Event-ID` comes first.
    after: Option<String>,
}

/// Follow all that happens in a world
///
/// Each event has the name of its kind and the id of its item. Whoever comes back with the last id
/// they saw, as `Last-Event-ID` or `after`, gets what is behind it, inside a commit as well. Events
/// `draft` and `draft_end` have no id: they are pieces of a reply that is still being written. Nor
/// has `caught_up`, which comes once: all that was in the log at the beginning was sent. Items
/// `notice`, `decision` and `call_finished` carry `words`, a sentence for people. Clients ignore
/// fields and kinds that they do not know. The stream ends with `bye` when the server does, and
/// without a word when the right to read is lost.
#[utoipa::path(
    get, path = "/worlds/{world}/feed", tag = "feed",
    params(("world" = String, Path, description = "The world's name"), FeedQuery,
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last item that was seen")),
    responses(
        (status = 200, content_type = "text/event-stream", description = "The feed, event by event", body = SentEvent)))]
pub(crate) async fn feed(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    InQuery(query): InQuery<FeedQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let start = start(&headers, query.after.as_deref())?;
    let seat = lobby.seat(&caller, &world, Right::Read).await?;
    let feed = seat.feed(start)?;
    let source = FrameSource::new(feed, caller.lease, lobby.rooms.drain.clone(), start);
    let open = lobby.metrics.feed();
    let events = source.frames().map(move |frame| {
        let _counted = &open;
        Ok(event(&frame))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

fn start(headers: &HeaderMap, after: Option<&str>) -> Result<FeedStart, Problem> {
    let last = headers.get("last-event-id");
    let (field, text) = match (last, after) {
        (Some(id), _) => ("Last-Event-ID", id.to_str().unwrap_or("")),
        (None, Some(after)) => ("after", after),
        (None, None) => return Ok(FeedStart::Beginning),
    };
    start_at(field, text)
}

/// The frame as an event: its name is that of its kind, its data is all of it.
fn event(frame: &Frame) -> Event {
    let event = match frame {
        Frame::Item(item) => Event::default()
            .id(item.id.to_string())
            .event(item.body.word()),
        Frame::Draft(FeedDraft::Draft { .. }) => Event::default().event("draft"),
        Frame::Draft(FeedDraft::DraftEnd { .. }) => Event::default().event("draft_end"),
        Frame::CaughtUp(_) => Event::default().event("caught_up"),
        Frame::Bye(_) => Event::default().event("bye"),
    };
    with_json(event, frame)
}
