//! Worlds that this process has without opening them: nobody appends to one meanwhile.

use std::sync::Arc;

use folkmoot_core::ids::principal::{Principal, Right};
use folkmoot_core::ids::{WorldId, WorldName};
use folkmoot_core::port::{NoTenure, Tenure};
use folkmoot_core::world::World;
use folkmoot_core::world::memory::CallState;

use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, sleep};

use super::Runtime;
use crate::error::{OpenError, SeatError};
use crate::means::courier::{ANSWER_AWAITED, Errand, LOOK_EVERY};
use crate::seat::WorldHandle;
use crate::seat::access::no_right;
use crate::wire::WrittenAsk;

/// A world that this process has, and that is open nowhere, until it is given back.
#[derive(Debug)]
#[must_use = "a world that is dropped is given back later than one that is given back"]
pub struct HeldWorld {
    world: WorldId,
    tenure: Arc<dyn Tenure>,
    runtime: Runtime,
    /// Nobody here opens it meanwhile.
    _alone: OwnedMutexGuard<()>,
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
    /// back. Another process that holds it lets go of it if `by` may operate it and no tool runs there.
    ///
    /// # Errors
    /// [`OpenError::NoSuchWorld`], [`OpenError::Refused`] without the right to operate, [`OpenError::Elsewhere`] if its
    /// holder does not let go of it, or does not answer; else as [`Runtime::open`].
    pub async fn hold(&self, name: &WorldName, by: &Principal) -> Result<HeldWorld, OpenError> {
        let alone = self.turn(name).lock_owned().await;
        self.close_in_turn(name, false).await;
        let entry = self.means.log.find(name).await?;
        let no_world = || OpenError::NoSuchWorld(name.clone());
        let world = entry.ok_or_else(no_world)?.world;
        let until = Instant::now() + ANSWER_AWAITED;
        let mut asked = None;
        loop {
            let held = match self.means.take(name, world).await {
                Ok(tenure) => {
                    let runtime = self.clone();
                    return Ok(HeldWorld {
                        world,
                        tenure,
                        runtime,
                        _alone: alone,
                    });
                }
                Err(error) => error,
            };
            let Some(holder) = holder(&held) else {
                return Err(held);
            };
            if Instant::now() >= until {
                return Err(held);
            }
            // Somebody else may have taken it up meanwhile.
            if asked.as_ref() == Some(holder) {
                sleep(LOOK_EVERY).await;
            } else {
                asked = Some(holder.to_owned());
                self.have_let_go(name, world, by).await?;
            }
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
        let errand = Errand {
            id: self.ask_id(),
            world,
            giver: Some(by.clone()),
            asked: WrittenAsk::LetGo(name.clone()),
        };
        let ask = errand.write().map_err(elsewhere)?;
        match courier.carry(&ask, ANSWER_AWAITED).await {
            Ok(_) => Ok(()),
            Err(SeatError::Refused(refusal)) => Err(OpenError::Refused(refusal)),
            Err(why) => Err(elsewhere(why)),
        }
    }

    /// Tells whether a world may be closed at the wish of another process, for `by`.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to operate; [`SeatError::Elsewhere`] while a tool runs: whoever closes the
    /// world waits for it, and nobody else can use the world meanwhile.
    pub(crate) async fn check_let_go(world: &WorldHandle, by: &Principal) -> Result<(), SeatError> {
        if !world.may(by, Right::Operate) {
            return Err(no_right());
        }
        match world.read(running_tool).await? {
            None => Ok(()),
            Some(tool) => Err(SeatError::Elsewhere(format!(
                "{tool} runs there; stop it first, or wait until it has ended"
            ))),
        }
    }

    /// Closes a world that another process takes.
    pub(crate) async fn let_go(&self, name: &WorldName) {
        self.close_for(name, true).await;
    }
}

/// A tool that runs in a world.
fn running_tool(world: &World) -> Option<String> {
    let mut calls = world.open_calls().map(|(_, _, call)| call);
    let running = calls.find(|call| matches!(call.state, CallState::Running(_)))?;
    let tool = running.tool.as_ref();
    Some(tool.map_or_else(|| "a tool".to_owned(), ToString::to_string))
}

/// The node that holds a world instead.
const fn holder(error: &OpenError) -> Option<&String> {
    if let OpenError::NoTenure {
        source: NoTenure::HeldElsewhere { node },
        ..
    } = error
    {
        Some(node)
    } else {
        None
    }
}
