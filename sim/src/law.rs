//! What must hold, whatever happens.

use folkmoot::WorldName;
use folkmoot::core::ids::Position;
use serde::Serialize;

/// A law of every log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// What was acknowledged is there, unchanged.
    NothingLost,
    /// What is there was asked for.
    NothingInvented,
    /// Each prefix of the log folds, and each command is decided again as it was: routing,
    /// approvals, budgets, prompts.
    EveryPrefixValid,
    /// A tool runs only once its start stands in the log.
    StartedBeforeRun,
    /// Whoever has lost the right to act appends nothing, asks no model and runs no tool.
    OneHolderActs,
    /// A tool that may not repeat took effect once, unless a person or the tool itself said that it
    /// had not.
    NothingTwice,
    /// Each call has one outcome, and a world at rest has none without.
    OneOutcome,
    /// No limit of calls, tokens or money was passed.
    WithinBudgets,
    /// Whom a message was for is what `route` says of it.
    RoutingRecomputed,
    /// What was approved, a person approved; what needed a yes did not run without.
    NoTextApproves,
    /// Who follows a world sees its log, without gap and without doubles.
    FollowersSeeTheLog,
    /// The state in memory is the fold of the log.
    StateIsTheFold,
    /// With nothing in its way, a world comes to rest.
    ComesToRest,
    /// The store opens, and finds itself whole.
    StoreWhole,
    /// The same story gives the same bytes.
    SameBytes,
    /// A script holds with faults as it does without.
    ScriptHolds,
    /// Nothing panics.
    NoPanic,
}

/// The thing that was found where a law says something else, for the person who reads of the
/// violation.
#[derive(Debug)]
pub(crate) struct LawFinding(String);

impl From<String> for LawFinding {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<LawFinding> for String {
    fn from(finding: LawFinding) -> Self {
        finding.0
    }
}

/// A law that did not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{law:?} does not hold{}: {what}", place(.world.as_ref(), *.at))]
pub struct Violation {
    /// Which.
    pub law: Law,
    /// In which world, if in one.
    pub world: Option<WorldName>,
    /// At which event, if at one.
    pub at: Option<Position>,
    /// What was found instead.
    pub what: String,
}

impl Violation {
    /// A violation of `law` that has no place yet.
    pub(crate) fn of(law: Law, what: impl Into<String>) -> Self {
        Self {
            law,
            world: None,
            at: None,
            what: what.into(),
        }
    }
}

fn place(world: Option<&WorldName>, at: Option<Position>) -> String {
    let world = world
        .map(|world| format!(" in {world}"))
        .unwrap_or_default();
    let at = at.map(|at| format!(" at event {at}")).unwrap_or_default();
    format!("{world}{at}")
}
