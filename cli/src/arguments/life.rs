//! Arguments of the commands about the life of a store.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use folkmoot::core::ids::{PersonName, WorldName};
use folkmoot::store::EngineKind;

use super::store_place::{PlaceParser, StorePlace};
use super::value::{age, label, person, world};

/// `delete`.
#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// The worlds.
    #[arg(value_name = "WORLD", value_parser = world, required_unless_present = "idle_for")]
    pub(crate) worlds: Vec<WorldName>,
    /// Every world whose last commit is older: `90d`, `12h`, `30m`. Worlds with a simulated clock
    /// have no age.
    #[arg(long, value_name = "AGE", value_parser = age, conflicts_with = "worlds")]
    pub(crate) idle_for: Option<Duration>,
    /// Only worlds that have this label; given several times: all of them.
    #[arg(long, value_name = "KEY=VALUE", value_parser = label, requires = "idle_for")]
    pub(crate) label: Vec<(String, String)>,
    /// List the worlds, and delete nothing.
    #[arg(long, requires = "idle_for")]
    pub(crate) dry_run: bool,
    /// Do not ask.
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Your name. The record of the deletion keeps it.
    #[arg(long = "as", value_name = "NAME", value_parser = person)]
    pub(crate) by: Option<PersonName>,
}

/// `fork`.
#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    /// The world that it is branched off. Nothing of it changes.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    /// The last event that both have, counted from 1. Inside a commit: the commit's last event. The
    /// newest if left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) at: Option<u64>,
    /// The new world's name.
    #[arg(long = "as", value_name = "NEW", value_parser = world)]
    pub(crate) name: WorldName,
    /// Give the new world a copy of the events that both have.
    #[arg(long)]
    pub(crate) copy: bool,
    /// Let the new world ask its models and run its tools. Without this, both are answered from the
    /// record where the same request occurred, and else do not happen.
    #[arg(long)]
    pub(crate) live: bool,
}

/// `backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The directory, which does not exist or is empty.
    pub(crate) dir: PathBuf,
}

/// `copy`.
#[derive(Debug, Args)]
pub(crate) struct CopyArgs {
    /// The store that is copied: its folder, or the URL of its database. Nothing of it changes.
    #[arg(value_name = "FROM", value_parser = PlaceParser)]
    pub(crate) from: StorePlace,
    /// The folder of the copy, which does not exist or is empty; or the URL of a database, whose tables are made if they are
    /// missing. A copy into a database that was cut off goes on when you type the same again.
    #[arg(value_name = "TO", value_parser = PlaceParser)]
    pub(crate) to: StorePlace,
}

/// `rebuild`. Exits with 5 if anything was left behind.
#[derive(Debug, Args)]
pub(crate) struct RebuildArgs {
    /// The directory of the new store, which does not exist or is empty. The old one is that of
    /// --store.
    #[arg(long, value_name = "NEW")]
    pub(crate) to: PathBuf,
    /// Take lost events from this bundle of a whole world: `export --format bundle`.
    #[arg(long, value_name = "FILE")]
    pub(crate) from_export: Vec<PathBuf>,
    /// How the new store keeps its log.
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t = EngineName::Files)]
    pub(crate) engine: EngineName,
}

/// The engine that keeps a store's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// In one plain file.
    Files,
    /// In a sled database, as stores do that nobody chose an engine for.
    Sled,
}

impl From<EngineName> for EngineKind {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Files => Self::Files,
            EngineName::Sled => Self::Sled,
        }
    }
}
