//! From settings to tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_core::ids::ToolName;
use folkmoot_core::port::Tool;
use serde_json::Value;

mod common;
mod draft;
mod error;
#[cfg(test)]
mod tests;

pub(crate) use draft::{Declared, Draft, Folder};
pub use error::BuildError;

/// A tool, and where it reaches.
#[derive(Debug, Clone)]
pub struct Built {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// The folders and files that it reads, writes or runs programs in, with all symlinks followed. None may touch the
    /// store: see [`roots_touch`](crate::roots_touch).
    pub roots: Vec<PathBuf>,
}

impl Built {
    pub(crate) fn new(tool: impl Tool + 'static) -> Self {
        Self {
            tool: Arc::new(tool),
            roots: Vec::new(),
        }
    }

    pub(crate) fn within(self, roots: Vec<PathBuf>) -> Self {
        Self { roots, ..self }
    }
}

/// What can stand behind `use:`.
#[derive(Debug)]
pub struct Kind {
    /// The word itself, e.g. `fs.read`.
    pub name: &'static str,
    /// What such a tool does, in one line.
    pub summary: &'static str,
    /// Its own settings, beside [`Kind::COMMON_KEYS`].
    pub keys: &'static [&'static str],
    pub(crate) build: fn(&Draft<'_>) -> Result<Built, BuildError>,
}

impl Kind {
    /// The settings that every tool has.
    pub const COMMON_KEYS: [&'static str; 10] = [
        "use",
        "description",
        "timeout",
        "model_bytes",
        "output_bytes",
        "concurrency",
        "calls_per_episode",
        "memoise",
        "grants",
        "view",
    ];
}

const KINDS: [&Kind; 9] = [
    &crate::files::READ,
    &crate::files::WRITE,
    &crate::files::APPEND,
    &crate::shell::SHELL,
    &crate::clock::NOW,
    &crate::calc::CALC,
    &crate::asking::ASK,
    &crate::asking::HANDOFF,
    &crate::scripted::SCRIPTED,
];

/// All that can stand behind `use:`.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    KINDS.into_iter()
}

/// Makes the tool `name` from its settings. Relative paths are relative to `base`.
///
/// # Errors
/// [`BuildError`] says what is wrong, in which setting, and what to write instead.
pub fn build_tool(name: &ToolName, settings: &Value, base: &Path) -> Result<Built, BuildError> {
    let draft = Draft::read(name, settings, base)?;
    (draft.kind.build)(&draft)
}
