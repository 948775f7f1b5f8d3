//! What an expectation looks at: the state, and the commits since two points.

use folkmoot_agents::{FoldError, fold_world};
use folkmoot_core::commit::Commit;
use folkmoot_core::ids::Position;
use folkmoot_core::port::ReadError;
use folkmoot_core::world::{ScriptProgress, World};
use futures::TryStreamExt as _;

use super::{Run, RunError, index};

/// What an expectation looks at.
pub(super) struct Evidence {
    pub(super) world: World,
    /// The commits since the last `say`, `answer`, `edit`, `regenerate` or decision.
    pub(super) last: Vec<Commit>,
    /// The commits of the run.
    pub(super) run: Vec<Commit>,
    /// The state folded anew from the log.
    pub(super) folded: World,
}

impl Run<'_> {
    /// The evidence as things stand, for the step with the number `number`.
    pub(super) async fn evidence_now(&mut self, number: u32) -> Result<Evidence, RunError> {
        let world = self.read(World::clone).await?;
        let progress = world.script().clone();
        let head = world.head();
        let evidence = self.evidence_at(&progress, number, head).await?;
        Ok(Evidence { world, ..evidence })
    }

    /// The evidence as things stood after the event at `until`.
    pub(super) async fn evidence_at(
        &mut self,
        progress: &ScriptProgress,
        number: u32,
        until: Position,
    ) -> Result<Evidence, RunError> {
        let folded = fold_world(&**self.runtime.log(), &self.name, Some(until)).await?;
        let run = self.commits(progress.began, until).await?;
        let since = self.last_talk(progress, number).unwrap_or(progress.began);
        let last = run.iter().filter(|commit| commit.header.first >= since).cloned().collect();
        Ok(Evidence { world: folded.clone(), last, run, folded })
    }

    /// Where the last `say`, `answer`, `edit`, `regenerate` or decision before the step with the number `number` begins.
    fn last_talk(&self, progress: &ScriptProgress, number: u32) -> Option<Position> {
        let talks = |at: &u32| self.script.steps.get(index(*at)).is_some_and(|step| step.verb.is_talk());
        let mut before = progress.done.range(..number).rev();
        before.find(|(at, _)| talks(at)).map(|(_, record)| record.from)
    }

    /// The commits from the one that holds `from` to the one that holds `until`.
    pub(super) async fn commits(&self, from: Position, until: Position) -> Result<Vec<Commit>, RunError> {
        let read = |error: ReadError| RunError::Fold(FoldError::Read(error));
        let log = self.runtime.log();
        let entry = log.find(&self.name).await.map_err(read)?;
        let entry = entry.ok_or_else(|| FoldError::NoSuchWorld(self.name.clone()))?;
        let mut stored = log.read(entry.world, from.max(Position::new(1))).await.map_err(read)?;
        let mut commits = Vec::new();
        while let Some(next) = stored.try_next().await.map_err(read)? {
            if next.commit.header.first > until {
                break;
            }
            commits.push(next.commit);
        }
        Ok(commits)
    }
}
