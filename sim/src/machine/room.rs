//! Rooms: what is opened in each process, and who sees to it that it stays open.

use std::path::Path;
use std::rc::Rc;

use folkmoot::core::event::ClockKind;
use folkmoot::core::spec::Definition;
use folkmoot::run::{Asks, RunError, RunOptions, Unwatched, Waiting, run_script};
use folkmoot::script::Script;
use folkmoot::{OpenError, Opening, Perform, WorldName, definition_of};

use super::cast::playable;
use super::folder::Folder;
use super::people::settle_doubts;
use super::process::Process;
use crate::law::{Law, Violation};
use crate::story::StoryError;
use crate::story::StoryRoom;

/// The folder that every simulated room says it lies in.
const FOLDER: &str = "/";

/// How often a script may be taken up again after doubts were settled.
const SETTLINGS_MAX: usize = 50;

/// A room as it is opened.
#[derive(Debug)]
pub(crate) struct RoomPlan {
    /// Its number.
    pub(crate) number: usize,
    /// Its name.
    pub(crate) name: WorldName,
    script: Script,
    definition: Definition,
    folder: Option<Folder>,
}

impl RoomPlan {
    /// Reads a room's script.
    pub(crate) fn of(number: usize, room: &StoryRoom) -> Result<Self, StoryError> {
        let unusable = |why: String| StoryError { room: number, why };
        let folder = room.folder.as_deref().map(Folder::copy_of).transpose();
        let folder =
            folder.map_err(|error| unusable(format!("its folder cannot be copied: {error}")))?;
        let file = folder
            .as_ref()
            .map_or(Path::new(FOLDER), Folder::path)
            .join("story.yaml");
        let script = Script::parse(&room.script.to_string(), &file)
            .map_err(|error| unusable(error.to_string()))?;
        let definition =
            definition_of(&script, &script.spec).map_err(|error| unusable(error.to_string()))?;
        playable(&definition).map_err(|error| unusable(error.to_string()))?;
        Ok(Self {
            number,
            name: script.world.clone(),
            script,
            definition,
            folder,
        })
    }

    /// Tells whether it has steps that are done one after the other.
    pub(crate) fn has_steps(&self) -> bool {
        !self.script.steps.is_empty()
    }

    /// Returns where the files of its script are, if it has any.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(Folder::path)
    }

    fn opening(&self) -> Opening {
        Opening {
            definition: Some(self.definition.clone()),
            base: Some(FOLDER.into()),
            clock: ClockKind::System,
            perform: Perform::AsItComes,
            ..Opening::recorded(self.name.clone())
        }
    }
}

/// Opens a room, or goes on with its script.
pub(super) async fn keep(process: Rc<Process>, plan: Rc<RoomPlan>) {
    if plan.has_steps() {
        return go_on(&process, &plan).await;
    }
    open(&process, &plan).await;
}

/// Opens a room. That fails only if its store does, or if somebody else was faster.
pub(super) async fn open(process: &Process, plan: &RoomPlan) {
    if let Err(error) = process.runtime.open(plan.opening()).await
        && !process.pulse.is_ending()
        && !matches!(error, OpenError::AlreadyOpen(_))
    {
        let what = format!(
            "the room does not open: {}",
            folkmoot::core::port::causes::with_causes(&error)
        );
        process.violated(plan, Law::StoreWhole, what);
    }
}

fn finish(process: &Process, plan: &RoomPlan) {
    if let Some(finished) = process.outside.books().finished.get_mut(plan.number) {
        *finished = true;
    }
}

/// Tells whether a script ended because people are asked what became of calls, and asked nothing
/// else.
fn waits_for_outcomes(error: &RunError) -> bool {
    let is_outcome = |one: &Waiting| matches!(one.asks, Asks::Outcome { .. });
    matches!(error, RunError::Parked(waiting) if waiting.iter().all(is_outcome))
}

/// Goes on with a room's script until it ends.
async fn go_on(process: &Process, plan: &RoomPlan) {
    for _ in 0..SETTLINGS_MAX {
        let options = RunOptions {
            perform: Perform::InOrder,
            base: Some(FOLDER.into()),
            ..RunOptions::default()
        };
        let mut watch = Unwatched;
        let run = run_script(&process.runtime, &plan.script, &options, &mut watch);
        let Err(error) = Box::pin(run).await else {
            return finish(process, plan);
        };
        if process.pulse.is_ending() {
            return;
        }
        if settle_doubts(process, plan).await == 0 {
            // Nobody can tell what became of the call: the script has done what it could.
            if waits_for_outcomes(&error) {
                return finish(process, plan);
            }
            return process.violated(plan, Law::ScriptHolds, failure(&error));
        }
        process.runtime.close(&plan.name).await;
    }
    process.violated(plan, Law::ScriptHolds, "its doubts do not end".to_owned());
}

fn failure(error: &RunError) -> String {
    if let RunError::Unmet(unmet) = error {
        return format!(
            "{}: expected {}, came {}",
            unmet.fault, unmet.expected, unmet.came
        );
    }
    folkmoot::core::port::causes::with_causes(error)
}

impl Process {
    /// A law does not hold in a room.
    pub(super) fn violated(&self, plan: &RoomPlan, law: Law, what: impl Into<String>) {
        let world = Some(plan.name.clone());
        self.outside.hold(Err(Violation {
            world,
            ..Violation::of(law, what)
        }));
    }
}
