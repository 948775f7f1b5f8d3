//! Worlds that this process has without opening them: nobody appends to one meanwhile.

use std::sync::Arc;

use folkmoot_core::ids::principal::{Principal, Right};
use folkmoot_core::ids::{WorldId, WorldName};
use folkmoot_core::port::{Ask, NoTenure, Tenure};

use tokio::time::{Instant, sleep};

use super::Runtime;
use crate::error::{OpenError, SeatError};
use crate::means::courier::{ANSWER_AWAITED, LOOK_EVERY};
use crate::seat::WorldHandle;
use crate::seat::access::no_right;
use crate::wire::{WireError, WrittenAsk, write_principal};

/// After how many looks its holder is asked again to let go of a world.
const ASK_EVERY: u32 = 8;

/// A world that this process has, and that is open nowhere, until it is given back.
#[derive(Debug)]
#[must_use = "a world that is not given back stays with this process until it ends"]
pub struct HeldWorld {
    world: WorldId,
    tenure: Arc<dyn Tenure>,
    runtime: Runtime,
}

impl HeldWorld {
    /// Its id.
    #[must_use]
    pub const fn world(&self) -> WorldId {
        self.world
    }

    /// Gives it back. Whoever takes due worlds looks at once what it owes.
    pub async fn give_back(self) {
        let now = self.runtime.means.clock.now();
        self.tenure.release(Some(now)).await;
    }
}

impl Runtime {
    /// Has the world called `name` closed, wherever it is open, and takes it, so that nobody opens it until it is given
    /// back. Another process that holds it waits for the tools that run there, and lets go of it if `by` may operate it.
    ///
    /// # Errors
    /// [`OpenError::NoSuchWorld`], [`OpenError::Refused`] without the right to operate, [`OpenError::Elsewhere`] if its
    /// holder does not answer; else as [`Runtime::open`], also if its holder does not let go of it in time.
    pub async fn hold(&self, name: &WorldName, by: &Principal) -> Result<HeldWorld, OpenError> {
        self.close(name).await;
        let entry = self.means.log.find(name).await?;
        let no_world = || OpenError::NoSuchWorld(name.clone());
        let world = entry.ok_or_else(no_world)?.world;
        let until = Instant::now() + ANSWER_AWAITED;
        let mut looks = 0_u32;
        loop {
            let held = match self.means.take(name, world).await {
                Ok(tenure) => {
                    let runtime = self.clone();
                    return Ok(HeldWorld {
                        world,
                        tenure,
                        runtime,
                    });
                }
                Err(error) => error,
            };
            if !is_held(&held) || Instant::now() >= until {
                return Err(held);
            }
            // Somebody else may have taken it up meanwhile.
            if looks.is_multiple_of(ASK_EVERY) {
                self.have_let_go(name, world, by).await?;
            } else {
                sleep(LOOK_EVERY).await;
            }
            looks += 1;
        }
    }

    /// Asks whoever holds a world to let go of it.
    async fn have_let_go(
        &self,
        name: &WorldName,
        world: WorldId,
        by: &Principal,
    ) -> Result<(), OpenError> {
        let elsewhere = |why: SeatError| OpenError::Elsewhere {
            name: name.clone(),
            why: Box::new(why),
        };
        let Some(courier) = self.courier() else {
            let why = "this process cannot ask its holder: its runtime has no inbox";
            return Err(elsewhere(SeatError::Elsewhere(why.to_owned())));
        };
        let unsent = |error: WireError| elsewhere(SeatError::Elsewhere(error.to_string()));
        let principal = write_principal(by.clone()).map_err(unsent)?;
        let written = WrittenAsk::LetGo(name.clone());
        let ask = Ask {
            id: self.ask_id(),
            world,
            command: written.write(principal.len()).map_err(unsent)?,
            principal: Some(principal),
        };
        match courier.carry(&ask, ANSWER_AWAITED).await {
            Ok(_) => Ok(()),
            Err(SeatError::Refused(refusal)) => Err(OpenError::Refused(refusal)),
            Err(why) => Err(elsewhere(why)),
        }
    }

    /// Tells whether a world may be closed at the wish of another process, for `by`.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to operate.
    pub(crate) fn check_let_go(world: &WorldHandle, by: &Principal) -> Result<(), SeatError> {
        if world.may(by, Right::Operate) {
            Ok(())
        } else {
            Err(no_right())
        }
    }

    /// Closes a world that another process takes.
    pub(crate) async fn let_go(&self, name: &WorldName) {
        self.close_for(name, true).await;
    }
}

/// Tells whether a world is another node's.
const fn is_held(error: &OpenError) -> bool {
    matches!(
        error,
        OpenError::NoTenure {
            source: NoTenure::HeldElsewhere { .. },
            ..
        }
    )
}
