use std::path::PathBuf;

use folkmoot_core::ids::ToolName;

folkmoot_core::debug_in_words!(BuildError);

/// A reason why settings make no tool.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No `use:`.
    #[error("tool `{tool}` does not say what it is: add `use:` with one of {known}")]
    NoUse {
        /// The tool.
        tool: ToolName,
        /// The words that can stand there.
        known: String,
    },
    /// An unknown `use:`.
    #[error(
        "tool `{tool}`: there is no `use: {found}`, did you mean `{nearest}`? The tools are {known}"
    )]
    UnknownUse {
        /// The tool.
        tool: ToolName,
        /// The word that stands there.
        found: String,
        /// The known word that is most like it.
        nearest: &'static str,
        /// The words that can stand there.
        known: String,
    },
    /// A kind of tool that this build lacks.
    #[error(
        "tool `{tool}`: `use: {kind}` is not in this build: build Folkmoot with the feature `{feature}`, e.g. `cargo install --path cli --locked --features full`"
    )]
    NotInBuild {
        /// The tool.
        tool: ToolName,
        /// The kind of tool, as `use:` names it.
        kind: &'static str,
        /// The feature that has it.
        feature: &'static str,
    },
    /// A setting that this kind of tool does not have.
    #[error(
        "tool `{tool}`: `use: {kind}` has no setting `{key}`, did you mean `{nearest}`? Its settings are {known}"
    )]
    UnknownKey {
        /// The tool.
        tool: ToolName,
        /// The kind of tool, as `use:` names it.
        kind: &'static str,
        /// The setting.
        key: String,
        /// The known setting that is most like it.
        nearest: &'static str,
        /// The settings of this kind of tool.
        known: String,
    },
    /// A setting with a wrong value.
    #[error("tool `{tool}`, setting `{path}`: {why}")]
    BadSetting {
        /// The tool.
        tool: ToolName,
        /// The setting, e.g. `results[0].takes`.
        path: String,
        /// The fault, and what to write instead.
        why: String,
    },
    /// A tool that does not say what it may do.
    #[error(
        "tool `{tool}` has no effect, and a tool without an effect cannot be registered: add `effect: read | write | destructive`"
    )]
    NoEffect {
        /// The tool.
        tool: ToolName,
    },
    /// A schema that is none.
    #[error(
        "tool `{tool}`, setting `schema`: this is not a JSON Schema (2020-12) of an object, at `{path}`: {why}"
    )]
    BadSchema {
        /// The tool.
        tool: ToolName,
        /// The place in the schema, as a JSON pointer; empty for the schema itself.
        path: String,
        /// The fault.
        why: String,
    },
    /// A folder that is not there.
    #[error("tool `{tool}`, setting `{key}`: there is no folder {path}: create it, or name another", path = path.display())]
    MissingRoot {
        /// The tool.
        tool: ToolName,
        /// The setting.
        key: &'static str,
        /// The folder.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
}

impl BuildError {
    /// Returns the place of the fault in the tool's settings, e.g. `results[0].takes`; empty for
    /// the settings as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::NoUse { .. } | Self::NoEffect { .. } => "",
            Self::UnknownUse { .. } | Self::NotInBuild { .. } => "use",
            Self::UnknownKey { key, .. } => key,
            Self::BadSetting { path, .. } => path,
            Self::BadSchema { .. } => "schema",
            Self::MissingRoot { key, .. } => key,
        }
    }
}
