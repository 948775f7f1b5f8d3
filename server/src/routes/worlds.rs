//! Worlds: opening, listing and finding them.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use folkmoot::core::event::{Forked, Holder};
use folkmoot::core::ids::{ArtifactName, StateName};
use folkmoot::core::port::{EventLog as _, Labels};
use folkmoot::core::tool::ArtifactSpec;
use folkmoot::core::world::World;
use folkmoot::view::summary::WorldSummary;
use folkmoot::{Activity, AgentName, Position, Right, Rights, WorldName, fold_world_from};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::{Body, InPath, InQuery, PAGE, RequestKey, Signed, page_limit};
use crate::rooms::Lobby;
use crate::routes::opening::{Ownership, begin};
use crate::wire::time;

/// A room to open.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewWorld {
    /// The template's name.
    pub(crate) template: String,
    /// The title that people read; kept as the label `title`.
    pub(crate) title: Option<String>,
    /// The labels.
    #[serde(default)]
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    pub(crate) labels: Labels,
    /// The name, for who operates the whole server; else the server makes one.
    #[schema(value_type = Option<String>)]
    pub(crate) name: Option<WorldName>,
}

/// A room that was opened.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Opened {
    /// The world's name.
    #[schema(value_type = String)]
    world: WorldName,
}

/// Open a room from a template
#[utoipa::path(
    post, path = "/worlds", tag = "worlds",
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = NewWorld,
    responses(
        (status = 201, description = "The room is open", body = Opened)))]
pub(crate) async fn open(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    key: RequestKey,
    Body(wish): Body<NewWorld>,
) -> Result<(StatusCode, Json<Opened>), Problem> {
    let world = begin(&lobby, &caller, wish, &key, Ownership::Own).await?;
    Ok((StatusCode::CREATED, Json(Opened { world })))
}

/// A world in short.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WorldLine {
    /// The world's name.
    #[schema(value_type = String)]
    name: WorldName,
    /// The title that people gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The labels.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    labels: Labels,
    /// Who opened it, by their proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// The position of its last event.
    #[schema(value_type = u64)]
    head: Position,
    /// The time of its last event.
    time: String,
    /// `idle`, `running`, or `parked` while all that is left waits for people.
    #[schema(value_type = String)]
    activity: Activity,
    /// The number of requests that wait for people.
    waiting: usize,
}

impl From<&WorldSummary> for WorldLine {
    fn from(summary: &WorldSummary) -> Self {
        Self {
            name: summary.name.clone(),
            title: summary.title.clone(),
            labels: summary.labels.clone(),
            owner: summary.owner.clone(),
            head: summary.head,
            time: time(summary.time),
            activity: summary.activity,
            waiting: summary.waiting,
        }
    }
}

/// A page of worlds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WorldPage {
    /// The worlds, by name.
    worlds: Vec<WorldLine>,
    /// The cursor of the next page; absent if this is the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// List the worlds that you may read
///
/// No world is opened for it.
#[utoipa::path(
    get, path = "/worlds", operation_id = "list_worlds", tag = "worlds",
    params(
        ("label" = Option<Vec<String>>, Query, description = "`KEY:VALUE`; several must all fit"),
        ("owner" = Option<String>, Query, description = "The owner"),
        ("q" = Option<String>, Query, description = "A part of the name or the title"),
        ("activity" = Option<String>, Query, description = "Only worlds that are `running`, `idle` or `parked`"),
        ("waiting" = Option<bool>, Query, description = "Only worlds in which requests wait"),
        ("limit" = Option<usize>, Query, description = "The most worlds, from 1 to 200; without it 50"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before")),
    responses((status = 200, description = "A page of worlds, by name", body = WorldPage)))]
pub(crate) async fn list(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InQuery(pairs): InQuery<Vec<(String, String)>>,
) -> Result<Json<WorldPage>, Problem> {
    let filter = WorldFilter::read(pairs)?;
    let mut worlds: Vec<WorldLine> = Vec::new();
    let mut has_more = false;
    let take = |_, summary: Arc<WorldSummary>| {
        if !filter.fits(&summary) {
            return false;
        }
        has_more = worlds.len() == filter.limit;
        if !has_more {
            worlds.push(WorldLine::from(&*summary));
        }
        has_more
    };
    lobby
        .readable(&caller, &filter.labels, filter.cursor.clone(), take)
        .await?;
    let last = worlds.last().filter(|_| has_more);
    let next = last.map(|world| world.name.to_string());
    Ok(Json(WorldPage { worlds, next }))
}

/// The worlds that somebody looks for.
#[derive(Debug)]
struct WorldFilter {
    labels: Labels,
    owner: Option<String>,
    part: Option<String>,
    activity: Option<Activity>,
    is_waiting: bool,
    limit: usize,
    cursor: Option<WorldName>,
}

impl WorldFilter {
    fn read(pairs: Vec<(String, String)>) -> Result<Self, Problem> {
        let mut filter = Self {
            labels: Labels::new(),
            owner: None,
            part: None,
            activity: None,
            is_waiting: false,
            limit: PAGE,
            cursor: None,
        };
        for (name, value) in pairs {
            let wrong = |why: &str| Problem::new(ProblemCode::Invalid, why).about(name.as_str());
            match name.as_str() {
                "label" => {
                    let label = value.split_once(':');
                    let (key, value) = label.ok_or_else(|| wrong("write a label as KEY:VALUE"))?;
                    filter.labels.insert(key.to_owned(), value.to_owned());
                }
                "owner" => filter.owner = Some(value),
                "q" => filter.part = Some(value.to_lowercase()),
                "activity" => {
                    let why = "`activity` is running, idle or parked";
                    let activity = serde_json::from_value(value.into());
                    filter.activity = Some(activity.map_err(|_| wrong(why))?);
                }
                "waiting" => {
                    let why = "`waiting` is true or false";
                    filter.is_waiting = value.parse().map_err(|_| wrong(why))?;
                }
                "limit" => filter.limit = page_limit(value.parse().ok())?,
                "cursor" => {
                    let why = "this is no cursor that a page gave as `next`";
                    filter.cursor = Some(WorldName::new(value).map_err(|_| wrong(why))?);
                }
                _ => return Err(wrong("there is no such parameter")),
            }
        }
        Ok(filter)
    }

    fn fits(&self, summary: &WorldSummary) -> bool {
        let has = |text: &str, part: &str| text.to_lowercase().contains(part);
        let is_named = |part: &String| {
            has(summary.name.as_str(), part)
                || summary.title.as_ref().is_some_and(|title| has(title, part))
        };
        (self.owner.is_none() || self.owner == summary.owner)
            && self
                .activity
                .is_none_or(|activity| activity == summary.activity)
            && (!self.is_waiting || summary.waiting > 0)
            && self.part.as_ref().is_none_or(is_named)
    }
}

/// A world, and what the caller may do there.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WorldDetail {
    #[serde(flatten)]
    world: WorldLine,
    /// The caller's rights: `read`, `post`, `decide`, `operate`.
    #[schema(value_type = Vec<String>)]
    may: Rights,
    /// The agents, in the order of the roster.
    #[schema(value_type = Vec<String>)]
    agents: Vec<AgentName>,
    /// The people and services that the room knows, by the keys of their rights.
    people: Vec<KnownPrincipal>,
    /// The kinds of artifacts that its tools give: of each the title, the schema of its data, and
    /// the fields that are shown.
    #[schema(value_type = std::collections::BTreeMap<String, Object>)]
    kinds: BTreeMap<ArtifactName, ArtifactSpec>,
    /// The names of the state that clients may tell it.
    #[schema(value_type = Vec<String>)]
    states: Vec<StateName>,
    /// The place where it was branched off another one; absent if it was not, or if the caller may
    /// not read that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    forked_from: Option<ForkedFrom>,
}

/// A person or a service that a room knows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KnownPrincipal {
    /// The key of their rights, e.g. `token:ada`.
    key: String,
    /// The name that the room calls them by; of somebody who never joined the id that they have to
    /// whoever proves them.
    name: String,
    /// The rights that the room gives them; only for whoever may operate it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    rights: Option<Rights>,
}

impl KnownPrincipal {
    /// Those who joined the room of `world`, and those whose rights it names.
    fn all(world: &World, tells_rights: bool) -> Vec<Self> {
        let access = world.access();
        let named = access.people().into_keys().filter_map(|key| {
            let (_, _, subject) = Holder::read(key)?;
            Some((key.to_owned(), subject))
        });
        let joined = world.people().roster().values();
        let joined = joined.map(|person| (person.proof(), person.display.to_string()));
        let all: BTreeMap<String, String> = named.chain(joined).collect();
        let rights = |key: &str| {
            let given = access.people().get(key).copied();
            given.unwrap_or(access.of_others()).clone()
        };
        let all = all.into_iter().map(|(key, name)| Self {
            rights: tells_rights.then(|| rights(&key)),
            key,
            name,
        });
        all.collect()
    }
}

/// The place where a world was branched off another one.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ForkedFrom {
    /// The other one.
    #[schema(value_type = String)]
    world: WorldName,
    /// The last event that both have.
    #[schema(value_type = u64)]
    at: Position,
}

impl ForkedFrom {
    /// The world that `world` was branched off, if `caller` may read it and it has its name still.
    async fn of(lobby: &Lobby, caller: &Caller, world: &World) -> Result<Option<Self>, Problem> {
        let (Some(branch), Some(id)) = (world.lineage().last(), world.id()) else {
            return Ok(None);
        };
        let mut commits = lobby.rooms.store.read(id, branch.at.next()).await?;
        let commit = commits.try_next().await?.map(|stored| stored.commit);
        let events = commit.into_iter().flat_map(|commit| commit.events);
        let parent = events
            .filter_map(|event| Forked::of_event(&event).map(|forked| forked.parent_name.clone()))
            .next();
        let Some(parent) = parent else {
            return Ok(None);
        };
        let room = lobby.room(caller, parent.as_str()).await.ok();
        let is_it = room.is_some_and(|room| room.entry.world == branch.parent);
        Ok(is_it.then_some(Self {
            world: parent,
            at: branch.at,
        }))
    }
}

/// See a world in short
#[utoipa::path(
    get, path = "/worlds/{world}", tag = "worlds",
    params(("world" = String, Path, description = "The world's name")),
    responses((status = 200, description = "The world", body = WorldDetail)))]
pub(crate) async fn show(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
) -> Result<Json<WorldDetail>, Problem> {
    let entry = lobby.room(&caller, &world).await?.entry;
    let store = &lobby.rooms.store;
    let folded = fold_world_from(store, store, &entry.name, None).await?;
    let rights = folded.rights_of(caller.proof.principal());
    let may = |right: &Right| caller.may.has(*right, &entry.name);
    let may = Rights(rights.0.into_iter().filter(may).collect());
    let tells_rights = may.has(Right::Operate);
    let spec = folded.rules().spec();
    let agents = spec.agents.iter();
    Ok(Json(WorldDetail {
        world: WorldLine::from(&WorldSummary::of(&entry, &folded)),
        may,
        agents: agents.map(|agent| agent.name.clone()).collect(),
        people: KnownPrincipal::all(&folded, tells_rights),
        kinds: spec.kinds(),
        states: spec.states.keys().cloned().collect(),
        forked_from: ForkedFrom::of(&lobby, &caller, &folded).await?,
    }))
}
