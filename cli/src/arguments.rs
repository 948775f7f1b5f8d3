//! What can be typed.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser as _};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::{AgentName, PersonName, Position, WorldName};

mod decision;
mod erase;
mod evidence;
mod life;
mod room_of;
mod signing;

pub(crate) use decision::{Answer, Approve, Decided, Deny, Grants, Revoke, Settle};
pub(crate) use erase::Erase;
pub(crate) use evidence::{CheckBundle, Export, Form};
pub(crate) use life::{Backup, Delete, Rebuild};
pub(crate) use room_of::{RoomOf, Spec};
pub(crate) use signing::{Anchor, Key};

/// Where a store is, if nobody says otherwise.
const STORE_DEFAULT: &str = ".folkmoot";
/// The variable that says otherwise.
const STORE_VARIABLE: &str = "FOLKMOOT_STORE";
/// The variable that names the file of the key that signs.
const KEY_VARIABLE: &str = "FOLKMOOT_KEY";

/// Rooms of agents and people over one replayable log.
#[derive(Debug, Parser)]
#[command(
    name = "folkmoot",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// The directory of the store.
    #[arg(long, global = true, value_name = "DIR", env = STORE_VARIABLE, default_value = STORE_DEFAULT,
        value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub(crate) store: PathBuf,
    /// The file of a key, outside of the store, that signs the logs of worlds that are opened: see `folkmoot key new`.
    #[arg(long, global = true, value_name = "FILE", env = KEY_VARIABLE,
        value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub(crate) key: Option<PathBuf>,
    /// Print JSON: one document, or one object a line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Colors::Auto)]
    pub(crate) color: Colors,
    /// Log more to stderr; twice for even more. RUST_LOG says it in detail.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Show no progress, and log errors only.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

impl Common {
    /// The same; an empty name of a store counts as none, and so does one of a key.
    pub(crate) fn with_a_store(mut self) -> Self {
        self.key = self.key.filter(|key| !key.as_os_str().is_empty());
        if self.store.as_os_str().is_empty() {
            self.store = PathBuf::from(STORE_DEFAULT);
        }
        self
    }

    /// How a command to type begins: with the store and the key, unless they are found without saying so.
    pub(crate) fn program(&self) -> String {
        let found = |variable: &str| {
            std::env::var_os(variable)
                .filter(|path| !path.is_empty())
                .map(PathBuf::from)
        };
        let mut program = "folkmoot".to_owned();
        if self.store != found(STORE_VARIABLE).unwrap_or_else(|| PathBuf::from(STORE_DEFAULT)) {
            program.push_str(&format!(" --store {}", quoted(&self.store)));
        }
        if let Some(key) = self
            .key
            .as_ref()
            .filter(|key| found(KEY_VARIABLE).as_ref() != Some(*key))
        {
            program.push_str(&format!(" --key {}", quoted(key)));
        }
        program
    }

    /// A message whose commands can be typed as they stand: those of libraries know no options.
    pub(crate) fn to_type(&self, message: &str) -> String {
        // Our own sentences say which store they are about already.
        let known = format!("`{} ", self.program());
        let bare = message.replace(&known, "`folkmoot ");
        bare.replace("`folkmoot ", &known)
    }
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':' | '@');
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colors {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What is done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a world script, or go on with it.
    Run(Run),
    /// Talk in a room: the script's, or one that is recorded.
    Chat(Chat),
    /// Check a script, and point at each fault.
    Check(Check),
    /// Print the JSON Schema of world scripts.
    Schema,
    /// List the worlds in the store.
    Worlds(Worlds),
    /// Show the events of a world.
    Log(Log),
    /// Show the state of a world at a position, an agent's memory, the request of a model call, or the transcript.
    Replay(Replay),
    /// Show why an event is there: its causes, back to a person, and what was decided about it.
    Why(Why),
    /// Show what waits for people.
    Approvals(Approvals),
    /// Show which calls are allowed to come without asking.
    Grants(Grants),
    /// Show who may do what.
    Rights(RightsOf),
    /// Show what the models of a world were asked, and what that cost.
    Usage(UsageOfWorld),
    /// Allow a call; with --scope, calls like it to come as well.
    Approve(Approve),
    /// Deny a call.
    Deny(Deny),
    /// Answer a tool's question.
    Answer(Answer),
    /// End a grant before its time.
    Revoke(Revoke),
    /// Say what became of a call whose outcome is unknown.
    Settle(Settle),
    /// Open a world and do what is owed, until it is idle.
    Resume(Resume),
    #[command(flatten)]
    Logs(LogCommand),
    /// Live stories with faults on a simulated machine, and hold them against the laws of the log.
    Sim(Sim),
    /// Show the store's health, which credentials are set, and versions.
    Doctor,
    /// Print a completion script for a shell.
    Completions(Completions),
}

/// What concerns logs as a whole: proofs, copies, branches, and their end.
#[derive(Debug, Subcommand)]
pub(crate) enum LogCommand {
    /// Check a world: that nothing was changed, and that every recorded command is decided again as it was.
    Verify(Verify),
    /// Print the signed heads of logs, to be kept elsewhere.
    Anchor(Anchor),
    /// Make a key that signs logs, or show its public part.
    #[command(subcommand)]
    Key(Key),
    /// Take a world elsewhere: as a transcript, as lines of JSON, as a report, or as evidence.
    Export(Export),
    /// Check a bundle that was exported, offline.
    CheckBundle(CheckBundle),
    /// Branch a world off another one: go on from there, and see what else could have happened.
    Fork(Fork),
    /// Compare two worlds, or one at two positions: where they part, and what happened in each from there on.
    Diff(Diff),
    /// Erase what people, agents and tools wrote in some events, for good. That it was there, and who had it erased, stays.
    Erase(Erase),
    /// Delete worlds for good: by name, or those that nobody used for long. It takes the right to operate each of them.
    Delete(Delete),
    /// Copy the store into a directory that is a store itself, also while it is in use.
    Backup(Backup),
    /// Make a new store of what is whole of a damaged one, and say of each world what is. Nothing is changed in the old one.
    Rebuild(Rebuild),
}

/// `chat`.
#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// A script, or the name of a world in the store.
    #[arg(value_name = "SCRIPT-or-WORLD")]
    pub(crate) room: String,
    /// The world's name, instead of the script's.
    #[arg(long, value_name = "NAME", value_parser = world)]
    pub(crate) world: Option<WorldName>,
    #[command(flatten)]
    pub(crate) room_of: RoomOf,
    /// How you are called in the room.
    #[arg(long = "as", value_name = "NAME", value_parser = person)]
    pub(crate) by: Option<PersonName>,
    #[command(flatten)]
    pub(crate) recording: Recording,
}

/// `worlds`.
#[derive(Debug, Args)]
pub(crate) struct Worlds {
    /// Only worlds that have this label; given several times: all of them. Labels are set by the programs that open worlds.
    #[arg(long, value_name = "KEY=VALUE", value_parser = label)]
    pub(crate) label: Vec<(String, String)>,
    /// The worlds that were deleted: what they were called, how far they had come, and who deleted them.
    #[arg(long, conflicts_with = "label")]
    pub(crate) deleted: bool,
}

/// `log`.
#[derive(Debug, Args)]
pub(crate) struct Log {
    /// The world.
    #[arg(value_parser = world)]
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
    /// What was kept from people of what agents said, and its exact text: for those who run the room.
    #[arg(long, conflicts_with_all = ["follow", "kind"])]
    pub(crate) withheld: bool,
}

/// `replay`.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    /// As it stood after this event, counted from 1. Inside a commit: after the commit.
    #[arg(long, value_name = "N", conflicts_with = "prompt", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) at: Option<u64>,
    /// What is different after this event: roster, messages, memories, requests, grants, budgets.
    #[arg(long, value_name = "M", requires = "at", conflicts_with_all = ["agent", "prompt"],
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) diff: Option<u64>,
    /// This agent's memory.
    #[arg(long, value_name = "A", value_parser = agent, conflicts_with = "prompt")]
    pub(crate) agent: Option<AgentName>,
    /// The exact request of the model call that is recorded here: `WORLD#POSITION` of its `ModelCalled`, or the position.
    #[arg(long, value_name = "CALL")]
    pub(crate) prompt: Option<String>,
    /// What people read of it: the newest page, as it reads now.
    #[arg(long, conflicts_with_all = ["at", "diff", "agent", "prompt"])]
    pub(crate) transcript: bool,
    /// The page of the transcript before this event.
    #[arg(long, value_name = "N", requires = "transcript")]
    pub(crate) before: Option<u64>,
    /// How many messages and notices of the transcript are shown at most: 1 to 1000, 50 if left out.
    #[arg(long, value_name = "N", requires = "transcript", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: Option<u16>,
}

/// `why`.
#[derive(Debug, Args)]
pub(crate) struct Why {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    /// The event: its position in the log, or `WORLD#POSITION`.
    #[arg(value_name = "N")]
    pub(crate) at: String,
}

/// `verify`.
#[derive(Debug, Args)]
pub(crate) struct Verify {
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
pub(crate) struct Approvals {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
}

/// `rights`.
#[derive(Debug, Args)]
pub(crate) struct RightsOf {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
}

/// `usage`.
#[derive(Debug, Args)]
pub(crate) struct UsageOfWorld {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
}

/// `resume`.
#[derive(Debug, Args)]
pub(crate) struct Resume {
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

/// `fork`.
#[derive(Debug, Args)]
pub(crate) struct Fork {
    /// The world that it is branched off. Nothing of it changes.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    /// The last event that both have, counted from 1. Inside a commit: the commit's last event. The newest if left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) at: Option<u64>,
    /// The new world's name.
    #[arg(long = "as", value_name = "NEW", value_parser = world)]
    pub(crate) name: WorldName,
    /// Give it its own copy of what both have.
    #[arg(long)]
    pub(crate) copy: bool,
    /// Perform its effects: ask its models and run its tools. Without this they are answered from the record where the
    /// same request occurred, and else do not happen.
    #[arg(long)]
    pub(crate) live: bool,
}

/// `diff`.
#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// A world, or `WORLD@N`: as it stood after event N.
    #[arg(value_name = "A", value_parser = world_at)]
    pub(crate) one: WorldAt,
    /// Another one, or the same at another position.
    #[arg(value_name = "B", value_parser = world_at)]
    pub(crate) other: WorldAt,
}

/// A world, or a world at a position.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct WorldAt {
    /// The world.
    pub(crate) world: WorldName,
    /// The position; its head if `None`.
    pub(crate) at: Option<Position>,
}

/// `run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The script.
    pub(crate) script: PathBuf,
    /// The world's name, instead of the script's.
    #[arg(long, value_name = "NAME", value_parser = world)]
    pub(crate) world: Option<WorldName>,
    /// Begin the next run of a finished script; one that is not finished goes on (a world of another name, --world, begins anew).
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) again: bool,
    /// Refuse a world that exists.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Stay while requests wait, so that a second terminal can decide them.
    #[arg(long)]
    pub(crate) wait: bool,
    #[command(flatten)]
    pub(crate) room_of: RoomOf,
    /// The clock of a new world, instead of the script's.
    #[arg(long, value_enum)]
    pub(crate) clock: Option<Clock>,
    #[command(flatten)]
    pub(crate) recording: Recording,
}

/// What of a run is recorded besides the log.
#[derive(Debug, Args)]
pub(crate) struct Recording {
    /// Record what models exchange with their providers in a new file, for `provider: recorded`. Without keys, but with
    /// all that was said.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// Which clock a world has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock(pub(crate) ClockKind);

impl ValueEnum for Clock {
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
pub(crate) struct Check {
    /// The script.
    pub(crate) script: PathBuf,
    /// Say how the script would change the room of this world. Nothing is changed.
    #[arg(long, value_name = "WORLD", value_parser = world)]
    pub(crate) against: Option<WorldName>,
}

/// `sim`.
#[derive(Debug, Args)]
pub(crate) struct Sim {
    /// The script that is run in every story, while whatever should not change how it ends goes wrong. Without one, each
    /// story has random rooms with random people.
    #[arg(conflicts_with = "story")]
    pub(crate) script: Option<PathBuf>,
    /// The seeds, one story each: from A to before B.
    #[arg(long, value_name = "A..B", default_value = "0..100", value_parser = seeds)]
    pub(crate) seeds: Range<u64>,
    /// How many simulated seconds a story is kept busy.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: u64,
    /// Live the story in this file instead, as it was printed for a seed that failed.
    #[arg(long, value_name = "FILE")]
    pub(crate) story: Option<PathBuf>,
}

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    pub(crate) shell: Shell,
}

fn label(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("a label is written KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let ends = text
        .split_once("..")
        .and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    ends.filter(|seeds| !seeds.is_empty())
        .ok_or_else(|| "seeds are written A..B, and A is less than B".to_owned())
}

fn world(name: &str) -> Result<WorldName, String> {
    WorldName::new(name).map_err(|error| error.to_string())
}

fn world_at(text: &str) -> Result<WorldAt, String> {
    let Some((name, at)) = text.rsplit_once('@') else {
        return Ok(WorldAt {
            world: world(text)?,
            at: None,
        });
    };
    let at: Option<u64> = at.parse().ok().filter(|at| *at > 0);
    let at = at.ok_or("a world at a position is written WORLD@N, and positions count from 1")?;
    Ok(WorldAt {
        world: world(name)?,
        at: Some(Position::new(at)),
    })
}

fn agent(name: &str) -> Result<AgentName, String> {
    AgentName::new(name).map_err(|error| error.to_string())
}

fn person(name: &str) -> Result<PersonName, String> {
    PersonName::new(name).map_err(|error| error.to_string())
}
