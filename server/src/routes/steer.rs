//! What steers a room: stops, client state, rights, labels, grants.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use folkmoot::core::command::{ConsentAction, TalkAction, WorldAction};
use folkmoot::core::event::Reach;
use folkmoot::core::ids::principal::Holder;
use folkmoot::core::ids::{GrantId, StateName};
use folkmoot::core::port::Labels;
use folkmoot::run::{Standing, standing};
use folkmoot::words::constraint;
use folkmoot::{EpisodeId, Right, Rights, fold_world_from};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::done::Done;
use crate::problem::{Problem, ProblemCode};
use crate::request::{Body, InPath, RequestKey, Signed};
use crate::rooms::Lobby;
use crate::wire::json;

/// The work to stop.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stop {
    /// The episode; without it everything stops.
    #[schema(value_type = Option<u64>)]
    episode: Option<EpisodeId>,
}

/// Stop an episode, or everything that goes on
#[utoipa::path(
    post, path = "/worlds/{world}/stop", tag = "rooms",
    params(("world" = String, Path, description = "The world's name"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = Stop,
    responses((status = 200, description = "The stop is in the log", body = Done)))]
pub(crate) async fn stop(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    key: RequestKey,
    Body(Stop { episode }): Body<Stop>,
) -> Result<Json<Done>, Problem> {
    let action = TalkAction::Stop { episode };
    let accepted = lobby.give(&caller, &world, action, key.of(&caller)).await?;
    Ok(Done::json(&accepted))
}

/// Tell a room what your user sees
///
/// Agents read it as data, and never as words of a person. It wakes nobody.
#[utoipa::path(
    post, path = "/worlds/{world}/state/{name}", tag = "rooms",
    params(("world" = String, Path, description = "The world's name"),
        ("name" = String, Path, description = "The state's name in the definition"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = Object,
    responses((status = 200, description = "The state is in the log", body = Done)))]
pub(crate) async fn observe(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, name)): InPath<(String, StateName)>,
    key: RequestKey,
    Body(state): Body<Box<serde_json::value::RawValue>>,
) -> Result<Json<Done>, Problem> {
    let state = lobby.checked_state(Box::<str>::from(state).into())?;
    let action = TalkAction::Observe { name, state };
    let accepted = lobby.give(&caller, &world, action, key.of(&caller)).await?;
    Ok(Done::json(&accepted))
}

/// Rights for somebody.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRights {
    /// All their rights: `read`, `post`, `decide`, `operate`; `null`: those of the definition.
    #[schema(value_type = Option<Vec<String>>)]
    rights: Option<Rights>,
}

/// Give somebody other rights
#[utoipa::path(
    put, path = "/worlds/{world}/rights/{who}", tag = "rooms",
    params(("world" = String, Path, description = "The world's name"),
        ("who" = String, Path, description = "How they are proven: `METHOD:SUBJECT`, and `service%:METHOD:SUBJECT` for a service (in a URL `%` is `%25`)"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = NewRights,
    responses((status = 200, description = "The rights are in the log", body = Done)))]
pub(crate) async fn set_rights(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, who)): InPath<(String, String)>,
    key: RequestKey,
    Body(NewRights { rights }): Body<NewRights>,
) -> Result<Json<Done>, Problem> {
    let Some((holder, method, subject)) = Holder::read(&who) else {
        let why = "name whom you mean by how they are proven: `METHOD:SUBJECT`, e.g. `token:ada`, \
                   or `service%:METHOD:SUBJECT`";
        return Err(Problem::new(ProblemCode::Invalid, why).about("who"));
    };
    if who.starts_with("service:") {
        // A person of a method called so is nobody whom a server knows.
        let why = "a service is named `service%:METHOD:SUBJECT`; in a URL `%` is written `%25`";
        return Err(Problem::new(ProblemCode::Invalid, why).about("who"));
    }
    let action = WorldAction::SetRights {
        holder,
        method,
        subject,
        rights,
    };
    let accepted = lobby.give(&caller, &world, action, key.of(&caller)).await?;
    Ok(Done::json(&accepted))
}

/// Labels of a room.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewLabels {
    /// All labels, in place of those that are there.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    labels: Labels,
}

/// Label a room
///
/// The label `title` is the room's title.
#[utoipa::path(
    put, path = "/worlds/{world}/labels", tag = "rooms",
    params(("world" = String, Path, description = "The world's name"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = NewLabels,
    responses((status = 200, description = "The labels are in the log", body = Done)))]
pub(crate) async fn label(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    key: RequestKey,
    Body(NewLabels { labels }): Body<NewLabels>,
) -> Result<Json<Done>, Problem> {
    let seat = lobby.seat(&caller, &world, Right::Operate).await?;
    // The owner is the word of whoever opened the room, and stays.
    let owner = seat.read(|world| world.labelled().owner.clone()).await?;
    let action = WorldAction::Label { owner, labels }.into();
    let accepted = seat.give(action, key.of(&caller)).await?;
    Ok(Done::json(&accepted))
}

/// The grants that stand.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GrantList {
    /// The grants, oldest first.
    #[schema(value_type = Vec<Object>)]
    grants: Vec<serde_json::Value>,
}

/// List what is allowed in advance
#[utoipa::path(
    get, path = "/worlds/{world}/grants", tag = "requests",
    params(("world" = String, Path, description = "The world's name")),
    responses((status = 200, description = "The grants, oldest first", body = GrantList)))]
pub(crate) async fn grants(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
) -> Result<Json<GrantList>, Problem> {
    let name = lobby.room(&caller, &world).await?.entry.name;
    let store = &lobby.rooms.store;
    let world = fold_world_from(store, store, &name, None).await?;
    let grants = standing(&world)
        .iter()
        .map(told)
        .collect::<Result<_, _>>()?;
    Ok(Json(GrantList { grants }))
}

/// A grant, with its words.
fn told(grant: &Standing) -> Result<Value, Problem> {
    let mut told = json(grant, &["/expires_at"])?;
    if let Some(told) = told.as_object_mut() {
        told.insert("words".to_owned(), grant.covers().into());
        if let Reach::Like { constraints, .. } = &grant.reach {
            let places: Vec<String> = constraints.iter().map(constraint).collect();
            told.insert("constraints".to_owned(), places.into());
        }
    }
    Ok(told)
}

/// End a grant before its time
#[utoipa::path(
    delete, path = "/worlds/{world}/grants/{grant}", tag = "requests",
    params(("world" = String, Path, description = "The world's name"),
        ("grant" = u64, Path, description = "The grant's position"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    responses((status = 200, description = "The grant is over", body = Done)))]
pub(crate) async fn revoke(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, grant)): InPath<(String, GrantId)>,
    key: RequestKey,
) -> Result<Json<Done>, Problem> {
    let action = ConsentAction::Revoke { grant };
    let accepted = lobby.give(&caller, &world, action, key.of(&caller)).await?;
    Ok(Done::json(&accepted))
}
