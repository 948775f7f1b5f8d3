//! Why the world refused a step, in words.

use folkmoot_core::event::refusal::{Refusal, RefusalReason};

/// Says what was wrong with a command that was refused for this reason.
#[must_use]
pub const fn refused_because(reason: RefusalReason) -> &'static str {
    match reason {
        RefusalReason::NotAPerson => {
            "only a person may do this, and under a name that is no agent's"
        }
        RefusalReason::NotTheRuntime => "only the runtime may do this",
        RefusalReason::UnknownRequest => {
            "this world has no such request; `folkmoot approvals WORLD` lists what waits"
        }
        RefusalReason::OtherAgent => "the request is another agent's",
        RefusalReason::OtherKind => {
            "the request is not of this kind: `approve` and `deny` are for calls, `answer` is for questions, `settle` for unknown outcomes"
        }
        RefusalReason::AlreadyDecided => "this was decided before",
        RefusalReason::Expired => "the request has expired",
        RefusalReason::Closed => "the request is closed: its call was stopped, or its turn is over",
        RefusalReason::ShownDiffers => "what was seen is not what is asked; look at it again",
        RefusalReason::OfParent => "it is one of the world that this one was branched off",
        RefusalReason::OtherWorld => "the request was seen in another world",
        RefusalReason::ArgumentsDiffer => "the arguments that wait are not the recorded ones",
        RefusalReason::ToolChanged => {
            "the tool is not what it was when it was asked for; deny it and let it be asked anew"
        }
        RefusalReason::SamePerson => {
            "another person must allow this than the one whose message began it, proven to be another: on this machine a \
             user with another number"
        }
        RefusalReason::TooLong => "what was written is longer than it may be",
        RefusalReason::NoRight => "this person may not do that here",
        RefusalReason::Played => {
            "a user of this machine has acted in this room, and from then on decides in their own name: nobody whom a script \
             plays does"
        }
        RefusalReason::BadArguments => {
            "the arguments, or the edited ones, do not fit the tool: its schema, each key once, and plain paths"
        }
        RefusalReason::Forbidden => "the room's rules forbid a call with these arguments",
        RefusalReason::BadConstraint => {
            "the call itself does not fit the constraints, there are too many of them, or one says nothing, like an empty prefix"
        }
        RefusalReason::PathByLetters => {
            "that argument is a path, and paths are not compared by letters: write {\"path\": \"/path\", \"beneath\": \"DIR\"} in \
             place of a prefix or a range, or `equals`"
        }
        RefusalReason::PathNotPlain => {
            "a constraint names a path that is not plain: write it relative to the tool's folder, as in notes/a.md, without \
             `.`, `..`, `//`, or a `/` in front or at the end"
        }
        RefusalReason::NoPath => {
            "`beneath` is for the arguments that the tool calls paths, and that one is none"
        }
        RefusalReason::FollowsLinks => {
            "the tool follows links, so that nobody can say what lies beneath a folder: allow single paths by `equals`"
        }
        RefusalReason::NoFreeArguments => {
            "the tool offers no free arguments behind that beginning of the list: allow whole lists by `equals` or `one_of`"
        }
        RefusalReason::AnyNotOffered => "this tool does not offer grants for any arguments",
        RefusalReason::BadScope => {
            "a no reaches no further than its request and edits nothing, a wider grant needs a scope, and uses begin at 1"
        }
        RefusalReason::NoSuchOption => {
            "the question has no such option, or wants another number of them"
        }
        RefusalReason::BadAnswer => "the answer is not what the question asks for",
        RefusalReason::UnknownGrant => "this world has no such grant, or it is over",
        RefusalReason::UnknownCall => "this world has no such call",
        RefusalReason::KeyReused => "the key was used for another command",
        RefusalReason::BadState => {
            "the room takes no such state, or it is too large or does not fit its schema"
        }
        RefusalReason::NotOpen => "no such request is open here",
        RefusalReason::NotYours => "the message, or the name, is somebody else's",
        RefusalReason::NoReply => "this is no reply of an agent that could be made anew",
        RefusalReason::NothingToStop => "nothing goes on that could be stopped",
    }
}

/// The word for a refusal, as `refused` takes it, and what is wrong.
pub(crate) fn told(refusal: &Refusal) -> String {
    let why = match refusal {
        Refusal::BadMessage { why }
        | Refusal::BadLabels { why }
        | Refusal::BadRights { why }
        | Refusal::BadErasure { why }
        | Refusal::BadFork { why }
        | Refusal::TooLarge { why }
        | Refusal::BadDefinition { why } => why.clone(),
        Refusal::Right { reason, .. } => refused_because(*reason).to_owned(),
        Refusal::NoSuchMessage { message } => {
            format!(
                "no message {message} stands in this room: it was never said, or was taken back, or is forgotten"
            )
        }
        Refusal::Stale => "the world has moved on".to_owned(),
    };
    format!("{}: {why}", refusal.code())
}
