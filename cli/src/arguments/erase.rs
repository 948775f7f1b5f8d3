//! Arguments of `erase`.

use clap::Args;
use folkmoot::core::event::Span;
use folkmoot::core::ids::WorldName;

use super::decision::PersonArgs;
use super::value::{span, world};

/// `erase`.
#[derive(Debug, Args)]
#[group(id = "what", required = true, multiple = false, args = ["events", "person", "episode"])]
pub(crate) struct EraseArgs {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    /// Events: N, or N-M.
    #[arg(value_name = "N|N-M", value_parser = span)]
    pub(crate) events: Vec<Span>,
    /// All that this person gave: messages, edits, states, answers, reasons. Others may have
    /// repeated some of it: that stays, and is listed.
    #[arg(long, value_name = "NAME")]
    pub(crate) person: Option<String>,
    /// All that was written in the episode that the message at N began, by whomever.
    #[arg(long, value_name = "N")]
    pub(crate) episode: Option<u64>,
    /// The basis on which you erase. The log records it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) basis: String,
    #[command(flatten)]
    pub(crate) by: PersonArgs,
    /// List the events, and erase nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}
