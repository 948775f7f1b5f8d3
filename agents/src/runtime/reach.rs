//! Worlds wherever they are held: by this process, or by another one over the same store.

use std::sync::Arc;

use folkmoot_core::ids::WorldName;
use folkmoot_core::port::NoTenure;

use super::Runtime;
use crate::error::OpenError;
use crate::opening::{Opening, Perform};
use crate::seat::WorldHandle;
use crate::task::{Followed, Kept, Porter};

impl Runtime {
    /// A handle on a world, wherever it is held. It is opened here if this process can have it. If another one has it, the
    /// handle follows its log, and gives commands to whoever holds it: what the opening would change of the world is then
    /// left as it is. Everything else is as with a world that is open here, but for drafts, which stay with the holder, and a
    /// simulated clock, which is not moved from elsewhere. Once this process has the world, the same handle goes on.
    ///
    /// A handle ends with [`Closed`](crate::SeatError::Closed) after the world was idle for a while and nobody followed its feed, and with
    /// [`TenureLost`](crate::SeatError::TenureLost) when this process had the world and lost it: reach it again.
    ///
    /// # Errors
    /// [`OpenError`]. Without an [inbox](super::RuntimeBuilder::inbox) as [`Runtime::open`], for a world that is not open.
    pub async fn reach(&self, opening: Opening) -> Result<WorldHandle, OpenError> {
        let (name, perform) = (opening.name.clone(), opening.perform);
        loop {
            if let Some(world) = self.world(&name) {
                // Who was answered by another process goes on here: what they were told must be known.
                if self.means.courier.is_none() || world.read(|_| ()).await.is_ok() {
                    return Ok(world);
                }
            }
            match self.open(opening.clone()).await {
                // Somebody here was faster.
                Err(OpenError::AlreadyOpen(_)) => {}
                Err(error) if is_elsewhere(&error) && self.means.courier.is_some() => {
                    return self.follow(&name, perform).await;
                }
                opened => return opened,
            }
        }
    }

    /// Opens a world as it is recorded, or goes on with it here if it is followed: this process was given it.
    ///
    /// # Errors
    /// [`OpenError`]; [`OpenError::Elsewhere`] if it is followed, and stays another's.
    pub async fn take_up(&self, name: &WorldName) -> Result<WorldHandle, OpenError> {
        let world = self.reach(Opening::recorded(name.clone())).await?;
        match world.wake().await {
            Ok(()) => Ok(world),
            Err(why) => Err(OpenError::Elsewhere {
                name: name.clone(),
                why: Box::new(why),
            }),
        }
    }

    /// Follows a world that another process holds.
    async fn follow(&self, name: &WorldName, perform: Perform) -> Result<WorldHandle, OpenError> {
        let turn = self.turn(name);
        let _alone = turn.lock().await;
        if let Some(world) = self.world(name) {
            return Ok(world);
        }
        let Some(courier) = self.means.courier.clone() else {
            return Err(OpenError::NoSuchWorld(name.clone()));
        };
        let followed = Followed::load(&self.means, name).await?;
        let (handle, door) = self.door(name.clone(), perform, &self.means, &followed.world);
        let porter = Porter::at(Arc::clone(&self.means), courier, door, followed);
        self.keep(&handle, Kept::Elsewhere(porter));
        Ok(handle)
    }
}

/// Tells whether a world is another process's, or may be: this one is not to have it.
pub(super) fn is_elsewhere(error: &OpenError) -> bool {
    let OpenError::NoTenure { source, .. } = error else {
        return false;
    };
    matches!(
        source,
        NoTenure::HeldElsewhere { .. } | NoTenure::NotOffered { .. } | NoTenure::TakesNone(_)
    )
}
