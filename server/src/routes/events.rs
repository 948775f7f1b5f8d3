//! `GET /worlds/{world}/events`: the log itself, in pages, in short, or event by event.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse as _, Response, Sse};
use folkmoot::core::port::EventLog as _;
use folkmoot::view::event::{EventDetail, LogQuery, exported, one, outline};
use folkmoot::view::outline::CallKey;
use folkmoot::{AgentName, Position, Right, WorldName};
use futures::stream::{BoxStream, Stream, StreamExt as _, TryStreamExt as _, unfold};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::{InPath, InQuery, PAGE, Signed, page_limit, page_limit_of};
use crate::rooms::Lobby;
use crate::wire::{SentEvent, json};

/// The most events of a page of the outline.
const OUTLINE_MAX: usize = 5_000;
/// The events of a page of the outline whose length is not said.
const OUTLINE: usize = 1_000;

/// The events to read.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventsQuery {
    /// The first position; without it 1.
    #[param(value_type = Option<u64>)]
    from: Option<Position>,
    /// The most events, from 1 to 200; without it 50. Of the outline up to 5000, without it 1000. A
    /// stream has no end.
    limit: Option<usize>,
    /// Only events of this kind, e.g. `ToolStarted`.
    kind: Option<String>,
    /// Only events about this agent.
    #[param(value_type = Option<String>)]
    agent: Option<AgentName>,
    /// Only events about this call: the id of a tool's, or the position of a model's.
    call: Option<String>,
    /// The events in short, without their content.
    #[serde(default)]
    #[param(required = false)]
    outline: bool,
}

impl EventsQuery {
    fn limit(&self) -> Result<usize, Problem> {
        if self.outline {
            page_limit_of(self.limit.or(Some(OUTLINE)), OUTLINE_MAX)
        } else {
            page_limit(self.limit.or(Some(PAGE)))
        }
    }

    /// The question for the log of `world`, from the event behind `last` on if there is one.
    fn of(
        self,
        world: WorldName,
        last: Option<Position>,
        follow: bool,
    ) -> Result<LogQuery, Problem> {
        let first = self.from.unwrap_or(Position::new(1));
        let call = self.call.map(|call| call.parse::<CallKey>()).transpose();
        let call = call
            .map_err(|error| Problem::new(ProblemCode::Invalid, error.to_string()).about("call"))?;
        Ok(LogQuery {
            world,
            from: last.map_or(first, Position::next),
            follow,
            kind: self.kind,
            agent: self.agent,
            call,
        })
    }
}

/// A page of events.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EventPage {
    /// The events, as `export --format jsonl` has them, without what was withheld from people. Of
    /// the outline each has `position`, `time`, `kind`, `lane` (`agent:NAME`, `person:PROOF`,
    /// `service:PROOF` or `room`), and if there is one `call`, `request`, and `mark`: `refusal`,
    /// `error` or `request`.
    #[schema(value_type = Vec<Object>)]
    events: Vec<Value>,
    /// The first position of the next page; absent if this is the last for now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    next: Option<Position>,
}

type Events = BoxStream<'static, Result<Value, Problem>>;

/// Read the log
///
/// With `Accept: text/event-stream` the events come as they are appended, each with its position as
/// id; `Last-Event-ID` goes on behind it.
#[utoipa::path(
    get, path = "/worlds/{world}/events", tag = "audit",
    params(("world" = String, Path, description = "The world's name"), EventsQuery,
        ("Last-Event-ID" = Option<String>, Header, description = "The position of the last event that was seen")),
    responses((status = 200, description = "A page of events", content(
        (EventPage = "application/json"), (SentEvent = "text/event-stream")))))]
pub(crate) async fn events(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    InQuery(query): InQuery<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let name = lobby.allowed(&caller, &world, Right::Operate).await?;
    let limit = query.limit()?;
    let is_outline = query.outline;
    let follow = wants_stream(&headers);
    let log = query.of(name.clone(), last_seen(&headers)?, follow)?;
    let events = read(&lobby, &log, is_outline).await?;
    if follow {
        return Ok(stream(lobby, caller, name, events));
    }
    Ok(Json(page(events, limit).await?).into_response())
}

async fn read(lobby: &Lobby, log: &LogQuery, is_outline: bool) -> Result<Events, Problem> {
    let store = &lobby.rooms.store;
    if !is_outline {
        let events = exported(store, log).await?;
        return Ok(events.map_err(Problem::from).boxed());
    }
    let entries = outline(store, log).await?;
    Ok(entries.map(|entry| json(&entry?, &[])).boxed())
}

async fn page(events: Events, limit: usize) -> Result<EventPage, Problem> {
    let mut found: Vec<Value> = events.take(limit + 1).try_collect().await?;
    let more = found.get(limit).and_then(|event| event.get("position"));
    let next = more.and_then(Value::as_u64).map(Position::new);
    found.truncate(limit);
    Ok(EventPage {
        events: found,
        next,
    })
}

/// Read one event
///
/// The event as the log has it, without what was withheld from people, and beside it `words`, a line
/// for people; `within`, the first and the last event of its commit; `link`, by which the next commit
/// is chained to this one, and `previous`, by which this one is; `content_digest`, SHA-256 of its
/// content as JSON; and `lane`, `call`, `request` and `mark` as in the outline.
#[utoipa::path(
    get, path = "/worlds/{world}/events/{position}", tag = "audit", operation_id = "event",
    params(("world" = String, Path, description = "The world's name"),
        ("position" = u64, Path, description = "The event's position")),
    responses((status = 200, description = "The event", body = Object)))]
pub(crate) async fn event(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, at)): InPath<(String, Position)>,
) -> Result<Json<EventDetail>, Problem> {
    let name = lobby.allowed(&caller, &world, Right::Operate).await?;
    Ok(Json(one(&lobby.rooms.store, &name, at).await?))
}

fn wants_stream(headers: &HeaderMap) -> bool {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/event-stream"))
}

fn last_seen(headers: &HeaderMap) -> Result<Option<Position>, Problem> {
    let Some(last) = headers.get("last-event-id") else {
        return Ok(None);
    };
    let position = last.to_str().ok().and_then(|last| last.parse().ok());
    match position {
        Some(position) => Ok(Some(Position::new(position))),
        None => {
            let why = "this is no position: send the id of the last event that was seen, e.g. 17";
            Err(Problem::new(ProblemCode::Invalid, why).about("Last-Event-ID"))
        }
    }
}

fn stream(lobby: Arc<Lobby>, caller: Caller, world: WorldName, events: Events) -> Response {
    let follower = Follower {
        events,
        lobby,
        caller,
        world,
        checked: Position::ZERO,
    };
    let events = follower.events().map(Ok::<_, Infallible>);
    Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response()
}

/// Somebody who follows a log for as long as they may. The log is followed where it is stored: that
/// somebody reads it opens no world.
struct Follower {
    events: Events,
    lobby: Arc<Lobby>,
    caller: Caller,
    world: WorldName,
    /// The head of the log when the right was looked at last.
    checked: Position,
}

impl Follower {
    fn events(self) -> impl Stream<Item = Event> {
        unfold(self, |mut follower| async {
            let event = follower.next().await?;
            Some((event, follower))
        })
    }

    async fn next(&mut self) -> Option<Event> {
        let next = tokio::select! {
            biased;
            () = self.caller.lease.ended() => None,
            () = self.lobby.rooms.drain.begun() => None,
            next = self.events.next() => next,
        };
        let event = match next? {
            Ok(event) => event,
            Err(problem) => {
                tracing::error!(problem = problem.detail(), "a log does not read on");
                return None;
            }
        };
        if !self.may_go_on().await {
            return None;
        }
        let position = event.get("position").map(Value::to_string);
        let data = Event::default().data(event.to_string());
        Some(match position {
            Some(position) => data.id(position),
            None => data,
        })
    }

    /// Tells whether they may still operate the world. Only what is in its log can change that.
    async fn may_go_on(&mut self) -> bool {
        let Ok(Some(entry)) = self.lobby.rooms.store.find(&self.world).await else {
            return false;
        };
        if entry.head == self.checked {
            return true;
        }
        self.checked = entry.head;
        let name = self.world.as_str();
        let allowed = self.lobby.allowed(&self.caller, name, Right::Operate).await;
        allowed.is_ok()
    }
}
