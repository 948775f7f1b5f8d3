//! Arguments of the command that a host starts.

use std::path::PathBuf;

use clap::Args;
use folkmoot::core::ids::PersonName;

/// `mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// The folder of the templates: world scripts that the host opens rooms from.
    #[arg(long, value_name = "DIR")]
    pub(crate) templates: Option<PathBuf>,
    /// The name by which rooms call the host; it is shown as a service.
    #[arg(long = "as", value_name = "NAME", default_value = "mcp", value_parser = super::value::person)]
    pub(crate) name: PersonName,
}
