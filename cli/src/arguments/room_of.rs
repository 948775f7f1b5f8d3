//! Arguments about the definition that a world is opened with.

use clap::{Args, ValueEnum};

/// The choice of a room for a world that exists.
#[derive(Debug, Args)]
pub(crate) struct RoomOf {
    /// `keep` opens the world with its recorded definition.
    #[arg(long, value_name = "WHICH", value_enum)]
    pub(crate) spec: Option<Spec>,
    /// Change the room, in your name: it may become that of another file, or have another policy.
    /// `check --against` says how.
    #[arg(long)]
    pub(crate) revise: bool,
}

/// The definition that a world is opened with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Spec {
    /// The recorded one.
    Keep,
}
