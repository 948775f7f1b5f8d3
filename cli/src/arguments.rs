//! What can be typed.

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

mod common;
mod decision;
mod erase;
mod evidence;
mod life;
mod query;
mod room_of;
mod run;
mod signing;
mod value;

pub(crate) use common::{Colors, Common};
pub(crate) use decision::{Answer, Approve, Decided, Deny, Grants, Revoke, Settle};
pub(crate) use erase::Erase;
pub(crate) use evidence::{CheckBundle, Export, Form};
pub(crate) use life::{Backup, Delete, Fork, Rebuild};
pub(crate) use query::{
    Approvals, Diff, Log, Replay, RightsOf, UsageOfWorld, Verify, Why, WorldAt, Worlds,
};
pub(crate) use room_of::Spec;
pub(crate) use run::{Chat, Check, Recording, Resume, Run, Sim};
pub(crate) use signing::{Anchor, Key};

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

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    pub(crate) shell: Shell,
}
