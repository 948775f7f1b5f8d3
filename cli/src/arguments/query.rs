//! Arguments of the commands that read.

use std::path::PathBuf;

use clap::Args;
use folkmoot::core::ids::{AgentName, WorldName};
use folkmoot::view::world::WorldAt;

use super::value::{agent, label, numbered, world, world_at, world_of_log};

/// `worlds`.
#[derive(Debug, Args)]
pub(crate) struct WorldsArgs {
    /// Only worlds that have this label; given several times: all of them. Labels are set by the
    /// programs that open worlds.
    #[arg(long, value_name = "KEY=VALUE", value_parser = label)]
    pub(crate) label: Vec<(String, String)>,
    /// List the worlds that were deleted: their names, how far they had come, and who deleted them.
    #[arg(long, conflicts_with = "label")]
    pub(crate) deleted: bool,
}

/// `log`.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// The world.
    #[arg(value_parser = world_of_log)]
    pub(crate) world: WorldName,
    /// Begin with this event.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) from: u64,
    /// Wait for more, as long as another process holds the store.
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Only events of this kind, e.g. `ToolFinished`.
    #[arg(long, value_name = "K")]
    pub(crate) kind: Option<String>,
    /// Only events about this agent.
    #[arg(long, value_name = "A", value_parser = agent)]
    pub(crate) agent: Option<AgentName>,
    /// Show the words of agents that people were not shown, exactly: for those who run the room.
    #[arg(long, conflicts_with_all = ["follow", "kind"])]
    pub(crate) withheld: bool,
}

/// `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    /// As it stood after this event, counted from 1. Inside a commit: after the commit.
    #[arg(long, value_name = "N", conflicts_with = "prompt", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) at: Option<u64>,
    /// Show the differences between --at and this event: roster, messages, memories, requests,
    /// grants, budgets.
    #[arg(long, value_name = "M", requires = "at", conflicts_with_all = ["agent", "prompt"],
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) diff: Option<u64>,
    /// Show the memory of this agent.
    #[arg(long, value_name = "A", value_parser = agent, conflicts_with = "prompt")]
    pub(crate) agent: Option<AgentName>,
    /// Show the exact request of the model call that is recorded here: `WORLD#POSITION` of its
    /// `ModelCalled`, or the position.
    #[arg(long, value_name = "CALL")]
    pub(crate) prompt: Option<String>,
    /// Show the transcript as it reads now: its newest page.
    #[arg(long, conflicts_with_all = ["at", "diff", "agent", "prompt"])]
    pub(crate) transcript: bool,
    /// Show the page of the transcript before this event.
    #[arg(long, value_name = "N", requires = "transcript")]
    pub(crate) before: Option<u64>,
    /// The most messages and notices of the transcript that are shown: 1 to 1000, 50 if left out.
    #[arg(long, value_name = "N", requires = "transcript", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: Option<u16>,
}

/// `why`.
#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// The event, as `WORLD#POSITION`; or its world alone.
    #[arg(value_name = "WORLD[#N]", value_parser = numbered)]
    pub(crate) world: WorldAt,
    /// The position of the event in its world.
    #[arg(value_name = "N")]
    pub(crate) at: Option<String>,
}

/// `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The world.
    #[arg(value_parser = world, required_unless_present = "all")]
    pub(crate) world: Option<WorldName>,
    /// All worlds of the store.
    #[arg(long, conflicts_with = "world")]
    pub(crate) all: bool,
    /// Compare with the anchors in this file.
    #[arg(long, value_name = "ANCHOR")]
    pub(crate) against: Vec<PathBuf>,
    /// A public key whose signatures count: `name+id+key`, or the file that it stands in.
    #[arg(long, value_name = "KEY")]
    pub(crate) trust: Vec<String>,
}

/// `approvals`.
#[derive(Debug, Args)]
pub(crate) struct ApprovalsArgs {
    /// The world. All worlds of the store, if left out.
    #[arg(value_parser = world)]
    pub(crate) world: Option<WorldName>,
}

/// `rights`.
#[derive(Debug, Args)]
pub(crate) struct RightsArgs {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
}

/// `usage`.
#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
}

/// `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// A world, or `WORLD@N`: as it stood after event N.
    #[arg(value_name = "A", value_parser = world_at)]
    pub(crate) one: WorldAt,
    /// Another one, or the same at another position.
    #[arg(value_name = "B", value_parser = world_at)]
    pub(crate) other: WorldAt,
}
