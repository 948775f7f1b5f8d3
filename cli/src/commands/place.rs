//! Positions, as people name them.

use folkmoot::core::ids::{Position, WorldName};

use crate::exit::{CliError, USAGE};

/// The position that `name` means: `WORLD#POSITION`, a beginning of that world's name, or the
/// position alone. `what` is what stands there.
pub(crate) fn of(world: &WorldName, name: &str, what: &str) -> Result<Position, CliError> {
    let (prefix, number) = name.rsplit_once('#').unwrap_or(("", name));
    if !world.as_str().starts_with(prefix) {
        return Err(CliError::other(
            USAGE,
            format!("{name} is no {what} of the world {world}"),
        ));
    }
    let number: Option<u64> = number.parse().ok();
    number
        .filter(|number| *number > 0)
        .map(Position::new)
        .ok_or_else(|| {
            let how =
                format!("write {world}#POSITION, or the position alone; positions count from 1");
            CliError::other(USAGE, format!("{name} names no {what}: {how}"))
        })
}
