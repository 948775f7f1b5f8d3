//! What waits for people, in one world or in all.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use folkmoot::core::port::{Clock as _, Labels};
use folkmoot::core::world::World;
use folkmoot::view::permit::PermitView;
use folkmoot::view::request::RequestView;
use folkmoot::{Right, SystemClock, WorldName, fold_world_from};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::{InPath, InQuery, PAGE, Signed, page_limit};
use crate::rooms::Lobby;
use crate::wire::json;

/// Requests that wait.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RequestList {
    /// The requests: who asks in which world, what is shown and its digest, `warnings` to read
    /// first, the schema of the arguments, the time at which each expires, who may decide, what
    /// a decision can allow, and in `you` whether the caller can `decide` and `allow`, else `why`
    /// not.
    #[schema(value_type = Vec<Object>)]
    requests: Vec<Value>,
    /// The cursor of the next page; absent if this is the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// List the requests that wait in a world, oldest first
#[utoipa::path(
    get, path = "/worlds/{world}/requests", tag = "requests",
    params(("world" = String, Path, description = "The world's name")),
    responses((status = 200, description = "The requests, oldest first", body = RequestList)))]
pub(crate) async fn of_world(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
) -> Result<Json<RequestList>, Problem> {
    let name = lobby.room(&caller, &world).await?.entry.name;
    let requests = waiting_in(&lobby, &caller, &name).await?;
    Ok(Json(RequestList {
        requests,
        next: None,
    }))
}

/// A page of the inbox.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct InboxQuery {
    /// The most worlds whose requests are on the page, from 1 to 200; without it 50.
    limit: Option<usize>,
    /// `next` of the page before.
    cursor: Option<String>,
}

/// List the requests that wait in all worlds that you may read
///
/// They are in the order of the worlds' names, and in each world oldest first.
#[utoipa::path(
    get, path = "/requests", tag = "requests",
    params(InboxQuery),
    responses((status = 200, description = "The requests, world by world", body = RequestList)))]
pub(crate) async fn inbox(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InQuery(query): InQuery<InboxQuery>,
) -> Result<Json<RequestList>, Problem> {
    let limit = page_limit(query.limit.or(Some(PAGE)))?;
    let after = query.cursor.map(WorldName::new).transpose().map_err(|_| {
        let why = "this is no cursor that a page gave as `next`";
        Problem::new(ProblemCode::Invalid, why).about("cursor")
    })?;
    let mut worlds = Vec::new();
    let mut has_more = false;
    let take = |_, summary: Arc<folkmoot::view::summary::WorldSummary>| {
        if summary.waiting == 0 {
            return false;
        }
        has_more = worlds.len() == limit;
        if !has_more {
            worlds.push(summary.name.clone());
        }
        has_more
    };
    lobby.readable(&caller, &Labels::new(), after, take).await?;
    let mut requests = Vec::new();
    for world in &worlds {
        requests.extend(waiting_in(&lobby, &caller, world).await?);
    }
    let next = worlds.last().filter(|_| has_more);
    let next = next.map(ToString::to_string);
    Ok(Json(RequestList { requests, next }))
}

/// The requests that wait in a world, as `caller` is shown them. It is not opened for it.
pub(crate) async fn waiting_in(
    lobby: &Lobby,
    caller: &Caller,
    name: &WorldName,
) -> Result<Vec<Value>, Problem> {
    let store = &lobby.rooms.store;
    let world = fold_world_from(store, store, name, None).await?;
    let offered = offered(&world, caller, name).into_iter();
    offered
        .map(|offered| json(&offered, &["/asks/expires_at"]))
        .collect()
}

/// A request, and whether the caller can decide it.
#[derive(Debug, Serialize)]
pub(crate) struct Offered {
    #[serde(flatten)]
    pub(crate) request: RequestView,
    pub(crate) you: PermitView,
}

/// The requests that wait in `world`, which is called `name`, as `caller` is shown them.
pub(crate) fn offered(world: &World, caller: &Caller, name: &WorldName) -> Vec<Offered> {
    let requests = RequestView::all(world, SystemClock.now()).into_iter();
    let offered = requests.map(|request| Offered {
        you: permit(world, caller, name, &request),
        request,
    });
    offered.collect()
}

fn permit(world: &World, caller: &Caller, name: &WorldName, request: &RequestView) -> PermitView {
    if !caller.may.has(Right::Decide, name) {
        return PermitView::refused("your token does not give the right to decide here");
    }
    let request = request.waiting.waiting.request;
    let principal = caller.proof.principal();
    PermitView::of(world, request, principal, SystemClock.now())
}
