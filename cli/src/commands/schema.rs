//! `folkmoot schema`.

use crate::exit::CliError;
use crate::terminal::Terminal;

/// Prints the JSON Schema of world scripts, in one line: editors read it.
pub(crate) fn schema() -> Result<(), CliError> {
    Terminal::new().json(&folkmoot::script::json_schema())
}
