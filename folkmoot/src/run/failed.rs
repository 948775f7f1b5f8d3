//! Turns that failed for good, and which of them the script expects.

use folkmoot_agents::{FoldError, Runtime, fold_world};
use folkmoot_core::event::{CloseReason, Event, TurnEvent};
use folkmoot_core::ids::{AgentName, Position, WorldName};
use folkmoot_core::port::ReadError;
use folkmoot_core::world::{ScriptProgress, World};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use super::RunError;
use super::evidence::last_talk;
use super::fork::branch_of;
use crate::script::{Claim, Expect, Script, Since, Verb};

/// A turn that failed for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedTurn {
    /// The event that ended it.
    pub at: Position,
    /// The agent whose turn it was.
    pub agent: AgentName,
    /// The branch that it was in; `None`: the script's own world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<WorldName>,
}

/// The turns that failed for good in the last run of `script` in the world `name` and in the worlds that it branches off,
/// and that none of its recorded steps expects: as a notice, as the end of the episode or of the agent's turns.
///
/// # Errors
/// [`RunError::Fold`] if a log does not read.
pub async fn failed_turns(
    runtime: &Runtime,
    script: &Script,
    name: &WorldName,
) -> Result<Vec<FailedTurn>, RunError> {
    let world = world_of(runtime, name).await?;
    let progress = world.script();
    let mut failed = all(runtime, name, progress.began, None).await?;
    keep_unexpected(&mut failed, script, progress, None);
    for step in &script.steps {
        let Verb::Fork(fork) = &step.verb else {
            continue;
        };
        let Ok(branch) = branch_of(script, name, progress.run, &fork.name) else {
            continue;
        };
        if runtime
            .log()
            .find(&branch)
            .await
            .map_err(FoldError::Read)?
            .is_none()
        {
            continue;
        }
        let there = world_of(runtime, &branch).await?;
        // A world of that name that was not branched off this one is none of the script's.
        let Some(last) = there
            .lineage()
            .iter()
            .position(|branch| Some(branch.parent) == world.id())
            .and_then(|_| there.lineage().last())
        else {
            continue;
        };
        let mut of_branch = all(runtime, &branch, last.at.next(), Some(&branch)).await?;
        keep_unexpected(&mut of_branch, script, there.script(), Some(&fork.name));
        failed.extend(of_branch);
    }
    Ok(failed)
}

async fn world_of(runtime: &Runtime, name: &WorldName) -> Result<World, RunError> {
    match runtime.world(name) {
        Some(world) => Ok(world.operator().read(World::clone).await?),
        None => Ok(fold_world(&**runtime.log(), name, None).await?),
    }
}

/// Leaves those that no recorded step expects of those in the world that the script calls `within`.
fn keep_unexpected(
    failed: &mut Vec<FailedTurn>,
    script: &Script,
    progress: &ScriptProgress,
    within: Option<&WorldName>,
) {
    for (number, record) in &progress.done {
        let step = script
            .steps
            .get(super::index(*number))
            .filter(|step| step.within.as_ref() == within);
        if let Some(Verb::Expect(expect)) = step.map(|step| &step.verb) {
            let last =
                last_talk(script, progress, *number).map_or(progress.began, |(_, from)| from);
            failed.retain(|turn| {
                !is_expected(
                    turn,
                    expect,
                    RunStretch {
                        progress,
                        last,
                        until: record.at,
                    },
                )
            });
        }
    }
}

/// The events that an expectation looks at.
#[derive(Clone, Copy)]
struct RunStretch<'a> {
    progress: &'a ScriptProgress,
    last: Position,
    until: Position,
}

fn is_expected(turn: &FailedTurn, expect: &Expect, stretch: RunStretch<'_>) -> bool {
    let from = match expect.since {
        Some(Since::Start) => stretch.progress.began,
        Some(Since::Last) | None => stretch.last,
    };
    let is_seen = turn.at >= from && turn.at <= stretch.until;
    is_seen
        && expect
            .claims
            .iter()
            .any(|(_, claim)| names(claim, &turn.agent))
}

fn names(claim: &Claim, agent: &AgentName) -> bool {
    if let Claim::Notices(codes) = claim {
        codes.iter().any(|code| code == "turn_failed")
    } else if let Claim::EpisodeEnd(end) = claim {
        *end == CloseReason::Failed
    } else if let Claim::Turns(ends) = claim {
        ends.get(agent)
            .is_some_and(|ends| ends.contains(&CloseReason::Failed))
    } else {
        false
    }
}

/// The turns that failed for good from `began` on.
async fn all(
    runtime: &Runtime,
    name: &WorldName,
    began: Position,
    branch: Option<&WorldName>,
) -> Result<Vec<FailedTurn>, RunError> {
    let read = |error: ReadError| RunError::Fold(FoldError::Read(error));
    let log = runtime.log();
    let Some(entry) = log.find(name).await.map_err(read)? else {
        return Ok(Vec::new());
    };
    let mut stored = log
        .read(entry.world, began.max(Position::new(1)))
        .await
        .map_err(read)?;
    let mut failed = Vec::new();
    while let Some(next) = stored.try_next().await.map_err(read)? {
        let ends = next.commit.numbered().filter(|(at, _)| *at >= began);
        failed.extend(ends.filter_map(|(at, event)| {
            let Event::Turn(TurnEvent::TurnClosed(closed)) = event else {
                return None;
            };
            (closed.reason == CloseReason::Failed).then(|| FailedTurn {
                at,
                agent: closed.agent.clone(),
                branch: branch.cloned(),
            })
        }));
    }
    Ok(failed)
}
