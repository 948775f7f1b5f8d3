//! Taking worlds for this process, and giving them back.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::{Time, WorldId, WorldName};
use folkmoot_core::port::{PermanentTenure, Tenure};
use folkmoot_core::world::effect::{Due, Effect};
use folkmoot_core::world::{Activity, World};

use super::Means;
use crate::clock::WorldClock;
use crate::error::OpenError;

/// How long a world that could not be opened, or that stopped, is left alone: else whoever takes what is due would try it all
/// the time.
const LEFT_ALONE: Duration = Duration::from_mins(1);

/// The right to act for a world while it is opened.
pub(crate) struct Held<'a> {
    pub(crate) name: &'a WorldName,
    pub(crate) tenure: &'a dyn Tenure,
}

impl Held<'_> {
    /// Asks whether this process may still act.
    pub(crate) fn check(&self) -> Result<(), OpenError> {
        if self.tenure.holds() {
            Ok(())
        } else {
            Err(OpenError::TenureLost(self.name.clone()))
        }
    }
}

impl Means {
    /// Takes a world for this process.
    pub(crate) async fn take(
        &self,
        name: &WorldName,
        world: WorldId,
    ) -> Result<Arc<dyn Tenure>, OpenError> {
        let Some(tenures) = &self.tenures else {
            return Ok(Arc::new(PermanentTenure));
        };
        let taken = tenures.take(world).await;
        taken.map_err(|source| OpenError::NoTenure {
            name: name.clone(),
            source,
        })
    }

    /// Returns when somebody has to act again for a world that is let go of as it stands.
    pub(crate) fn due(&self, world: &World, clock: &WorldClock) -> Option<Time> {
        let now = self.clock.now();
        let is_expiry = |effect: &Effect| {
            matches!(
                effect,
                Effect::TickAt {
                    due: Due::Expiry,
                    ..
                }
            )
        };
        let due = |effect: Effect| match clock {
            WorldClock::System(_) => Some(effect.not_before().unwrap_or(now)),
            // Its times are not the machine's, and it never moves for an expiry (decision 0007).
            WorldClock::Simulated(_) => (!is_expiry(&effect)).then_some(now),
        };
        let owed = world.owed().filter_map(due).min();
        // A run that was given up is owed to nobody before the world is opened again.
        owed.or_else(|| (world.room_activity() == Activity::Running).then_some(now))
    }

    /// Returns when a world is due that could not be opened, or that stopped.
    pub(crate) fn due_again(&self) -> Time {
        self.clock.now().after(LEFT_ALONE)
    }
}
