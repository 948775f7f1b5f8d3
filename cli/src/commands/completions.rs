//! `folkmoot completions`.

use clap::CommandFactory as _;

use crate::arguments::{CommandLine, CompletionsArgs};
use crate::exit::CliError;
use crate::terminal::Terminal;

/// Prints a completion script.
pub(crate) fn completions(arguments: &CompletionsArgs) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut CommandLine::command(),
        "folkmoot",
        &mut script,
    );
    Terminal::new().piece(&String::from_utf8_lossy(&script))
}
