//! The kinds of tools that a script can name, and the way from settings to a tool.

use std::path::Path;

use folkmoot_core::ids::ToolName;
use serde_json::Value;

use crate::asking::{ASK, HANDOFF};
use crate::build::{BuildError, Built, Kind, Shared, ToolDraft};
use crate::calc::CALC;
use crate::clock::NOW;
#[cfg(feature = "data")]
use crate::data;
use crate::files::{APPEND, DELETE, EDIT, LIST, MOVE, READ, SEARCH, WRITE};
#[cfg(feature = "mcp")]
use crate::mcp::MCP;
use crate::scripted::SCRIPTED;
use crate::shell::SHELL;
#[cfg(feature = "sql")]
use crate::sql::SQL;
use crate::web::{GET, REQUEST};

#[cfg(test)]
mod tests;

pub(crate) const KINDS: &[&Kind] = &[
    &LIST,
    &READ,
    &SEARCH,
    &WRITE,
    &APPEND,
    &EDIT,
    &MOVE,
    &DELETE,
    &SHELL,
    &GET,
    &REQUEST,
    &NOW,
    &CALC,
    &ASK,
    &HANDOFF,
    &SCRIPTED,
    #[cfg(feature = "mcp")]
    &MCP,
    #[cfg(feature = "sql")]
    &SQL,
    #[cfg(feature = "data")]
    &data::LIST,
    #[cfg(feature = "data")]
    &data::DESCRIBE,
    #[cfg(feature = "data")]
    &data::PREVIEW,
    #[cfg(feature = "data")]
    &data::QUERY,
    #[cfg(feature = "data")]
    &data::SEARCH,
    #[cfg(feature = "data")]
    &data::CHART,
    #[cfg(feature = "data")]
    &data::STATUS,
    #[cfg(feature = "data")]
    &data::IMPORT,
    #[cfg(feature = "data")]
    &data::DELETE,
];

/// Returns every kind that can stand behind `use:`.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().copied()
}

/// Makes the tool `name` from its settings. Relative paths are relative to `base`.
///
/// # Errors
/// [`BuildError`] says what is wrong, in which setting, and what to write instead.
pub fn build_tool(name: &ToolName, settings: &Value, base: &Path) -> Result<Built, BuildError> {
    build_tool_among(name, settings, base, &Shared::default())
}

/// The same, of a tool that shares things with others of its world.
///
/// # Errors
/// [`BuildError`], as [`build_tool`].
pub fn build_tool_among(
    name: &ToolName,
    settings: &Value,
    base: &Path,
    shared: &Shared,
) -> Result<Built, BuildError> {
    let draft = ToolDraft::read(name, settings, base, KINDS, shared)?;
    (draft.kind.build)(&draft)
}
