//! Turns that failed for good, and which of them the script expects.

use folkmoot_agents::{FoldError, Runtime, fold_world};
use folkmoot_core::event::{CloseReason, Event};
use folkmoot_core::ids::{AgentName, Position, WorldName};
use folkmoot_core::port::ReadError;
use folkmoot_core::world::ScriptProgress;
use futures::TryStreamExt as _;
use serde::Serialize;

use super::RunError;
use super::evidence::last_talk;
use crate::script::{Claim, Expect, Script, Since, Verb};

/// A turn that failed for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedTurn {
    /// The event that ended it.
    pub at: Position,
    /// The agent whose turn it was.
    pub agent: AgentName,
}

/// The turns that failed for good in the last run of `script` in the world `name`, and that none of its recorded steps
/// expects: as a notice, as the end of the episode or of the agent's turns.
///
/// # Errors
/// [`RunError::Fold`] if the log does not read.
pub async fn failed_turns(runtime: &Runtime, script: &Script, name: &WorldName) -> Result<Vec<FailedTurn>, RunError> {
    let progress = match runtime.world(name) {
        Some(world) => world.operator().read(|world| world.script().clone()).await?,
        None => fold_world(&**runtime.log(), name, None).await?.script().clone(),
    };
    let mut failed = all(runtime, name, progress.began).await?;
    for (number, record) in &progress.done {
        let step = script.steps.get(super::index(*number)).filter(|step| step.within.is_none());
        if let Some(Verb::Expect(expect)) = step.map(|step| &step.verb) {
            let last = last_talk(script, &progress, *number).map_or(progress.began, |(_, from)| from);
            failed.retain(|turn| !is_expected(turn, expect, Stretch { progress: &progress, last, until: record.at }));
        }
    }
    Ok(failed)
}

/// The events that an expectation looks at.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    progress: &'a ScriptProgress,
    last: Position,
    until: Position,
}

fn is_expected(turn: &FailedTurn, expect: &Expect, stretch: Stretch<'_>) -> bool {
    let from = match expect.since {
        Some(Since::Start) => stretch.progress.began,
        Some(Since::Last) | None => stretch.last,
    };
    let is_seen = turn.at >= from && turn.at <= stretch.until;
    is_seen && expect.claims.iter().any(|(_, claim)| names(claim, &turn.agent))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "no other claim says how a turn ended")]
fn names(claim: &Claim, agent: &AgentName) -> bool {
    match claim {
        Claim::Notices(codes) => codes.iter().any(|code| code == "turn_failed"),
        Claim::EpisodeEnd(end) => *end == CloseReason::Failed,
        Claim::Turns(ends) => ends.get(agent).is_some_and(|ends| ends.contains(&CloseReason::Failed)),
        _ => false,
    }
}

/// The turns that failed for good from `began` on.
async fn all(runtime: &Runtime, name: &WorldName, began: Position) -> Result<Vec<FailedTurn>, RunError> {
    let read = |error: ReadError| RunError::Fold(FoldError::Read(error));
    let log = runtime.log();
    let Some(entry) = log.find(name).await.map_err(read)? else { return Ok(Vec::new()) };
    let mut stored = log.read(entry.world, began.max(Position::new(1))).await.map_err(read)?;
    let mut failed = Vec::new();
    while let Some(next) = stored.try_next().await.map_err(read)? {
        let ends = next.commit.numbered().filter(|(at, _)| *at >= began);
        failed.extend(ends.filter_map(|(at, event)| {
            let Event::TurnClosed(closed) = event else { return None };
            (closed.reason == CloseReason::Failed).then(|| FailedTurn { at, agent: closed.agent.clone() })
        }));
    }
    Ok(failed)
}
