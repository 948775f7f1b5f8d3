//! Entrances into rooms that a script describes.

use std::path::PathBuf;

use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::alike::name_fault;
use folkmoot::core::ids::{AgentName, PersonName, WorldName};
use folkmoot::core::spec::Definition;
use folkmoot::core::world::World;
use folkmoot::run::{Revision, RunError};
use folkmoot::script::{Script, Verb};
use folkmoot::{FoldError, OpenError, Opening, Proof, Runtime, definition_of, fold_world};
use serde::{Deserialize, Serialize};

use super::opening::Holding;
use crate::credentials;
use crate::exit::{CliError, STORE, USAGE};

/// A wish to have the room of a script open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entrance {
    /// The world.
    pub(crate) world: WorldName,
    /// The name of the person; their login name if `None`. Claimed, not proven.
    pub(crate) by: Option<PersonName>,
    /// The definition that the room begins with.
    pub(crate) definition: Definition,
    /// The definitions that it has later, each with the number of the first step behind its change.
    pub(crate) revised: Vec<(u64, Definition)>,
    /// The folder that relative paths are relative to, as an absolute path.
    pub(crate) base: PathBuf,
    /// True if a world that exists keeps its recorded definition.
    pub(crate) keeps: bool,
    /// True if the room may become another one.
    pub(crate) revises: bool,
}

/// An entrance that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entered {
    /// The world.
    pub(crate) world: WorldName,
}

impl Entrance {
    /// Returns the entrance into the room of `script`, for nobody in particular.
    pub(crate) fn of(script: &Script, world: WorldName) -> Result<Self, CliError> {
        let mut revised = Vec::new();
        for (number, step) in (1..).zip(&script.steps) {
            if let Verb::Revise(spec) = &step.verb {
                revised.push((number, definition_of(script, spec)?));
            }
        }
        let base = std::path::absolute(&script.base).map_err(|error| {
            let base = script.base.display();
            CliError::other(USAGE, format!("cannot find the folder {base}: {error}"))
        })?;
        Ok(Self {
            world,
            by: None,
            definition: definition_of(script, &script.spec)?,
            revised,
            base,
            keeps: false,
            revises: false,
        })
    }

    /// Returns the opening of the world, which stands as `before`, in the name of `by`.
    pub(crate) fn opening(&self, before: &World, by: &Proof) -> Result<Opening, CliError> {
        let mut base = Some(self.base.clone());
        let exists = before.name().is_some();
        let keeps = self.keeps && exists;
        let definition = self.definition_of(before);
        if exists && !self.revises {
            let revision = Revision::of(&self.world, before, &definition, &self.base);
            if keeps && revision.is_a_copy {
                base = None;
            } else if revision.has_to_be_asked_for() {
                return Err(RunError::Revises(Box::new(revision)).into());
            }
        }
        Ok(Opening {
            definition: (!keeps).then_some(definition),
            base,
            by: Some(by.clone()),
            clock: ClockKind::System,
            ..Opening::recorded(self.world.clone())
        })
    }

    /// Returns the definition that the world, which stands as `before`, is to have.
    fn definition_of(&self, before: &World) -> Definition {
        if self.keeps && before.name().is_some() {
            return before.definition();
        }
        let progress = before.script();
        let next = progress.done.keys().next_back();
        let next = next.map_or(0, |last| u64::from(last.saturating_add(1)));
        let mut revised = self.revised.iter().rev();
        let revised = revised.find(|(first, _)| *first <= next);
        revised
            .map_or(&self.definition, |(_, revised)| revised)
            .clone()
    }

    /// Refuses a name that nobody can have in the room, before anything is recorded.
    pub(crate) fn check_name(&self, by: &PersonName, before: &World) -> Result<(), CliError> {
        let fault = if before.name().is_some() {
            before.name_fault(by)
        } else {
            let agents = self.definition.spec.agents.iter();
            let names = agents.flat_map(|agent| [Some(&agent.name), agent.display.as_ref()]);
            name_fault(by.as_str(), names.flatten().map(AgentName::as_str))
        };
        fault.map_or(Ok(()), |why| Err(CliError::other(USAGE, why)))
    }
}

/// Opens the room, which goes on and stays open, in the name of `proof`. One that is open already
/// is entered as it is.
pub(super) async fn enter(
    runtime: &Runtime,
    proof: &Proof,
    entrance: &Entrance,
    holding: &Holding,
) -> Result<Entered, CliError> {
    let world = entrance.world.clone();
    if *holding != Holding::All {
        return Err(not_serving(&world));
    }
    let before = match fold_world(&**runtime.log(), &world, None).await {
        Err(FoldError::NoSuchWorld(_)) => World::default(),
        folded => folded?,
    };
    if let Some(person) = proof.principal().person() {
        entrance.check_name(&person.display, &before)?;
    }
    let opening = entrance.opening(&before, proof)?;
    // The variables of the process that asks the models count.
    credentials::check(&entrance.definition_of(&before))?;
    match runtime.open(opening).await {
        Ok(_) => Ok(Entered { world }),
        Err(OpenError::AlreadyOpen(_))
            if entrance.definition_of(&before) == before.definition() =>
        {
            Ok(Entered { world })
        }
        Err(OpenError::AlreadyOpen(_)) => Err(is_open(&world)),
        Err(error) => Err(error.into()),
    }
}

fn not_serving(world: &WorldName) -> CliError {
    let process = std::process::id();
    let what = format!(
        "the store is in use by process {process} for one world, which opens no script: wait until it is \
         done, or end it and start `folkmoot serve`; `folkmoot chat {world}` takes you into a room \
         that it has open"
    );
    CliError::other(STORE, what)
}

fn is_open(world: &WorldName) -> CliError {
    let process = std::process::id();
    let what = format!(
        "process {process} has {world} open with another definition than the script's: \
         `folkmoot chat {world}` takes you into it as it is"
    );
    CliError::other(STORE, what)
}
