//! Why the world refused a step, in words.

use folkmoot_core::event::refusal::{Refusal, RefusalReason};

/// Says what was wrong with a command that was refused for this reason.
#[must_use]
pub const fn refused_because(reason: RefusalReason) -> &'static str {
    match reason {
        RefusalReason::NotAPerson => {
            "only a person or a service may do this, and nobody may use an agent's name"
        }
        RefusalReason::NotTheRuntime => "only the runtime may do this",
        RefusalReason::UnknownRequest => {
            "this world has no such request; `folkmoot approvals WORLD` lists what waits"
        }
        RefusalReason::OtherAgent => "another agent made this request",
        RefusalReason::OtherKind => {
            "the request is of another kind: `approve` and `deny` decide calls, `answer` answers questions, `settle` settles unknown outcomes"
        }
        RefusalReason::AlreadyDecided => "this was decided before",
        RefusalReason::Expired => "the request has expired",
        RefusalReason::Closed => "the request is closed: its call was stopped, or its turn is over",
        RefusalReason::ShownDiffers => {
            "the digest is that of another request, or the request has changed: look at it again"
        }
        RefusalReason::OfParent => {
            "the request belongs to the world that this one was branched off"
        }
        RefusalReason::OtherWorld => "the request was seen in another world",
        RefusalReason::ArgumentsDiffer => {
            "the waiting call has other arguments than the recorded request"
        }
        RefusalReason::ToolChanged => {
            "the tool has changed since the agent asked: deny the request, and the agent can ask again"
        }
        RefusalReason::SamePerson => {
            "four-eyes rule: someone other than the person who started this must approve it"
        }
        RefusalReason::ServiceForTwo => {
            "four-eyes rule: a person must approve this, and a service is none"
        }
        RefusalReason::TooLong => "the text is longer than the room allows",
        RefusalReason::NoRight => "this person may not do that here",
        RefusalReason::Played => {
            "a user of this machine has acted in this room; since then only real people decide here, and no people that a script \
             plays"
        }
        RefusalReason::BadArguments => {
            "the arguments do not fit the tool: they must match its schema, have each key once, and use plain paths"
        }
        RefusalReason::Forbidden => "the room's rules forbid a call with these arguments",
        RefusalReason::BadConstraint => {
            "the call itself does not fit the constraints, or there are too many of them, or one of them is empty"
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
            "`beneath` works only on arguments that the tool declares as paths, and it does not declare this one"
        }
        RefusalReason::FollowsLinks => {
            "the tool follows links, so nobody can say which files lie beneath a folder: allow single paths with `equals`"
        }
        RefusalReason::NoFreeArguments => {
            "the tool does not offer free arguments after this beginning of a list: allow whole lists with `equals` or `one_of`"
        }
        RefusalReason::AnyNotOffered => "this tool does not offer grants for any arguments",
        RefusalReason::BadScope => {
            "a denial takes neither a scope nor other arguments, a wider grant needs a scope, and `uses` begins at 1"
        }
        RefusalReason::NoSuchOption => {
            "the question has no such option, or asks for another number of options"
        }
        RefusalReason::BadAnswer => "the answer is not what the question asks for",
        RefusalReason::UnknownGrant => "this world has no such grant, or it is over",
        RefusalReason::UnknownCall => "this world has no such call",
        RefusalReason::KeyReused => "another command used this key before",
        RefusalReason::BadState => {
            "the room defines no such state, or the state is too large or does not fit its schema"
        }
        RefusalReason::NotOpen => "no such request is open here",
        RefusalReason::NotYours => "the message or the name belongs to somebody else",
        RefusalReason::NoReply => {
            "only an agent's reply can be made anew, and this message is not one"
        }
        RefusalReason::NothingWithheld => "no event of that number withholds text from people",
        RefusalReason::NothingToStop => "nothing is going on, so there is nothing to stop",
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
                "this room has no message {message} now: nobody said it, or somebody took it back, or it is too old"
            )
        }
        Refusal::Stale => "the world has moved on".to_owned(),
    };
    format!("{}: {why}", refusal.code())
}
