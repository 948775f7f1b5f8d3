//! Openings of worlds for one request.

use std::time::Duration;

use folkmoot::core::command::Action;
use folkmoot::core::ids::WorldName;
use folkmoot::{
    Beforehand, OpenError, Opening, Perform, Proof, Runtime, SeatError, WorldHandle, fold_world,
};

use super::peer::Peer;
use crate::exit::CliError;

/// The number of looks for a world that is just being reopened.
const LOOKS: u32 = 40;
/// The time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The worlds that a process opens and closes itself, whoever asks for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Holding {
    /// None: the process answers one request, and ends.
    Nothing,
    /// The world that its command is about.
    Driven(WorldName),
    /// All of them: each is opened when it is first asked for, goes on, and stays open.
    All,
}

impl Holding {
    /// True if a command of this process opens and closes the world.
    pub(super) fn drives(&self, name: &WorldName) -> bool {
        matches!(self, Self::Driven(driven) if driven == name)
    }
}

/// Returns the world, if it is open. One that is driven is soon again.
pub(super) async fn at_hand(
    runtime: &Runtime,
    name: &WorldName,
    holding: &Holding,
) -> Option<WorldHandle> {
    for _ in 0..LOOKS {
        match runtime.world(name) {
            None if holding.drives(name) => tokio::time::sleep(LOOK_EVERY).await,
            found => return found,
        }
    }
    None
}

/// Opens a recorded world, which goes on and stays open. Somebody else may open it just now: that
/// is the same world.
pub(super) async fn open_to_stay(
    runtime: &Runtime,
    name: &WorldName,
) -> Result<WorldHandle, OpenError> {
    match runtime.open(Opening::recorded(name.clone())).await {
        Err(error @ OpenError::AlreadyOpen(_)) => runtime.world(name).ok_or(error),
        opened => opened,
    }
}

/// A world that is open for one request.
pub(super) struct Visit {
    /// The world.
    pub(super) world: WorldHandle,
    /// True if it was opened for the request, and is closed behind it.
    is_guest: bool,
}

impl Visit {
    /// Finds the world called `name`, or opens it, so that `by` can have `action` done there.
    /// `peer` is told why it would be refused.
    pub(super) async fn begin(
        runtime: &Runtime,
        name: &WorldName,
        by: &Proof,
        action: &Action,
        peer: Peer,
        holding: &Holding,
    ) -> Result<Self, CliError> {
        if let Some(world) = at_hand(runtime, name, holding).await {
            let is_guest = false;
            return Ok(Self { world, is_guest });
        }
        // A saved fold would hide that the log before it does not read. Then nothing is decided.
        fold_world(&**runtime.log(), name, None).await?;
        // An opening is an incarnation, and recorded: whoever is refused shall not cause one.
        match runtime.beforehand(name, by, action.clone()).await? {
            Beforehand::Refused(refusal) => Err(peer.told(SeatError::Refused(refusal))),
            Beforehand::Opens | Beforehand::Nothing(_) => {
                Ok(Self::open(runtime, name, holding).await?)
            }
        }
    }

    /// Opens a recorded world that is not open. Opened for one request alone, it performs nothing:
    /// whoever runs it goes on with it.
    pub(super) async fn open(
        runtime: &Runtime,
        name: &WorldName,
        holding: &Holding,
    ) -> Result<Self, OpenError> {
        if *holding == Holding::All {
            let world = open_to_stay(runtime, name).await?;
            let is_guest = false;
            return Ok(Self { world, is_guest });
        }
        let opening = Opening {
            perform: Perform::Nothing,
            ..Opening::recorded(name.clone())
        };
        // A node that holds it goes on with it; else it is opened here.
        let world = runtime.reach(opening).await?;
        let is_guest = true;
        Ok(Self { world, is_guest })
    }

    /// Closes the world, if it was opened for the request.
    pub(super) async fn end(self, runtime: &Runtime) {
        if self.is_guest {
            runtime.close(self.world.name()).await;
        }
    }
}
