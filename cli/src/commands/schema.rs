//! `folkmoot schema`.

use crate::exit::CliError;
use crate::terminal::Terminal;

/// Prints the JSON Schema of world scripts.
pub(crate) fn schema() -> Result<(), CliError> {
    Terminal::new().document(&folkmoot::script::json_schema())
}
