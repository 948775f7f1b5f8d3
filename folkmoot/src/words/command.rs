//! Commands in words.

use folkmoot_core::command::CommandKind;
use folkmoot_core::event::Refused;

/// Returns the deed that a command of this kind asks for, as it follows “tries to”.
#[must_use]
pub const fn tried(command: CommandKind) -> &'static str {
    match command {
        CommandKind::Create => "begin a world",
        CommandKind::Open => "open the world",
        CommandKind::Fork => "branch a world off",
        CommandKind::Revise => "change the room's definition",
        CommandKind::Label => "change the owner or the labels",
        CommandKind::SetRights => "change somebody's rights",
        CommandKind::Erase => "erase content",
        CommandKind::ViewWithheld => "look at withheld text",
        CommandKind::RecordStep => "record a step of a script",
        CommandKind::PostMessage => "post a message",
        CommandKind::Edit => "edit a message",
        CommandKind::Retract => "take a message back",
        CommandKind::Regenerate => "have a reply made anew",
        CommandKind::Join => "join the room",
        CommandKind::Leave => "leave the room",
        CommandKind::Observe => "report a client's state",
        CommandKind::Stop => "stop what is going on",
        CommandKind::Decide => "decide an approval",
        CommandKind::Revoke => "end a grant",
        CommandKind::Answer => "answer a question",
        CommandKind::Settle => "settle an unknown outcome",
        CommandKind::OpenTurn => "begin a turn",
        CommandKind::ContinueTurn => "continue a turn",
        CommandKind::FailAgent => "report that an agent failed",
        CommandKind::RetryModel => "ask a model again",
        CommandKind::StartStream => "show a reply while it comes",
        CommandKind::RecordAnswer => "record a model's answer",
        CommandKind::RecordFailure => "record that a model failed",
        CommandKind::StartTool => "start a tool",
        CommandKind::FinishTool => "record a tool's result",
        CommandKind::TimeOutTool => "record that a tool took too long",
        CommandKind::RecordReconcile => "record what a tool says of a lost run",
        CommandKind::DeclareUnknown => "declare an outcome unknown",
        CommandKind::RecordErased => "record that content was erased",
        CommandKind::Sign => "record a signature",
        CommandKind::Tick => "record what became due",
    }
}

/// Returns the request that a refused command named, to stand behind [`tried`]: ` (#17)`; nothing if it named none of this
/// world.
#[must_use]
pub fn about(refused: &Refused) -> String {
    refused
        .request
        .map(|at| format!(" (#{at})"))
        .unwrap_or_default()
}
