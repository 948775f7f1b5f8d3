//! Steps in worlds that were branched off.

use folkmoot_agents::{FoldError, Forking, OpenError, WorldHandle, fold_world};
use folkmoot_core::event::ForkEffects;
use folkmoot_core::ids::{NameError, Position, WorldName};
use folkmoot_core::world::World;

use super::refused::told;
use super::{Run, RunError, index, opening};
use crate::script::{Fork, ForkAt, Script, Step};

/// The world that a run went away from for a step.
pub(super) struct Home(WorldHandle, WorldName);

impl Run<'_> {
    /// Branches a world off. One that is there already was made by this step, in a process that died.
    pub(super) async fn fork(
        &mut self,
        number: u32,
        step: &Step,
        fork: &Fork,
    ) -> Result<(), RunError> {
        let name = self.branch_name(step, &fork.name)?;
        if step.wait {
            self.quiet().await?;
        }
        let at = self.fork_at(step, &fork.at).await?;
        let effects = if fork.is_live {
            ForkEffects::Live
        } else {
            ForkEffects::Recorded
        };
        if self
            .runtime
            .log()
            .find(&name)
            .await
            .map_err(FoldError::Read)?
            .is_none()
        {
            let perform = self.options.perform;
            let forking = Forking {
                at,
                effects,
                perform,
                ..Forking::of(self.name.clone(), name.clone())
            };
            self.runtime
                .fork(forking)
                .await
                .map_err(|error| self.not_forked(step, error))?;
            self.branches.insert(name.clone());
        }
        let child = fold_world(&**self.runtime.log(), &name, None).await?;
        let own = self.read(World::id).await?;
        if child.lineage().last().map(|branch| branch.parent) != own {
            let what = format!(
                "the store already has a world {name}, and it was not branched off this one: take another name"
            );
            return Err(RunError::Failed(self.fault(step, what)));
        }
        if step.wait
            && let Some(world) = self.runtime.world(&name)
        {
            world.quiet().await?;
        }
        self.record(number, step).await
    }

    fn not_forked(&self, step: &Step, error: OpenError) -> RunError {
        if let OpenError::Refused(refusal) = &error {
            return RunError::Failed(
                self.fault(step, format!("the world refused this: {}", told(refusal))),
            );
        }
        if matches!(error, OpenError::NoSuchEvent { .. }) {
            return RunError::Failed(self.fault(step, error.to_string()));
        }
        RunError::Open(error)
    }

    async fn fork_at(&mut self, step: &Step, at: &ForkAt) -> Result<Option<Position>, RunError> {
        let id = match at {
            ForkAt::Here => return Ok(None),
            ForkAt::Event(at) => return Ok(Some(*at)),
            ForkAt::Step(id) => id,
        };
        let progress = self.read(|world| world.script().clone()).await?;
        let is_it = |number: &u32| {
            self.script
                .steps
                .get(index(*number))
                .is_some_and(|step| step.id.as_ref() == Some(id))
        };
        let record = progress
            .done
            .iter()
            .find(|(number, _)| is_it(number))
            .map(|(_, record)| record.from);
        let from = record.ok_or_else(|| {
            RunError::Failed(
                self.fault(step, format!("the step `{id}` was not done in this world")),
            )
        })?;
        Ok(Some(from.previous()))
    }

    fn branch_name(&self, step: &Step, name: &WorldName) -> Result<WorldName, RunError> {
        let home = self.options.world.as_ref().unwrap_or(&self.script.world);
        branch_of(self.script, home, self.run, name)
            .map_err(|error| RunError::Failed(self.fault(step, error.to_string())))
    }

    /// Goes to the world that a step is about.
    pub(super) async fn enter(&mut self, step: &Step) -> Result<Option<Home>, RunError> {
        let Some(within) = &step.within else {
            return Ok(None);
        };
        let name = self.branch_name(step, within)?;
        if self.branches.insert(name.clone()) {
            self.runtime.close(&name).await;
        }
        if self.runtime.world(&name).is_none() {
            // It may have died in the background, as a `crash` told it to.
            self.mends(&name).await?;
        }
        let world = match self.runtime.world(&name) {
            Some(world) => world,
            None => match self
                .runtime
                .open(opening(self.script, self.options, &name, None))
                .await
            {
                Err(OpenError::NoSuchWorld(_)) => {
                    let what =
                        format!("no step before this one branched off a world called `{within}`");
                    return Err(RunError::Failed(self.fault(step, what)));
                }
                opened => opened?,
            },
        };
        Ok(Some(Home(
            std::mem::replace(&mut self.world, world),
            std::mem::replace(&mut self.name, name),
        )))
    }

    /// Tells whether the world that the run went to has this step on record.
    pub(super) async fn is_done_here(&mut self, number: u32) -> Result<bool, RunError> {
        let progress = self.read(|world| world.script().clone()).await?;
        Ok(progress.run == self.run && progress.done.contains_key(&number))
    }

    /// Comes back; says whether it was away.
    pub(super) fn leave(&mut self, home: Option<Home>) -> bool {
        let Some(Home(world, name)) = home else {
            return false;
        };
        (self.world, self.name) = (world, name);
        true
    }
}

/// The name in the store of the branch that the script calls `name`, in its run number `run` in the world `home`: worlds of
/// another name have forks of other names, and so has each run behind the first.
///
/// # Errors
/// [`NameError`] if the name becomes too long.
pub fn branch_of(
    script: &Script,
    home: &WorldName,
    run: u32,
    name: &WorldName,
) -> Result<WorldName, NameError> {
    let of_world = if *home == script.world {
        name.to_string()
    } else {
        format!("{home}-{name}")
    };
    WorldName::new(if run > 1 {
        format!("{of_world}-{run}")
    } else {
        of_world
    })
}
