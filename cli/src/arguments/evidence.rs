//! What can be typed about what leaves the store.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use folkmoot::core::ids::WorldName;

use super::world;

/// `export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    /// In which form.
    #[arg(long, value_name = "FORM", value_enum)]
    pub(crate) format: ExportFormat,
    /// Only the commits that hold these events, e.g. `17,26-28`; of what else is in them, no content.
    #[arg(long, value_name = "N,M-K", conflicts_with = "why")]
    pub(crate) events: Option<String>,
    /// Only what tells why this event is there, and what became of the calls that it is about.
    #[arg(long, value_name = "N")]
    pub(crate) why: Option<String>,
    /// Sign the head now, with the key in this file: `PRIVATE+KEY+name+id+key`.
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// A signed head that somebody keeps, so that the bundle proves that the log has only grown since.
    #[arg(long, value_name = "FILE")]
    pub(crate) note: Vec<PathBuf>,
    /// The file to write; `-` or nothing: standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// In which form a world is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// An evidence bundle, for `check-bundle`.
    Bundle,
}

/// `check-bundle`.
#[derive(Debug, Args)]
pub(crate) struct CheckBundle {
    /// The bundle.
    #[arg(value_name = "FILE")]
    pub(crate) bundle: PathBuf,
    /// A public key whose signatures count: `name+id+key`, or the file that it stands in.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Vec<String>,
    /// Tell only of this event, and of the tool calls that it is about.
    #[arg(long, value_name = "N")]
    pub(crate) at: Option<u64>,
    /// A signed head that was kept elsewhere: whether the log is still that one.
    #[arg(long, value_name = "NOTE")]
    pub(crate) against: Option<PathBuf>,
}
