//! How a world is opened.

use std::path::PathBuf;

use folkmoot_core::event::ClockKind;
use folkmoot_core::ids::WorldName;
use folkmoot_core::spec::Definition;

use crate::task::Perform;

/// How a world is opened.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The world's name.
    pub name: WorldName,
    /// What to begin it with, or what it is to become. `None` takes it as it is recorded.
    pub definition: Option<Definition>,
    /// The folder that relative paths of the definition are relative to.
    pub base: Option<PathBuf>,
    /// The clock of a new world. One that exists keeps its own.
    pub clock: ClockKind,
    /// Whether owed work is done.
    pub perform: Perform,
}

impl Opening {
    /// Opens the world `name` as it is recorded.
    #[must_use]
    pub const fn recorded(name: WorldName) -> Self {
        Self { name, definition: None, base: None, clock: ClockKind::System, perform: Perform::AsItComes }
    }

    /// Opens the world `name`, or begins it, with `definition`.
    #[must_use]
    pub fn with(name: WorldName, definition: Definition) -> Self {
        Self { definition: Some(definition), ..Self::recorded(name) }
    }
}
