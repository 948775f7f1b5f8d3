//! Arguments of the program and of its commands.

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
mod talk;
mod value;

pub(crate) use common::{Colors, CommonArgs};
pub(crate) use decision::{
    AnswerArgs, ApproveArgs, DecisionArgs, DenyArgs, GrantsArgs, RevokeArgs, SettleArgs,
};
pub(crate) use erase::EraseArgs;
pub(crate) use evidence::{CheckBundleArgs, ExportArgs, ExportForm};
pub(crate) use life::{BackupArgs, DeleteArgs, ForkArgs, RebuildArgs};
pub(crate) use query::{
    ApprovalsArgs, DiffArgs, LogArgs, ReplayArgs, RightsArgs, UsageArgs, VerifyArgs, WhyArgs,
    WorldAt, WorldsArgs,
};
pub(crate) use room_of::Spec;
pub(crate) use run::{
    ChatArgs, CheckArgs, InitArgs, RecordingArgs, ResumeArgs, RunArgs, SchemaArgs, TestArgs,
};
pub(crate) use signing::{AnchorArgs, KeyArgs};
pub(crate) use talk::{EditArgs, MessageArgs, RosterArgs, SayArgs, TakingPartArgs, TalkCommand};

/// Rooms of agents and people over one replayable log.
#[derive(Debug, Parser)]
#[command(
    name = "folkmoot",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Write the script of a room that talks.
    Init(InitArgs),
    /// Run a world script, or go on with it.
    Run(RunArgs),
    /// Talk in a room: the script's, or one that is recorded.
    Chat(ChatArgs),
    #[command(flatten)]
    Talk(TalkCommand),
    /// Check a script, and point at each fault.
    Check(CheckArgs),
    /// Play each script in a store of its own that is thrown away. Exit code 1 if one does not hold.
    Test(TestArgs),
    /// Print the JSON Schema of world scripts.
    Schema(SchemaArgs),
    /// List the worlds in the store.
    Worlds(WorldsArgs),
    /// Show the events of a world.
    Log(LogArgs),
    /// Show the state of a world at a position, an agent's memory, the request of a model call, or
    /// the transcript.
    Replay(ReplayArgs),
    /// Show why an event is there: its causes, back to a person, and what was decided about it.
    Why(WhyArgs),
    /// Show what waits for people.
    Approvals(ApprovalsArgs),
    /// Show the calls that people allowed in advance.
    Grants(GrantsArgs),
    /// Show who may do what.
    Rights(RightsArgs),
    /// Show what the models of a world were asked, and what that cost.
    Usage(UsageArgs),
    /// Allow a call; with --scope, calls like it to come as well.
    Approve(ApproveArgs),
    /// Deny a call.
    Deny(DenyArgs),
    /// Answer a tool's question.
    Answer(AnswerArgs),
    /// End a grant before its time.
    Revoke(RevokeArgs),
    /// Say what became of a call whose outcome is unknown.
    Settle(SettleArgs),
    /// Open a world and go on with it, until it is idle or waits for a person.
    Resume(ResumeArgs),
    #[command(flatten)]
    Logs(LogCommand),
    /// Show the store's health, which credentials are set, and versions.
    Doctor,
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
}

/// The commands about logs as a whole: proofs, copies, branches, and their end.
#[derive(Debug, Subcommand)]
pub(crate) enum LogCommand {
    /// Check a world: that nothing was changed, and that every recorded command is decided again as
    /// it was.
    Verify(VerifyArgs),
    /// Print the signed heads of logs, to be kept elsewhere.
    Anchor(AnchorArgs),
    /// Make a key that signs logs, or show its public part.
    #[command(subcommand)]
    Key(KeyArgs),
    /// Take a world elsewhere: as a transcript, as lines of JSON, as a report, or as evidence.
    Export(ExportArgs),
    /// Check a bundle that was exported, offline.
    CheckBundle(CheckBundleArgs),
    /// Branch a world off another one: go on from there, and see what else could have happened.
    Fork(ForkArgs),
    /// Compare two worlds, or one at two positions: where they part, and what happened in each from
    /// there on.
    Diff(DiffArgs),
    /// Erase what people, agents and tools wrote in some events, for good. That it was there, and
    /// who had it erased, stays.
    Erase(EraseArgs),
    /// Delete worlds for good: by name, or those that nobody used for long. It takes the right to
    /// operate each of them.
    Delete(DeleteArgs),
    /// Copy the store into a directory that is a store itself, also while it is in use.
    Backup(BackupArgs),
    /// Make a new store of what is whole of a damaged one, and say of each world what is. Nothing
    /// is changed in the old one.
    Rebuild(RebuildArgs),
}

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}
