//! Arguments of the program and of its commands.

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

mod common;
mod decision;
mod erase;
mod evidence;
pub(crate) mod help;
mod life;
mod mcp;
mod query;
mod room_of;
mod run;
mod serve;
mod signing;
mod store_place;
mod talk;
mod token;
mod value;

pub(crate) use common::{Colors, CommonArgs, quoted};
pub(crate) use decision::{
    AnswerArgs, ApproveArgs, DecisionArgs, DenyArgs, GrantsArgs, RevokeArgs, SettleArgs,
};
pub(crate) use erase::EraseArgs;
pub(crate) use evidence::{CheckBundleArgs, ExportArgs, ExportForm};
pub(crate) use life::{BackupArgs, CopyArgs, DeleteArgs, ForkArgs, RebuildArgs};
pub(crate) use mcp::McpArgs;
#[cfg(feature = "mcp")]
pub(crate) use mcp::{McpCommand, McpToolsArgs};
pub(crate) use query::{
    ApprovalsArgs, DiffArgs, LogArgs, ReplayArgs, RightsArgs, UsageArgs, VerifyArgs, WhyArgs,
    WorldsArgs,
};
pub(crate) use room_of::Spec;
pub(crate) use run::{
    ChatArgs, CheckArgs, InitArgs, RecordingArgs, ResumeArgs, RunArgs, SchemaArgs, TestArgs,
};
pub(crate) use serve::{NodeArgs, ServeArgs};
pub(crate) use signing::{AnchorArgs, KeyArgs};
pub(crate) use store_place::StorePlace;
pub(crate) use talk::{EditArgs, MessageArgs, RosterArgs, SayArgs, TakingPartArgs, TalkCommand};
pub(crate) use token::{NewTokenArgs, TokenArgs, TokenFileArgs};

/// Rooms of agents and people over one replayable log.
#[derive(Debug, Parser)]
#[command(
    name = "folkmoot",
    version,
    propagate_version = true,
    disable_help_flag = true,
    disable_version_flag = true,
    max_term_width = 100
)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// The commands. Each ends its help with one example; `help` has them in groups.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Write the script of a room that talks.
    #[command(after_help = "Example:\n  folkmoot init room --yes")]
    Init(InitArgs),
    /// Run a world script, or go on with it. Where a server holds the store, it runs there, and
    /// this shows what it does.
    #[command(after_help = "Example:\n  folkmoot run room.yaml --fresh")]
    Run(RunArgs),
    /// Talk in a room: that of a script, one that is recorded, or one of a server (--server).
    #[command(after_help = "Example:\n  folkmoot chat room.yaml --as ada")]
    Chat(ChatArgs),
    #[command(flatten)]
    Talk(TalkCommand),
    /// Check a script, and point at each fault.
    #[command(after_help = "Example:\n  folkmoot check room.yaml")]
    Check(CheckArgs),
    /// Play each script in a store of its own, which is thrown away. Exit code 1 if one does not
    /// hold.
    #[command(after_help = "Example:\n  folkmoot test room.yaml --junit trials.xml")]
    Test(TestArgs),
    /// Print the JSON Schema of world scripts, or their reference.
    #[command(after_help = "Example:\n  folkmoot schema --markdown")]
    Schema(SchemaArgs),
    /// List the worlds in the store.
    #[command(after_help = "Example:\n  folkmoot worlds")]
    Worlds(WorldsArgs),
    /// Show the events of a world, one a line.
    #[command(after_help = "Example:\n  folkmoot log room --kind ApprovalRequested")]
    Log(LogArgs),
    /// Show a world at a position: its state, the memory of an agent, the request of a model call, or
    /// the transcript.
    #[command(after_help = "Example:\n  folkmoot replay room --agent worker --at 12")]
    Replay(ReplayArgs),
    /// Show why an event is there: its causes, back to a person, and the reason for each decision.
    #[command(after_help = "Example:\n  folkmoot why room#10")]
    Why(WhyArgs),
    /// Show the requests that wait for people, in one world or in all.
    #[command(after_help = "Example:\n  folkmoot approvals room")]
    Approvals(ApprovalsArgs),
    /// Show the calls that people allowed in advance.
    #[command(after_help = "Example:\n  folkmoot grants room")]
    Grants(GrantsArgs),
    /// Show who may do what.
    #[command(after_help = "Example:\n  folkmoot rights room")]
    Rights(RightsArgs),
    /// Show how often models were asked, and how much that cost.
    #[command(after_help = "Example:\n  folkmoot usage room")]
    Usage(UsageArgs),
    /// Allow a call; with --scope, calls like it to come as well.
    #[command(after_help = "Example:\n  folkmoot approve room#10 --scope turn --as ada")]
    Approve(ApproveArgs),
    /// Deny a call.
    #[command(after_help = "Example:\n  folkmoot deny room#10 --reason \"not today\" --as ada")]
    Deny(DenyArgs),
    /// Answer the question of a tool.
    #[command(after_help = "Example:\n  folkmoot answer room#11 \"the second one\" --as ada")]
    Answer(AnswerArgs),
    /// End a grant before its time.
    #[command(after_help = "Example:\n  folkmoot revoke room#13 --as ada")]
    Revoke(RevokeArgs),
    /// Say whether a call took effect: one that a crash or a time limit cut off.
    #[command(after_help = "Example:\n  folkmoot settle room#15 --not-run --as ada")]
    Settle(SettleArgs),
    /// Go on with a world, until it is idle or waits for a person.
    #[command(after_help = "Example:\n  folkmoot resume room")]
    Resume(ResumeArgs),
    #[command(flatten)]
    Reach(ReachCommand),
    #[command(flatten)]
    Logs(LogCommand),
    /// Examine the store, the key, and the variables of the providers.
    #[command(after_help = "Example:\n  folkmoot doctor")]
    Doctor,
    /// List the nodes that share a database, and the worlds of each.
    #[command(
        after_help = "Example:\n  folkmoot nodes --store postgres://folkmoot@db.example.org/rooms"
    )]
    Nodes,
    /// Print a completion script for a shell.
    #[command(after_help = "Example:\n  folkmoot completions bash")]
    Completions(CompletionsArgs),
}

/// The commands that make rooms reachable.
#[derive(Debug, Subcommand)]
pub(crate) enum ReachCommand {
    /// Make the rooms of the store reachable for browsers and programs.
    #[command(after_help = "Example:\n  folkmoot serve --templates rooms")]
    Serve(Box<ServeArgs>),
    /// Serve the rooms to a host of the Model Context Protocol.
    ///
    /// A host is a program with a model inside. It speaks over standard input and output, and decides
    /// nothing.
    #[command(after_help = "Example:\n  folkmoot mcp")]
    Mcp(McpArgs),
    /// Print a link with which you sign in to the server of the store.
    #[command(after_help = "Example:\n  folkmoot login")]
    Login,
    /// Make, list and revoke tokens: people and programs send them to a server.
    #[command(
        subcommand,
        after_help = "Example:\n  folkmoot token new --as ada --tokens tokens"
    )]
    Token(TokenArgs),
}

/// The commands about logs as a whole: proofs, copies, branches, and their end.
#[derive(Debug, Subcommand)]
pub(crate) enum LogCommand {
    /// Check that a world is as it was recorded: nobody changed its log, and each command is decided
    /// again as it was.
    #[command(after_help = "Example:\n  folkmoot verify room")]
    Verify(VerifyArgs),
    /// Print the signed heads of logs, to be kept elsewhere.
    #[command(after_help = "Example:\n  folkmoot --key desk.key anchor room -o room.anchor")]
    Anchor(AnchorArgs),
    /// Make a key that signs logs, or show its public part.
    #[command(
        subcommand,
        after_help = "Example:\n  folkmoot key new desk.key --name example.com/desk"
    )]
    Key(KeyArgs),
    /// Take a world elsewhere: as a transcript, as lines of JSON, as a report, or as evidence.
    #[command(after_help = "Example:\n  folkmoot export room --format html -o room.html")]
    Export(ExportArgs),
    /// Check a bundle that was exported, offline.
    #[command(after_help = "Example:\n  folkmoot check-bundle room.bundle --trust desk.pub")]
    CheckBundle(CheckBundleArgs),
    /// Branch a world off another one: it goes on from there, and you see how else it could go.
    #[command(after_help = "Example:\n  folkmoot fork room --at 12 --as other")]
    Fork(ForkArgs),
    /// Compare two worlds, or one at two positions: where they part, and the events of each from
    /// there on.
    #[command(after_help = "Example:\n  folkmoot diff room@12 room")]
    Diff(DiffArgs),
    /// Erase the words in some events for good: those of people, agents and tools. The log still
    /// shows that they were there, and who had them erased.
    #[command(
        after_help = "Example:\n  folkmoot erase room --person ada --basis \"she asks for it\" --dry-run"
    )]
    Erase(EraseArgs),
    /// Delete worlds for good: by name, or those that nobody used for long. It takes the right to
    /// operate each of them.
    #[command(after_help = "Example:\n  folkmoot delete --idle-for 90d --dry-run")]
    Delete(DeleteArgs),
    /// Copy the store into a directory, also while it is in use. The copy is a store itself.
    #[command(after_help = "Example:\n  folkmoot backup copy")]
    Backup(BackupArgs),
    /// Copy a store into a folder or a database: proofs that were made before still hold.
    #[command(after_help = "Example:\n  folkmoot copy .folkmoot copy")]
    Copy(CopyArgs),
    /// Make a new store of the whole parts of a damaged one: it says of each world which they are.
    /// Nothing is changed in the old one.
    #[command(after_help = "Example:\n  folkmoot rebuild --to mended")]
    Rebuild(RebuildArgs),
}

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}
