//! Keys, and what they sign.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use folkmoot::core::ids::WorldName;

/// `anchor`.
#[derive(Debug, Args)]
pub(crate) struct AnchorArgs {
    /// The world.
    #[arg(value_parser = super::value::world, required_unless_present = "all", conflicts_with = "all")]
    pub(crate) world: Option<WorldName>,
    /// All worlds of the store.
    #[arg(long)]
    pub(crate) all: bool,
    /// Write them to this new file instead of printing them.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Put the file in the place of an older one.
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

/// `key`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyArgs {
    /// Make a key in a new file that only you can read, and print its public part.
    #[command(after_help = "Example:\n  folkmoot key new desk.key --name example.com/desk")]
    New(NewKeyArgs),
    /// Print the public part of a key, for whoever verifies.
    #[command(after_help = "Example:\n  folkmoot key show desk.key")]
    Show(ShowKeyArgs),
}

/// `key new`.
#[derive(Debug, Args)]
pub(crate) struct NewKeyArgs {
    /// The file, outside of every store.
    pub(crate) file: PathBuf,
    /// The name of the key in signatures, e.g. `example.com/desk`: no spaces, no `+`.
    #[arg(long, default_value = "folkmoot")]
    pub(crate) name: String,
}

/// `key show`.
#[derive(Debug, Args)]
pub(crate) struct ShowKeyArgs {
    /// The file.
    pub(crate) file: PathBuf,
}
