//! Arguments of the commands by which people take part in a room.

use clap::{Args, Subcommand};
use folkmoot::core::ids::{Position, WorldName};
use folkmoot::view::world::WorldAt;

use super::decision::PersonArgs;
use super::value::{numbered, position, world};

/// The commands by which a person takes part in a room, also in one that another process holds.
#[derive(Debug, Subcommand)]
pub(crate) enum TalkCommand {
    /// Say something in a room.
    #[command(after_help = "Example:\n  folkmoot say room \"@worker please try again\" --as ada")]
    Say(SayArgs),
    /// Put other words in the place of a message of yours.
    #[command(after_help = "Example:\n  folkmoot edit room#4 \"Please push dev\" --as ada")]
    Edit(EditArgs),
    /// Take a message back, and all answers to it.
    #[command(after_help = "Example:\n  folkmoot retract room#4 --as ada")]
    Retract(MessageArgs),
    /// Have an agent make its reply anew.
    #[command(after_help = "Example:\n  folkmoot regenerate room#20")]
    Regenerate(MessageArgs),
    /// Stop all work that goes on in a room.
    #[command(after_help = "Example:\n  folkmoot stop room --as ada")]
    Stop(RosterArgs),
    /// Join a room, so that others can address you. Your first message does that too.
    #[command(after_help = "Example:\n  folkmoot join room --as ada")]
    Join(RosterArgs),
    /// Leave a room: from then on nobody is addressed by your name.
    #[command(after_help = "Example:\n  folkmoot leave room --as ada")]
    Leave(RosterArgs),
}

/// The arguments of every command of a person in a room.
#[derive(Debug, Args)]
pub(crate) struct TakingPartArgs {
    #[command(flatten)]
    pub(crate) person: PersonArgs,
    /// Go on with the room at once, if no other process does.
    #[arg(long)]
    pub(crate) resume: bool,
}

/// `say`.
#[derive(Debug, Args)]
pub(crate) struct SayArgs {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    /// The message. `@name` at its beginning addresses an agent or a person.
    pub(crate) text: String,
    /// The position of the message that it answers.
    #[arg(long, value_name = "N", value_parser = position)]
    pub(crate) reply_to: Option<Position>,
    #[command(flatten)]
    pub(crate) part: TakingPartArgs,
}

/// `edit`.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// The message.
    #[arg(value_name = "WORLD#N", value_parser = numbered)]
    pub(crate) message: WorldAt,
    /// The new words.
    pub(crate) text: String,
    #[command(flatten)]
    pub(crate) part: TakingPartArgs,
}

/// `retract` and `regenerate`.
#[derive(Debug, Args)]
pub(crate) struct MessageArgs {
    /// The message.
    #[arg(value_name = "WORLD#N", value_parser = numbered)]
    pub(crate) message: WorldAt,
    #[command(flatten)]
    pub(crate) part: TakingPartArgs,
}

/// `stop`, `join` and `leave`.
#[derive(Debug, Args)]
pub(crate) struct RosterArgs {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    #[command(flatten)]
    pub(crate) part: TakingPartArgs,
}
