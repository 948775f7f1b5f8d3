//! The parts that a room is made of: whether they can be made, before any store is opened for it.

use std::path::Path;

use folkmoot::core::spec::Definition;
use folkmoot::{Assemble as _, Shipped};

use crate::exit::{CliError, STORE};

/// Refuses a definition with a model or tool that cannot be made: a recording or a folder is not
/// there, a setting does not fit, or a tool would touch `store`. Relative paths begin at `base`.
pub(crate) fn check(
    definition: &Definition,
    base: &Path,
    store: Option<&Path>,
) -> Result<(), CliError> {
    let shipped = match store {
        Some(store) => shipped().keeping_off(store),
        None => shipped(),
    };
    match shipped.assemble(definition, Some(base)) {
        Ok(_) => Ok(()),
        Err(error) => Err(CliError::other(STORE, error.to_string())),
    }
}

/// The tools and models of scripts. None may change this program's own file: whoever writes it is run with the rights of the
/// next one who starts it.
pub(crate) fn shipped() -> Shipped {
    let own = std::env::current_exe().ok();
    own.into_iter()
        .fold(Shipped::default(), Shipped::keeping_writers_off)
}
