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
        Some(store) => Shipped::default().keeping_off(store),
        None => Shipped::default(),
    };
    match shipped.assemble(definition, Some(base)) {
        Ok(_) => Ok(()),
        Err(error) => Err(CliError::other(STORE, error.to_string())),
    }
}
