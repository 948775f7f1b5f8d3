//! What an expectation looks at: the state, and the commits since two points.

use folkmoot_agents::{FoldError, fold_world};
use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::{Position, WorldName};
use folkmoot_core::port::ReadError;
use folkmoot_core::world::{ScriptProgress, World};
use futures::TryStreamExt as _;

use super::{Run, RunError, index};
use crate::script::{Script, Step};

/// What an expectation looks at.
pub(super) struct Evidence {
    pub(super) world: World,
    /// The name of the world that is looked at.
    pub(super) name: WorldName,
    /// The number of the last step in this world that is a `say`, `answer`, `edit`, `regenerate` or decision.
    pub(super) since: Option<u32>,
    /// The commits from its beginning on; those of the run if there is none.
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
        let talk = last_talk(self.script, progress, number);
        let (since, from) = talk.map_or((None, progress.began), |(step, from)| (Some(step), from));
        let last = run
            .iter()
            .filter(|commit| commit.header.first >= from)
            .cloned()
            .collect();
        Ok(Evidence {
            world: folded.clone(),
            name: self.name.clone(),
            since,
            last,
            run,
            folded,
        })
    }

    /// The commits from the one that holds `from` to the one that holds `until`.
    pub(super) async fn commits(
        &self,
        from: Position,
        until: Position,
    ) -> Result<Vec<Commit>, RunError> {
        let read = |error: ReadError| RunError::Fold(FoldError::Read(error));
        let log = self.runtime.log();
        let entry = log.find(&self.name).await.map_err(read)?;
        let entry = entry.ok_or_else(|| FoldError::NoSuchWorld(self.name.clone()))?;
        let mut stored = log
            .read(entry.world, from.max(Position::new(1)))
            .await
            .map_err(read)?;
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

/// The last `say`, `answer`, `edit`, `regenerate` or decision before the step with the number `number`, and where it
/// begins. Steps in another world have their record here as well, but are no part of what happened here.
pub(super) fn last_talk(
    script: &Script,
    progress: &ScriptProgress,
    number: u32,
) -> Option<(u32, Position)> {
    let step = |at: u32| script.steps.get(index(at));
    let within = step(number).and_then(|step| step.within.as_ref());
    let is_here = |step: &Step| step.within.is_none() || step.within.as_ref() == within;
    let talks = |at: u32| step(at).is_some_and(|step| step.verb.is_talk() && is_here(step));
    let mut before = progress.done.range(..number).rev();
    before
        .find(|(at, _)| talks(**at))
        .map(|(at, record)| (*at, record.from))
}
