//! `folkmoot completions`.

use clap::CommandFactory as _;

use crate::arguments::{Arguments, Completions};
use crate::exit::CliError;
use crate::terminal::Terminal;

/// Prints a completion script.
pub(crate) fn completions(arguments: &Completions) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        "folkmoot",
        &mut script,
    );
    Terminal::new().piece(&String::from_utf8_lossy(&script))
}
