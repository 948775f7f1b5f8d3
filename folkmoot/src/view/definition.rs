//! Definitions of worlds, and how a script would change them.

use folkmoot_agents::fold_world;
use folkmoot_core::ids::WorldName;
use folkmoot_core::port::EventLog;
use folkmoot_core::world::ScriptProgress;
use serde::{Deserialize, Serialize};

use super::ViewError;
use crate::room::definition_but_own;
use crate::run::Revision;
use crate::script::{Script, Step, ToolDraft};

/// A revision of a world's room by a script, which nobody has made yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionView {
    /// The world.
    pub world: WorldName,
    /// The differences that it would make, a line each; empty if there are none.
    pub changes: Vec<String>,
    /// True if it takes `--revise`.
    pub has_to_be_asked_for: bool,
    /// The first recorded step that reads otherwise in the script, counted from 1: no run goes on
    /// behind it.
    pub edited_step: Option<usize>,
}

/// Says how the script would change the room. Nothing is changed.
///
/// # Errors
/// [`ViewError::Fold`], [`ViewError::Definition`].
pub async fn revision(
    log: &dyn EventLog,
    world: &WorldName,
    script: &Script,
) -> Result<RevisionView, ViewError> {
    let name = world;
    let world = fold_world(log, name, None).await?;
    let progress: &ScriptProgress = world.script();
    let next = progress
        .done
        .keys()
        .next_back()
        .map_or(0, |last| last.saturating_add(1));
    let spec = script.spec_before(usize::try_from(next).unwrap_or(usize::MAX));
    let mut definition = definition_but_own(script, spec)?;
    // The program says what its own tools are: nothing of them changes by the script.
    for (name, tool) in &mut definition.spec.tools {
        let is_own = spec.tools.get(name).is_some_and(ToolDraft::is_own);
        if let Some(recorded) = world.rules().spec().tools.get(name).filter(|_| is_own) {
            tool.clone_from(recorded);
        }
    }
    let base = std::path::absolute(&script.base).unwrap_or_else(|_| script.base.clone());
    let revision = Revision::of(name, &world, &definition, &base);
    let steps = (0_u32..).zip(&script.steps).enumerate();
    let is_edited = |number: u32, step: &Step| {
        progress
            .done
            .get(&number)
            .is_some_and(|record| record.digest != step.digest)
    };
    let edited = steps
        .map(|(at, (number, step))| (at, number, step))
        .find(|(_, number, step)| is_edited(*number, step));
    Ok(RevisionView {
        world: name.clone(),
        changes: revision.lines(),
        has_to_be_asked_for: revision.has_to_be_asked_for(),
        edited_step: edited.map(|(at, ..)| at + 1),
    })
}
