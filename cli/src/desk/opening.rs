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

/// Returns the world, if it is open. One that is driven is soon again.
pub(super) async fn at_hand(
    runtime: &Runtime,
    name: &WorldName,
    is_driven: bool,
) -> Option<WorldHandle> {
    for _ in 0..LOOKS {
        match runtime.world(name) {
            None if is_driven => tokio::time::sleep(LOOK_EVERY).await,
            found => return found,
        }
    }
    None
}

/// Opens a recorded world, which performs nothing: whoever runs it goes on with it.
pub(super) async fn open(runtime: &Runtime, name: &WorldName) -> Result<WorldHandle, OpenError> {
    let opening = Opening {
        perform: Perform::Nothing,
        ..Opening::recorded(name.clone())
    };
    runtime.open(opening).await
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
    /// `peer` is told why it would be refused; `driven` is a world that somebody else opens and
    /// closes.
    pub(super) async fn begin(
        runtime: &Runtime,
        name: &WorldName,
        by: &Proof,
        action: &Action,
        peer: Peer,
        driven: Option<&WorldName>,
    ) -> Result<Self, CliError> {
        if let Some(world) = at_hand(runtime, name, driven == Some(name)).await {
            let is_guest = false;
            return Ok(Self { world, is_guest });
        }
        // A saved fold would hide that the log before it does not read. Then nothing is decided.
        fold_world(&**runtime.log(), name, None).await?;
        // An opening is an incarnation, and recorded: whoever is refused shall not cause one.
        match runtime.beforehand(name, by, action.clone()).await? {
            Beforehand::Refused(refusal) => Err(peer.told(SeatError::Refused(refusal))),
            Beforehand::Opens | Beforehand::Nothing(_) => {
                let world = open(runtime, name).await?;
                let is_guest = true;
                Ok(Self { world, is_guest })
            }
        }
    }

    /// Closes the world, if it was opened for the request.
    pub(super) async fn end(self, runtime: &Runtime) {
        if self.is_guest {
            runtime.close(self.world.name()).await;
        }
    }
}
