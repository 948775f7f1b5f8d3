//! Openings of worlds for one request.

use std::time::Duration;

use folkmoot::core::ids::WorldName;
use folkmoot::{OpenError, Opening, Perform, Runtime, WorldHandle};

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

/// Opens a recorded world, which performs nothing: whoever runs it goes on with what it owes.
pub(super) async fn open(runtime: &Runtime, name: &WorldName) -> Result<WorldHandle, OpenError> {
    let opening = Opening {
        perform: Perform::Nothing,
        ..Opening::recorded(name.clone())
    };
    runtime.open(opening).await
}
