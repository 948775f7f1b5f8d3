//! Whether a saved fold is what the log gives.

use folkmoot_agents::fold_world;
use folkmoot_core::audit::AuditVerdict;
use folkmoot_core::ids::WorldName;
use folkmoot_core::port::{Checkpoints, EventLog};
use folkmoot_core::world::World;
use folkmoot_core::world::decider::{checkpoint_id, decider_id};

use super::Check;

/// The name of the check whether the newest saved fold is what the log gives.
pub const SAVED: &str = "saved fold";

/// Folds a world again up to its newest saved fold, and compares the two. `None` if they are the same, if none is saved that
/// would be used, or if the log does not read that far, which other checks say.
pub async fn saved(
    log: &dyn EventLog,
    checkpoints: &dyn Checkpoints,
    name: &WorldName,
) -> Option<Check> {
    let entry = log.find(name).await.ok().flatten()?;
    let (at, state) = checkpoints
        .latest(entry.world, checkpoint_id(decider_id()), None)
        .await?;
    let folded = fold_world(log, name, Some(at)).await.ok()?;
    let is_same = World::restore(&state).is_ok_and(|saved| saved == folded);
    let what = format!(
        "the saved fold of event {at} is not what the log gives; remove the folder checkpoints/{} of the store",
        entry.world
    );
    (!is_same).then(|| Check::done(SAVED, AuditVerdict::DamagedAt(at), what))
}
