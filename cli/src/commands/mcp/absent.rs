//! `folkmoot mcp` in a build that has none.

use crate::arguments::{CommonArgs, McpArgs};
use crate::exit::{CliError, USAGE};

/// Says that this build serves no hosts, and asks no servers.
pub(crate) async fn mcp(_: &CommonArgs, _: &McpArgs) -> Result<(), CliError> {
    let why = "this build has no MCP: build it with the feature `mcp` or `full`";
    Err(CliError::other(USAGE, why))
}
