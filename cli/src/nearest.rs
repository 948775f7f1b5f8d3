//! Names that were probably meant.

use folkmoot::core::ids::WorldName;
use folkmoot::script::nearest;
use folkmoot::{FoldError, OpenError};

use crate::exit::{CliError, STORE};

/// The error about a world that is not there, with the one of `known` that was probably meant;
/// `None` if none is like it.
pub(crate) fn meaning(missing: &WorldName, known: &[WorldName]) -> Option<CliError> {
    let near = nearest(missing.as_str(), known.iter().map(WorldName::as_str))?;
    let what = format!("there is no world called {missing}; did you mean {near}?");
    Some(CliError::other(
        STORE,
        format!("{what} `folkmoot worlds` lists all"),
    ))
}

/// The world that is not there, if that is the error.
pub(crate) fn missing(error: &CliError) -> Option<&WorldName> {
    if let CliError::Fold(FoldError::NoSuchWorld(name)) = error {
        return Some(name);
    }
    if let CliError::World(OpenError::NoSuchWorld(name)) = error {
        Some(name)
    } else {
        None
    }
}
