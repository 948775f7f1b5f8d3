//! Decisions of people on requests.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use folkmoot::core::command::{Judgement, Reply, Resolution, Settlement};
use folkmoot::core::event::{Scope, Wider};
use folkmoot::core::ids::RequestId;
use folkmoot::core::tool::constraint::Constraint;
use folkmoot::{Accepted, Position, Verdict};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::done::Done;
use super::requests::waiting_in;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::{Body, InPath, RequestKey, Signed};
use crate::rooms::Lobby;

/// A decision about a call that waits.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewDecision {
    /// `allow` or `deny`.
    #[schema(value_type = String, example = "allow")]
    verdict: Verdict,
    /// The digest of what was shown, or its first 8 hex digits at least.
    shown: String,
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

/// Resolves a request. Whoever saw something else than it shows is given what it shows now.
pub(crate) async fn resolve(
    lobby: &Lobby,
    caller: &Caller,
    world: &str,
    request: RequestId,
    resolution: Resolution,
    key: &RequestKey,
) -> Result<Accepted, Problem> {
    let action = resolution.of(request, None);
    let problem = match lobby.give(caller, world, action, key.of(caller)).await {
        Err(problem) if problem.code() == ProblemCode::ShownDiffers => problem,
        given => return given,
    };
    let name = lobby.room(caller, world).await?.entry.name;
    let waiting = waiting_in(lobby, caller, &name).await?;
    let now = waiting
        .into_iter()
        .find(|waiting| waiting.get("request") == Some(&request.0.get().into()));
    Err(match now {
        Some(now) => problem.with("request", now),
        None => problem,
    })
}

/// The reach of a yes.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NewScope {
    /// This call only.
    Once,
    /// Calls like it until the turn is over.
    Turn,
    /// Calls like it in this world, until the grant expires.
    World,
    /// So many calls like it, this one among them.
    Uses(u32),
}

impl From<NewScope> for Scope {
    fn from(scope: NewScope) -> Self {
        match scope {
            NewScope::Once => Self::Once,
            NewScope::Turn => Self::Turn,
            NewScope::World => Self::World,
            NewScope::Uses(uses) => Self::Uses(uses),
        }
    }
}

/// The arguments that later calls may have.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Reach {
    /// Any.
    Word(AnyWord),
    /// Those that fit these constraints.
    #[schema(value_type = Vec<Object>)]
    Constraints(Vec<Constraint>),
}

/// The word for any arguments.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AnyWord {
    /// `any`.
    Any,
}

/// A decision that was taken.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Decision {
    /// The request.
    #[schema(value_type = u64)]
    request: RequestId,
    /// The verdict.
    #[schema(value_type = String)]
    verdict: Verdict,
    /// The last event of the decision; absent if it changed nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    position: Option<Position>,
}

/// Decide whether a call may run
#[utoipa::path(
    post, path = "/worlds/{world}/requests/{request}/decision", tag = "requests",
    params(("world" = String, Path, description = "The world's name"),
        ("request" = u64, Path, description = "The request's position"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = NewDecision,
    responses(
        (status = 200, description = "The decision is in the log", body = Decision)))]
pub(crate) async fn decide(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, request)): InPath<(String, RequestId)>,
    key: RequestKey,
    Body(decision): Body<NewDecision>,
) -> Result<Json<Decision>, Problem> {
    let verdict = decision.verdict;
    let resolution = decision.resolution()?;
    let accepted = resolve(&lobby, &caller, &world, request, resolution, &key).await?;
    Ok(Json(Decision {
        request,
        verdict,
        position: accepted.last,
    }))
}

impl NewDecision {
    /// The resolution of the request that it says.
    pub(crate) fn resolution(self) -> Result<Resolution, Problem> {
        check_shown(&self.shown)?;
        Ok(Resolution::Judge(Judgement {
            verdict: self.verdict,
            scope: scope_of(self.scope),
            wider: wider(self.reach),
            arguments: self.arguments,
            shown: Some(self.shown),
            world: None,
            reason: self.reason,
            shares_reason: self.share_reason,
        }))
    }
}

/// Refuses what is no beginning of a digest that is long enough.
pub(crate) fn check_shown(shown: &str) -> Result<(), Problem> {
    if shown.len() >= 8 && shown.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    let why = "`shown` is the digest of what was shown, or at least its first 8 hex digits";
    Err(Problem::new(ProblemCode::Invalid, why).about("shown"))
}

/// The reach of a decision that says it so.
pub(crate) fn scope_of(scope: Option<NewScope>) -> Scope {
    scope.map_or(Scope::Once, Scope::from)
}

/// The width of a decision that says it so.
pub(crate) fn wider(reach: Option<Reach>) -> Wider {
    match reach {
        None => Wider::Same,
        Some(Reach::Word(AnyWord::Any)) => Wider::Any,
        Some(Reach::Constraints(some)) if some.is_empty() => Wider::Same,
        Some(Reach::Constraints(some)) => Wider::Where(some),
    }
}

/// An answer to a tool's question: one of the two.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAnswer {
    /// The answer in words.
    text: Option<String>,
    /// The numbers of the chosen options, from 0.
    options: Option<Vec<u32>>,
}

impl NewAnswer {
    /// The resolution of the request that it says.
    pub(crate) fn resolution(self) -> Result<Resolution, Problem> {
        match (self.text, self.options) {
            (Some(text), None) => Ok(Resolution::Answer(Reply::Text(text))),
            (None, Some(options)) => Ok(Resolution::Answer(Reply::Options(options))),
            (_, _) => {
                let why = "an answer has either `text` or `options`";
                Err(Problem::new(ProblemCode::Invalid, why).about("text"))
            }
        }
    }
}

/// Answer a tool's question
#[utoipa::path(
    post, path = "/worlds/{world}/requests/{request}/answer", tag = "requests",
    params(("world" = String, Path, description = "The world's name"),
        ("request" = u64, Path, description = "The request's position"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = NewAnswer,
    responses((status = 200, description = "The answer is in the log", body = Done)))]
pub(crate) async fn answer(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, request)): InPath<(String, RequestId)>,
    key: RequestKey,
    Body(answer): Body<NewAnswer>,
) -> Result<Json<Done>, Problem> {
    let resolution = answer.resolution()?;
    let accepted = resolve(&lobby, &caller, &world, request, resolution, &key).await?;
    Ok(Done::json(&accepted))
}

/// The word of a person on a call whose outcome is unknown.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSettlement {
    /// The outcome.
    how: SettledAs,
    /// The result of a call that took effect, if it is known.
    result: Option<String>,
}

/// The outcome of a call, as a person says.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SettledAs {
    /// The call took effect.
    Ran,
    /// The call took no effect.
    NotRun,
    /// The call is to run again.
    RunAgain,
}

impl NewSettlement {
    /// The word that a call ended so.
    pub(crate) const fn of(how: SettledAs, result: Option<String>) -> Self {
        Self { how, result }
    }

    /// The resolution of the request that it says.
    pub(crate) fn resolution(self) -> Result<Resolution, Problem> {
        let settlement = match (self.how, self.result) {
            (SettledAs::Ran, result) => Settlement::Ran(result),
            (SettledAs::NotRun, None) => Settlement::NotRun,
            (SettledAs::RunAgain, None) => Settlement::RunAgain,
            (_, Some(_)) => {
                let why = "only a call that ran has a `result`";
                return Err(Problem::new(ProblemCode::Invalid, why).about("result"));
            }
        };
        Ok(Resolution::Settle(settlement))
    }
}

/// Say whether a call took effect
#[utoipa::path(
    post, path = "/worlds/{world}/requests/{request}/settlement", tag = "requests",
    params(("world" = String, Path, description = "The world's name"),
        ("request" = u64, Path, description = "The request's position"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeat harmless")),
    request_body = NewSettlement,
    responses((status = 200, description = "The word is in the log", body = Done)))]
pub(crate) async fn settle(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, request)): InPath<(String, RequestId)>,
    key: RequestKey,
    Body(settled): Body<NewSettlement>,
) -> Result<Json<Done>, Problem> {
    let resolution = settled.resolution()?;
    let accepted = resolve(&lobby, &caller, &world, request, resolution, &key).await?;
    Ok(Done::json(&accepted))
}
