//! The kinds of tools that a script can name, and the way from settings to a tool.

use std::path::Path;

use folkmoot_core::ids::ToolName;
use serde_json::Value;

use crate::asking::{ASK, HANDOFF};
use crate::build::{BuildError, Built, Kind, ToolDraft};
use crate::calc::CALC;
use crate::clock::NOW;
use crate::files::{APPEND, DELETE, EDIT, LIST, MOVE, READ, SEARCH, WRITE};
use crate::scripted::SCRIPTED;
use crate::shell::SHELL;
use crate::web::{GET, REQUEST};

#[cfg(test)]
mod tests;

const KINDS: [&Kind; 16] = [
    &LIST, &READ, &SEARCH, &WRITE, &APPEND, &EDIT, &MOVE, &DELETE, &SHELL, &GET, &REQUEST, &NOW,
    &CALC, &ASK, &HANDOFF, &SCRIPTED,
];

/// Returns every kind that can stand behind `use:`.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    KINDS.into_iter()
}

/// Makes the tool `name` from its settings. Relative paths are relative to `base`.
///
/// # Errors
/// [`BuildError`] says what is wrong, in which setting, and what to write instead.
pub fn build_tool(name: &ToolName, settings: &Value, base: &Path) -> Result<Built, BuildError> {
    let draft = ToolDraft::read(name, settings, base, &KINDS)?;
    (draft.kind.build)(&draft)
}
