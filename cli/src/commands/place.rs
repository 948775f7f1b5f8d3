//! Positions, as people name them.

use folkmoot::core::ids::{Position, WorldName};
use folkmoot::view::world::WorldAt;

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

/// The position that a command names, in `WORLD#N` or behind the world; `None` if it names none.
pub(crate) fn named(
    world: &WorldAt,
    name: Option<&str>,
    what: &str,
) -> Result<Option<Position>, CliError> {
    let behind = name.map(|name| of(&world.world, name, what)).transpose()?;
    match (world.at, behind) {
        (Some(at), Some(other)) if at != other => Err(CliError::other(
            USAGE,
            format!("{0}#{at} and {0}#{other}: name one {what}", world.world),
        )),
        (at, behind) => Ok(at.or(behind)),
    }
}

/// The position that a command names and cannot do without.
pub(crate) fn needed(
    world: &WorldAt,
    name: Option<&str>,
    what: &str,
) -> Result<Position, CliError> {
    named(world, name, what)?.ok_or_else(|| {
        let how = format!("write {}#POSITION", world.world);
        CliError::other(USAGE, format!("the {what} is missing: {how}"))
    })
}
