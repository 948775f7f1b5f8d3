//! What a room was, and why: state, causes, requests to models, proofs.

use std::sync::Arc;

use axum::Json;
use axum::body::Body as RawBody;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use folkmoot::core::port::causes::with_causes;
use folkmoot::evidence::{BundleOrder, EvidenceError, bundle_of};
use folkmoot::export::{ExportFormat, Integrity, export as write_down};
use folkmoot::proof::anchors::AnchorsFile;
use folkmoot::proof::bundle::BUNDLE_MAX;
use folkmoot::store::Choice;
use folkmoot::view::anchor::{AnchorQuery, AnchorView, anchors};
use folkmoot::view::diff::{DiffQuery, DiffView, diff as compare};
use folkmoot::view::prompt::{PromptView, prompt as ask};
use folkmoot::view::replay::{ReplayView, state as fold};
use folkmoot::view::state_diff::{StateDiff, StateDiffQuery, state_diff};
use folkmoot::view::usage::UsageView;
use folkmoot::view::verify::{GivenAnchors, VerifyQuery, verdict};
use folkmoot::view::why::{WhyQuery, WhyView, why_for_people};
use folkmoot::view::world::WorldAt;
use folkmoot::{Position, Right, WorldName, fold_world_from, note_of};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::problem::{Problem, ProblemCode};
use crate::request::{InPath, InQuery, Signed, read_body};
use crate::rooms::Lobby;
use crate::routes::templates::blocking;
use crate::wire::json;

/// A position to look at.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AtQuery {
    /// The state at the end of the commit that holds this event; without it that of now.
    #[param(value_type = Option<u64>)]
    at: Option<Position>,
}

/// See a room's state at a position
#[utoipa::path(
    get, path = "/worlds/{world}/state", tag = "audit",
    params(("world" = String, Path, description = "The world's name"), AtQuery),
    responses((status = 200, description = "The state", body = Object)))]
pub(crate) async fn state(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    InQuery(AtQuery { at }): InQuery<AtQuery>,
) -> Result<Json<ReplayView>, Problem> {
    let name = lobby.allowed(&caller, &world, Right::Operate).await?;
    Ok(Json(fold(&lobby.rooms.store, &name, at).await?))
}

/// Two positions of one room.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SpanQuery {
    /// The first position.
    #[param(value_type = u64)]
    from: Position,
    /// The second position.
    #[param(value_type = u64)]
    to: Position,
}

/// Compare a room's states at two positions
#[utoipa::path(
    get, path = "/worlds/{world}/diff", tag = "audit",
    params(("world" = String, Path, description = "The world's name"), SpanQuery),
    responses((status = 200, description = "The differences", body = Object)))]
pub(crate) async fn changes(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    InQuery(SpanQuery { from, to }): InQuery<SpanQuery>,
) -> Result<Json<StateDiff>, Problem> {
    let world = lobby.allowed(&caller, &world, Right::Operate).await?;
    let query = StateDiffQuery {
        world,
        before: from,
        after: to,
    };
    Ok(Json(state_diff(&lobby.rooms.store, &query).await?))
}

/// Lead an event back to its causes
///
/// It has no words but those that people read in the room: nothing of what was withheld from them.
#[utoipa::path(
    get, path = "/worlds/{world}/why/{position}", tag = "audit",
    params(("world" = String, Path, description = "The world's name"),
        ("position" = u64, Path, description = "The event's position")),
    responses((status = 200, description = "The causes, back to a person", body = Object)))]
pub(crate) async fn why(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, at)): InPath<(String, Position)>,
) -> Result<Json<WhyView>, Problem> {
    let world = lobby.allowed(&caller, &world, Right::Read).await?;
    let query = WhyQuery { world, at };
    // The lines of the log for operators hold what was withheld from people.
    Ok(Json(why_for_people(&lobby.rooms.store, &query).await?))
}

/// See what a model was asked
#[utoipa::path(
    get, path = "/worlds/{world}/prompt/{call}", tag = "audit",
    params(("world" = String, Path, description = "The world's name"),
        ("call" = u64, Path, description = "The position of the model call")),
    responses((status = 200, description = "The request, made anew from the log", body = Object)))]
pub(crate) async fn prompt(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, call)): InPath<(String, Position)>,
) -> Result<Json<PromptView>, Problem> {
    let world = lobby.allowed(&caller, &world, Right::Operate).await?;
    Ok(Json(ask(&lobby.rooms.store, &world, call).await?))
}

/// The usage of models.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UsageList {
    /// The usage, a row for each agent and model.
    #[schema(value_type = Vec<Object>)]
    usage: Vec<UsageView>,
}

/// See how often models were asked, and the cost
#[utoipa::path(
    get, path = "/worlds/{world}/usage", tag = "audit",
    params(("world" = String, Path, description = "The world's name"), AtQuery),
    responses((status = 200, description = "The usage of models", body = UsageList)))]
pub(crate) async fn usage(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    InQuery(AtQuery { at }): InQuery<AtQuery>,
) -> Result<Json<UsageList>, Problem> {
    let name = lobby.allowed(&caller, &world, Right::Read).await?;
    let store = &lobby.rooms.store;
    let world = fold_world_from(store, store, &name, at).await?;
    let usage = UsageView::all(&world);
    Ok(Json(UsageList { usage }))
}

/// Verify a room's log
///
/// `badge` says in short what was found: `state` (`intact`, `damaged`, or `not_checked` where a check
/// could not be done), `to` (the last event that is as it was written), `damaged_at`, and `words`.
#[utoipa::path(
    get, path = "/worlds/{world}/integrity", tag = "audit",
    params(("world" = String, Path, description = "The world's name")),
    responses((status = 200, description = "The checks, each with what it found", body = Object)))]
pub(crate) async fn integrity(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
) -> Result<Json<Value>, Problem> {
    let world = lobby.allowed(&caller, &world, Right::Operate).await?;
    report(&lobby, world, GivenAnchors::default()).await
}

/// Verify a room's log against an anchor
///
/// The body is an anchor that was kept elsewhere, as `GET …/anchor` or the command line gave it. If
/// it fits, `badge.anchor` says up to which event, and the time of that.
#[utoipa::path(
    post, path = "/worlds/{world}/integrity", tag = "audit",
    params(("world" = String, Path, description = "The world's name")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, description = "The checks, each with what it found", body = Object)))]
pub(crate) async fn integrity_against(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    body: RawBody,
) -> Result<Json<Value>, Problem> {
    let world = lobby.allowed(&caller, &world, Right::Operate).await?;
    let bytes = read_body(body, lobby.rooms.limits.body_bytes_max).await?;
    let anchor = String::from_utf8(bytes.to_vec())
        .map_err(|_| Problem::new(ProblemCode::BadRequest, "an anchor is text"))?;
    let given = GivenAnchors {
        anchors: vec![("the body".into(), anchor)],
        keys: Vec::new(),
    };
    report(&lobby, world, given).await
}

async fn report(
    lobby: &Lobby,
    world: WorldName,
    given: GivenAnchors,
) -> Result<Json<Value>, Problem> {
    let query = VerifyQuery { world, given };
    let judged = verdict(&lobby.rooms.store, &query).await?;
    Ok(Json(json(&judged, &["/badge/anchor/time"])?))
}

/// The head of a log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HeadOfLog {
    #[serde(flatten)]
    #[schema(value_type = Object)]
    view: AnchorView,
    /// The newest signed head as the text of an anchor, to keep elsewhere: `POST …/integrity`
    /// checks against it. Absent while no head is signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Read the head of a room's log, to keep it elsewhere
#[utoipa::path(
    get, path = "/worlds/{world}/anchor", tag = "audit",
    params(("world" = String, Path, description = "The world's name")),
    responses((status = 200, description = "The head, and the part of it that was signed", body = HeadOfLog)))]
pub(crate) async fn anchor(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
) -> Result<Json<HeadOfLog>, Problem> {
    let world = lobby.allowed(&caller, &world, Right::Operate).await?;
    let query = AnchorQuery { world: Some(world) };
    let store = &lobby.rooms.store;
    let found = anchors(store, store, &query).await?.into_iter().next();
    let view = found.ok_or_else(Problem::not_found)?;
    let note = view.signed.as_ref().map(|(_, head)| note_of(view.id, head));
    let note = note
        .transpose()
        .map_err(|error| Problem::new(ProblemCode::Damaged, error.to_string()))?;
    let text = note.map(|note| std::iter::once(note).collect::<AnchorsFile>().to_string());
    Ok(Json(HeadOfLog { view, text }))
}

/// The format of an export.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// `md`, `jsonl`, `html`, `otlp` or `bundle`; without it `jsonl`. `otlp` has spans for
    /// OpenTelemetry, without words. A bundle is evidence: all commits with what proves them, for
    /// `folkmoot check-bundle`.
    format: Option<String>,
}

/// Write a room down
#[utoipa::path(
    get, path = "/worlds/{world}/export", tag = "audit",
    params(("world" = String, Path, description = "The world's name"), ExportQuery),
    responses((status = 200, description = "The room, as it stands now", content(
        (String = "application/x-ndjson"), (String = "text/markdown"), (String = "text/html"),
        (Object = "application/json")))))]
pub(crate) async fn export(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    InQuery(query): InQuery<ExportQuery>,
) -> Result<Response, Problem> {
    if query.format.as_deref() == Some("bundle") {
        let world = lobby.allowed(&caller, &world, Right::Operate).await?;
        return bundle(&lobby, world).await;
    }
    let format = match query.format {
        None => ExportFormat::Lines,
        Some(name) => name
            .parse()
            .map_err(|error: folkmoot::export::NoSuchFormat| {
                let why = format!("{error}, or bundle");
                Problem::new(ProblemCode::Invalid, why).about("format")
            })?,
    };
    let world = lobby.allowed(&caller, &world, Right::Operate).await?;
    let pieces = write_down(&lobby.rooms.store, &world, format, &Integrity::NotChecked).await?;
    let kind = match format {
        ExportFormat::Lines | ExportFormat::Otlp(_) => "application/x-ndjson",
        ExportFormat::Markdown => "text/markdown; charset=utf-8",
        ExportFormat::Html => "text/html; charset=utf-8",
    };
    let file = format!("{world}.{}", format.name());
    Ok(download(kind, &file, RawBody::from_stream(pieces)))
}

/// A file to be kept.
fn download(kind: &str, file: &str, body: RawBody) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{file}\""),
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    (headers, body).into_response()
}

/// The whole room as evidence.
async fn bundle(lobby: &Lobby, world: WorldName) -> Result<Response, Problem> {
    let order = BundleOrder {
        world: &world,
        choice: Choice::All,
        notes: &[],
        key: None,
    };
    let bundle = bundle_of(&lobby.rooms.store, order).await?;
    let bytes = blocking(move || serde_json::to_vec_pretty(&bundle)).await?;
    let mut bytes =
        bytes.map_err(|error| Problem::new(ProblemCode::Internal, error.to_string()))?;
    // The file ends with a line, as text files do.
    bytes.push(b'\n');
    if bytes.len() > BUNDLE_MAX {
        let why = format!(
            "the bundle would have {} bytes; at most {BUNDLE_MAX} can be checked: choose events with `folkmoot export --events`",
            bytes.len()
        );
        return Err(Problem::new(ProblemCode::Invalid, why).about("format"));
    }
    let file = format!("{world}.bundle.json");
    Ok(download("application/json", &file, bytes.into()))
}

impl From<EvidenceError> for Problem {
    fn from(error: EvidenceError) -> Self {
        let why = with_causes(&error);
        match error {
            EvidenceError::Fold(error) => error.into(),
            EvidenceError::Ahead { .. } => Self::new(ProblemCode::Damaged, why),
            EvidenceError::NoSuchEvent { .. }
            | EvidenceError::NotText { .. }
            | EvidenceError::Checkpoint(_)
            | EvidenceError::OtherLog { .. }
            | EvidenceError::Sign(_)
            | _ => Self::new(ProblemCode::Internal, why),
        }
    }
}

/// Two rooms.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PairQuery {
    /// The first room, `NAME` or `NAME@POSITION`.
    a: String,
    /// The second room.
    b: String,
}

/// Compare two rooms
#[utoipa::path(
    get, path = "/diff", tag = "audit",
    params(PairQuery),
    responses((status = 200, description = "The differences", body = Object)))]
pub(crate) async fn diff(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InQuery(PairQuery { a, b }): InQuery<PairQuery>,
) -> Result<Json<DiffView>, Problem> {
    let mut sides = Vec::new();
    for (field, side) in [("a", a), ("b", b)] {
        let (name, at) = match side.split_once('@') {
            None => (side.as_str(), None),
            Some((name, at)) => (name, Some(position(field, at)?)),
        };
        let world = lobby.allowed(&caller, name, Right::Operate).await?;
        sides.push(WorldAt { world, at });
    }
    let (Some(other), Some(one)) = (sides.pop(), sides.pop()) else {
        return Err(Problem::not_found());
    };
    let query = DiffQuery { one, other };
    Ok(Json(compare(&lobby.rooms.store, &query).await?))
}

fn position(field: &str, text: &str) -> Result<Position, Problem> {
    text.parse().map(Position::new).map_err(|_| {
        let why = format!("{text:?} is no position: write NAME@POSITION, e.g. desk@17");
        Problem::new(ProblemCode::Invalid, why).about(field)
    })
}
