//! A decision in words, before anybody takes it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use folkmoot::core::command::Judgement;
use folkmoot::core::ids::RequestId;
use folkmoot::core::port::Clock as _;
use folkmoot::view::preview::PreviewView;
use folkmoot::{Right, SystemClock, Verdict, fold_world_from};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::decisions::{NewScope, Reach, check_shown, scope_of, wider};
use crate::problem::Problem;
use crate::request::{Body, InPath, Signed};
use crate::rooms::Lobby;

/// A decision to look at: the body of a decision, of which `shown` may be left out.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlannedDecision {
    /// `allow` or `deny`.
    #[schema(value_type = String, example = "allow")]
    verdict: Verdict,
    /// The digest of what was shown, or its first 8 hex digits at least.
    shown: Option<String>,
    /// The reach of a yes; without it this one call.
    scope: Option<NewScope>,
    /// The arguments of later calls: `any`, or constraints, each at a place. Without it they are
    /// the same.
    #[serde(rename = "where")]
    reach: Option<Reach>,
    /// Other arguments for the call, as JSON in a string.
    arguments: Option<String>,
    /// The reason.
    reason: Option<String>,
    /// True if the agent may read the reason.
    #[serde(default)]
    share_reason: bool,
}

impl PlannedDecision {
    fn judgement(self) -> Result<Judgement, Problem> {
        self.shown.as_deref().map_or(Ok(()), check_shown)?;
        Ok(Judgement {
            verdict: self.verdict,
            scope: scope_of(self.scope),
            wider: wider(self.reach),
            arguments: self.arguments,
            shown: self.shown,
            world: None,
            reason: self.reason,
            shares_reason: self.share_reason,
        })
    }
}

/// A decision that nobody took yet.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Preview {
    /// The outcome in sentences: what becomes of the call, and of calls to come.
    words: String,
    /// The places at which arguments of calls to come may differ, each in words.
    constraints: Vec<String>,
    /// Sentences to read first; empty if there is nothing to warn of.
    warnings: Vec<String>,
    /// True if the call would run with other arguments than those that were asked about.
    arguments_differ: bool,
}

impl From<PreviewView> for Preview {
    fn from(view: PreviewView) -> Self {
        Self {
            words: view.words,
            constraints: view.constraints,
            warnings: view.warnings,
            arguments_differ: view.arguments_differ,
        }
    }
}

/// See in words what a decision would do
///
/// It changes nothing. What the decision itself would be refused for is the same problem here.
#[utoipa::path(
    post, path = "/worlds/{world}/requests/{request}/preview", tag = "requests",
    params(("world" = String, Path, description = "The world's name"),
        ("request" = u64, Path, description = "The request's position")),
    request_body = PlannedDecision,
    responses((status = 200, description = "The decision in words", body = Preview)))]
pub(crate) async fn preview(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, request)): InPath<(String, RequestId)>,
    Body(planned): Body<PlannedDecision>,
) -> Result<Json<Preview>, Problem> {
    let name = lobby.allowed(&caller, &world, Right::Decide).await?;
    let judgement = planned.judgement()?;
    let store = &lobby.rooms.store;
    let world = fold_world_from(store, store, &name, None).await?;
    let principal = caller.proof.principal();
    let view = PreviewView::of(&world, request, principal, &judgement, SystemClock.now())?;
    let view = view.ok_or_else(Problem::not_found)?;
    Ok(Json(view.into()))
}
