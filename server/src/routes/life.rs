//! Forks, erasures, and the end of worlds.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use folkmoot::core::event::{ForkEffects, Span};
use folkmoot::core::ids::WorldId;
use folkmoot::core::port::Clock as _;
use folkmoot::core::port::causes::with_causes;
use folkmoot::life::{LifeError, delete_worlds};
use folkmoot::store::{DeleteError, DeleteOrder, Store};
use folkmoot::{
    Forking, OpenError, Perform, Position, Right, SystemClock, WorldName, fold_world_from,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{Problem, ProblemCode};
use crate::request::{Body, InPath, RequestKey, Signed};
use crate::rooms::{Daily, Lobby, no_right, not_begun};

/// Delete a room for good
///
/// A tombstone stays. A room that others were branched off stays as long as they do.
#[utoipa::path(
    delete, path = "/worlds/{world}", tag = "worlds",
    params(("world" = String, Path, description = "The world's name")),
    responses((status = 204, description = "The room is deleted")))]
pub(crate) async fn delete(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
) -> Result<StatusCode, Problem> {
    let entry = lobby
        .allowed_room(&caller, &world, Right::Operate)
        .await?
        .entry;
    let name = entry.name;
    check_forks(&lobby.rooms.store, entry.world).await?;
    lobby.rooms.runtime.close(&name).await;
    let order = DeleteOrder {
        by: caller.proof.principal().clone(),
        at: SystemClock.now(),
    };
    let Lobby { rooms, .. } = &*lobby;
    delete_worlds(&rooms.runtime, &rooms.store, &[name], &order).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Refuses to delete the parent of a branch before the room is closed: whoever follows it stays.
async fn check_forks(store: &Store, world: WorldId) -> Result<(), Problem> {
    match store.check_deletion(&[world]).await {
        Err(DeleteError::HasForks { .. }) => Err(has_forks()),
        // Deleting says all else.
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The name of the branch is not said: the caller may not know of that room.
fn has_forks() -> Problem {
    let why = "another room was branched off this one: delete that one first";
    Problem::new(ProblemCode::InUse, why)
}

impl From<LifeError> for Problem {
    fn from(error: LifeError) -> Self {
        let why = with_causes(&error);
        match error {
            LifeError::NoSuchWorld(_) => Self::not_found(),
            LifeError::NoRight(_) => no_right(Right::Operate),
            LifeError::Open(_) => Self::new(ProblemCode::InUse, why),
            LifeError::Held {
                source: OpenError::Refused(refusal),
                ..
            } => refusal.into(),
            LifeError::Held { .. } => Self::new(ProblemCode::InUse, why),
            LifeError::HasForks { .. } => has_forks(),
            LifeError::Read(error) => error.into(),
            LifeError::Unread { .. } => Self::new(ProblemCode::Damaged, why),
            LifeError::Store(_) | _ => Self::new(ProblemCode::Unavailable, why),
        }
    }
}

/// A branch to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewFork {
    /// The last event that both are to have; without it the last one of the room.
    #[schema(value_type = Option<u64>)]
    at: Option<Position>,
    /// The title that people read.
    title: Option<String>,
    /// The name, for who operates the whole server; else the server makes one.
    #[schema(value_type = Option<String>)]
    name: Option<WorldName>,
    /// True if its effects are performed; else they are answered from the record.
    #[serde(default)]
    live: bool,
}

/// A branch that was made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Forked {
    /// The branch's name.
    #[schema(value_type = String)]
    world: WorldName,
    /// The last event that both have.
    #[schema(value_type = u64)]
    at: Position,
}

/// Branch a room off another one
#[utoipa::path(
    post, path = "/worlds/{world}/forks", tag = "worlds",
    params(("world" = String, Path, description = "The world's name"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = NewFork,
    responses((status = 201, description = "The branch is open", body = Forked)))]
pub(crate) async fn fork(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    key: RequestKey,
    Body(wish): Body<NewFork>,
) -> Result<(StatusCode, Json<Forked>), Problem> {
    let entry = lobby
        .allowed_room(&caller, &world, Right::Operate)
        .await?
        .entry;
    let parent = entry.name;
    lobby.check_create(&caller)?;
    let name = lobby
        .name_of_new(&caller, parent.as_str(), wish.name, key.hash(&caller))
        .await?;
    if let Some(entry) = name.found {
        // The branch may have gone on since the first answer.
        let store = &lobby.rooms.store;
        let branch = fold_world_from(store, store, &entry.name, None).await?;
        let at = branch.lineage().last().map_or(entry.head, |made| made.at);
        let world = entry.name;
        return Ok((StatusCode::CREATED, Json(Forked { world, at })));
    }
    lobby.check_day(&caller.key(), Daily::WorldsOpened).await?;
    let mut labels = entry.labels;
    labels.extend(wish.title.map(|title| ("title".to_owned(), title)));
    let forking = Forking {
        parent,
        at: wish.at,
        name: name.name,
        id: Some(name.id),
        owner: Some(caller.key()),
        labels: Some(labels),
        effects: if wish.live {
            ForkEffects::Live
        } else {
            ForkEffects::Recorded
        },
        is_copied: false,
        perform: Perform::AsItComes,
        by: caller.proof.clone(),
    };
    let id = forking.id;
    let made = lobby.rooms.runtime.fork(forking).await;
    let made = made.map_err(|error| not_begun(id, error))?;
    lobby.own(caller.key(), made.world.name().clone()).await;
    let forked = Forked {
        world: made.world.name().clone(),
        at: made.at,
    };
    Ok((StatusCode::CREATED, Json(forked)))
}

/// Content to erase.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewErasure {
    /// The events whose content is to go: each `from` and `to`, both included.
    #[schema(value_type = Vec<Object>)]
    events: Vec<Span>,
    /// The basis, for the record: who asked, and by which right.
    basis: String,
}

/// An erasure that is done.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Erasure {
    /// The position of the request for it.
    #[schema(value_type = u64)]
    request: Position,
    /// The number of events whose content is gone.
    events: u64,
    /// The number of attached files that are gone.
    files: u64,
}

/// Erase content for good
///
/// The events stay, and the log still verifies. The answer comes once the content is gone.
#[utoipa::path(
    post, path = "/worlds/{world}/erasures", tag = "worlds",
    params(("world" = String, Path, description = "The world's name"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = NewErasure,
    responses((status = 200, description = "The content is gone", body = Erasure)))]
pub(crate) async fn erase(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    key: RequestKey,
    Body(NewErasure { events, basis }): Body<NewErasure>,
) -> Result<Json<Erasure>, Problem> {
    let seat = lobby.seat(&caller, &world, Right::Operate).await?;
    let request = seat.erase(events, basis, key.of(&caller)).await?;
    let erased = seat.world().erased(request).await?;
    Ok(Json(Erasure {
        request,
        events: erased.events,
        files: erased.files,
    }))
}
