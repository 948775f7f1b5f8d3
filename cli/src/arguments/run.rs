//! Arguments of the commands that run worlds, and of those that try scripts.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::{PersonName, WorldName};

use super::room_of::RoomOf;
use super::value::{person, world};

/// `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The script.
    pub(crate) script: PathBuf,
    /// The world's name, instead of the script's.
    #[arg(long, value_name = "NAME", value_parser = world)]
    pub(crate) world: Option<WorldName>,
    /// Begin the next run of a finished script. One that is not finished goes on; a world of
    /// another name (--world) begins anew.
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) again: bool,
    /// Play the script from its start in a new world. Without --world it is called after the
    /// script's: NAME, NAME-2, NAME-3 and so on.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Stay while requests wait, so that a second terminal can decide them.
    #[arg(long)]
    pub(crate) wait: bool,
    #[command(flatten)]
    pub(crate) room_of: RoomOf,
    /// The clock of a new world, instead of the script's.
    #[arg(long, value_enum)]
    pub(crate) clock: Option<ClockName>,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
}

/// `chat`.
#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// A script, or the name of a world in the store.
    #[arg(value_name = "SCRIPT-or-WORLD")]
    pub(crate) room: String,
    /// The world's name, instead of the script's.
    #[arg(long, value_name = "NAME", value_parser = world)]
    pub(crate) world: Option<WorldName>,
    #[command(flatten)]
    pub(crate) room_of: RoomOf,
    /// Your name in the room. Your login name, if left out.
    #[arg(long = "as", value_name = "NAME", value_parser = person)]
    pub(crate) by: Option<PersonName>,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
}

/// `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Print the reference for people instead, as Markdown.
    #[arg(long)]
    pub(crate) markdown: bool,
}

/// `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The room's name; the script is NAME.yaml.
    #[arg(default_value = "room", value_parser = world)]
    pub(crate) name: WorldName,
    /// Ask nothing: take the first model that can be asked from here, else replies of the script.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Overwrite the script, if it exists.
    #[arg(long)]
    pub(crate) force: bool,
}

/// `test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// The scripts.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) scripts: Vec<PathBuf>,
    /// Also write the outcome into this file, as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

/// `resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    /// The folder that the world's relative paths are relative to from now on.
    #[arg(long, value_name = "DIR")]
    pub(crate) base: Option<PathBuf>,
    /// Stay while requests wait, so that a second terminal can decide them.
    #[arg(long)]
    pub(crate) wait: bool,
}

/// The record that a run makes besides the log.
#[derive(Debug, Args)]
pub(crate) struct RecordingArgs {
    /// Write a new file with the requests to models and their answers, for `provider: recorded`.
    /// It has no keys in it, but all words.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// The name of a world's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockName(pub(crate) ClockKind);

impl ValueEnum for ClockName {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self(ClockKind::System), Self(ClockKind::Simulated)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self.0 {
            ClockKind::System => PossibleValue::new("system").help("the machine's"),
            ClockKind::Simulated => PossibleValue::new("simulated").help("its own"),
        })
    }
}

/// `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The script.
    pub(crate) script: PathBuf,
    /// Say how the script would change the room of this world. Nothing is changed.
    #[arg(long, value_name = "WORLD", value_parser = world)]
    pub(crate) against: Option<WorldName>,
}
