//! Arguments of the command that a host starts, and of the one that asks other servers.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use folkmoot::core::ids::PersonName;

/// `mcp`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
    /// The folder of the templates: world scripts that the host opens rooms from.
    #[arg(long, value_name = "DIR")]
    pub(crate) templates: Option<PathBuf>,
    /// The name by which rooms call the host; it is shown as a service.
    #[arg(long = "as", value_name = "NAME", default_value = "mcp", value_parser = super::value::person)]
    pub(crate) name: PersonName,
}

/// What `mcp` does beside serving a host.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Print the tools that the servers of a script offer, as entries to paste into it.
    ///
    /// The servers are started, or asked at their addresses; no tool is called. A server's description of
    /// its tools is shown, and never believed.
    #[command(after_help = "Example:\n  folkmoot mcp tools room.yaml")]
    Tools(McpToolsArgs),
}

/// `mcp tools`.
#[derive(Debug, Args)]
pub(crate) struct McpToolsArgs {
    /// The script, with entries `use: mcp` under `tools`.
    #[arg(value_name = "SCRIPT")]
    pub(crate) script: PathBuf,
    /// The one server to ask, by its name in the script.
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Option<String>,
    /// How many seconds each server has.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) wait: u64,
}
