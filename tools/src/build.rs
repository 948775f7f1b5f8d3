//! The parts that every kind of tool is built with.

use std::path::PathBuf;
use std::sync::Arc;

use folkmoot_core::port::Tool;
use folkmoot_core::tool::EffectClass;

mod common;
mod draft;
mod error;
mod shared;

pub(crate) use draft::{Declared, ToolDraft, ToolFolder};
pub use error::BuildError;
pub use shared::Shared;

/// The kinds that are not in every build, each with the feature that has it.
pub const FEATURES: &[(&str, &str)] = &[
    ("mcp", "mcp"),
    ("sql", "sql"),
    ("data.list", "data"),
    ("data.describe", "data"),
    ("data.preview", "data"),
    ("data.query", "data"),
    ("data.search", "data"),
    ("data.chart", "data"),
    ("data.status", "data"),
    ("data.import", "data"),
    ("data.delete", "data"),
];

/// A tool, and where it reaches.
#[derive(Debug, Clone)]
pub struct Built {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// The folders and files that it reads, writes or runs programs in, with all symlinks followed. None may touch the
    /// store: see [`roots_touch`](crate::roots_touch).
    pub roots: Vec<ToolRoot>,
    /// True if what runs there may write, whatever the effect of the tool.
    pub writes: bool,
}

/// A folder or file that a tool reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRoot {
    /// The setting that names it, e.g. `cwd`.
    pub setting: String,
    /// The path, with all symlinks followed.
    pub path: PathBuf,
}

impl From<PathBuf> for ToolRoot {
    fn from(path: PathBuf) -> Self {
        Self {
            setting: "root".to_owned(),
            path,
        }
    }
}

impl Built {
    pub(crate) fn new(tool: impl Tool + 'static) -> Self {
        Self {
            writes: tool.spec().effect != EffectClass::Read,
            tool: Arc::new(tool),
            roots: Vec::new(),
        }
    }

    pub(crate) fn within<R: Into<ToolRoot>>(self, roots: Vec<R>) -> Self {
        Self {
            roots: roots.into_iter().map(Into::into).collect(),
            ..self
        }
    }
}

/// A kind of tool: a word that can stand behind `use:`.
#[derive(Debug)]
pub struct Kind {
    /// The word itself, e.g. `fs.read`.
    pub name: &'static str,
    /// A line that says what such a tool does.
    pub summary: &'static str,
    /// The kind's own settings, beside [`Kind::COMMON_KEYS`].
    pub keys: &'static [&'static str],
    /// True if it works on files or programs of the machine. A server that other machines reach has
    /// such tools only in rooms that say `local: true`.
    pub is_local: bool,
    pub(crate) build: fn(&ToolDraft<'_>) -> Result<Built, BuildError>,
}

impl Kind {
    /// Tells whether a tool with these settings works on files or programs of the machine.
    #[must_use]
    pub fn works_here(&self, settings: &serde_json::Value) -> bool {
        // A server of tools is a program here, or it is elsewhere.
        self.is_local && !(self.name == "mcp" && settings.get("url").is_some())
    }

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
