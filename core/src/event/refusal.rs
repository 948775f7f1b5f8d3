//! Refusals: `decide`'s answer no. Values, not errors.

use serde::{Deserialize, Serialize};

use crate::ids::Position;
use crate::ids::principal::Party;

/// The reason that a command was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The matter of the command has moved on. The shell's own commands are refused like this;
    /// nothing is recorded.
    Stale,
    /// The command asserts a right and was refused; recorded.
    Right {
        /// The recorded reason.
        reason: RefusalReason,
        /// The earlier decision, if there was one.
        decided: Option<Decided>,
    },
    /// The message is empty, or longer than allowed.
    BadMessage {
        /// The fault.
        why: String,
    },
    /// The message answers one that is not in this room's memory.
    NoSuchMessage {
        /// The message that was named.
        message: Position,
    },
    /// The owner or the labels cannot be kept.
    BadLabels {
        /// The fault.
        why: String,
    },
    /// The rights cannot be kept.
    BadRights {
        /// The fault.
        why: String,
    },
    /// The content cannot be erased.
    BadErasure {
        /// The fault.
        why: String,
    },
    /// The world cannot be branched off there.
    BadFork {
        /// The fault.
        why: String,
    },
    /// The command asks for more than can be recorded.
    TooLarge {
        /// The part that is too large, and its limit.
        why: String,
    },
    /// The definition cannot be used.
    BadDefinition {
        /// The fault.
        why: String,
    },
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.code();
        match self {
            Self::BadMessage { why }
            | Self::BadLabels { why }
            | Self::BadRights { why }
            | Self::BadErasure { why }
            | Self::BadFork { why }
            | Self::TooLarge { why }
            | Self::BadDefinition { why } => write!(f, "{code}: {why}"),
            Self::NoSuchMessage { message } => write!(f, "{code}: {message}"),
            Self::Stale | Self::Right { .. } => f.write_str(&code),
        }
    }
}

impl Refusal {
    /// The word for it in scripts.
    #[must_use]
    pub fn code(&self) -> String {
        match self {
            Self::Stale => "stale".to_owned(),
            Self::Right { reason, .. } => reason.code(),
            Self::BadMessage { .. } => "bad_message".to_owned(),
            Self::NoSuchMessage { .. } => "no_such_message".to_owned(),
            Self::BadLabels { .. } => "bad_labels".to_owned(),
            Self::BadRights { .. } => "bad_rights".to_owned(),
            Self::BadErasure { .. } => "bad_erasure".to_owned(),
            Self::BadFork { .. } => "bad_fork".to_owned(),
            Self::TooLarge { .. } => "too_large".to_owned(),
            Self::BadDefinition { .. } => "bad_definition".to_owned(),
        }
    }
}

impl Refusal {
    /// Returns what a client is told. Whoever tries out requests, calls and keys learns nothing
    /// from the answer but, of a request that was decided, by whom and how. The log has the reason.
    #[must_use]
    pub fn outward(self) -> Self {
        match self {
            // One answer for all of them: different ones would tell whoever tries out numbers which
            // requests exist (decision 0014).
            Self::Right { reason, decided } if reason.tells_of_requests() => {
                let decided = decided.filter(|_| reason == RefusalReason::AlreadyDecided);
                Self::Right {
                    reason: RefusalReason::NotOpen,
                    decided,
                }
            }
            other @ (Self::Right { .. }
            | Self::Stale
            | Self::BadMessage { .. }
            | Self::NoSuchMessage { .. }
            | Self::BadLabels { .. }
            | Self::BadRights { .. }
            | Self::BadErasure { .. }
            | Self::BadFork { .. }
            | Self::TooLarge { .. }
            | Self::BadDefinition { .. }) => other,
        }
    }
}

/// The earlier decision about a request: by whom, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// The person or the service; `None` if time or the runtime decided.
    pub by: Option<Party>,
    /// The decision in one word: `allow`, `deny`, `answered`, `settled`, `expired`, `closed`.
    pub how: String,
}

impl Decided {
    /// The end of a request that time or the runtime brought, by one word.
    pub(crate) fn by_nobody(how: &str) -> Self {
        Self {
            by: None,
            how: how.to_owned(),
        }
    }

    /// A decision of `by`, by one word.
    pub(crate) fn by_party(by: Party, how: &str) -> Self {
        Self {
            by: Some(by),
            how: how.to_owned(),
        }
    }
}

/// The recorded reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalReason {
    /// Only a person or a service may do this.
    NotAPerson,
    /// Only the runtime may do this: a tool result from outside.
    NotTheRuntime,
    /// The world has no such request.
    UnknownRequest,
    /// The request is another agent's.
    OtherAgent,
    /// The request is not of this kind.
    OtherKind,
    /// The request was decided before.
    AlreadyDecided,
    /// The request expired.
    Expired,
    /// The request's call was closed: stopped or superseded.
    Closed,
    /// The person saw something else than is asked.
    ShownDiffers,
    /// The request was named by the number that it has in another world.
    OtherWorld,
    /// The request is one of the world that this one was branched off.
    OfParent,
    /// The arguments that wait are not the ones that were recorded with the request.
    ArgumentsDiffer,
    /// The tool is not what it was when it was asked for: its schema, effect or settings changed,
    /// or it is gone.
    ToolChanged,
    /// The room wants another person to decide than the one whose message began it.
    SamePerson,
    /// The room wants two people for this, and a service is none.
    ServiceForTwo,
    /// The words are longer than they may be.
    TooLong,
    /// The person may not do that here.
    NoRight,
    /// A script plays this person, and a user of this machine has acted here: that user decides, in
    /// their own name.
    Played,
    /// The arguments, the edited ones or those that wait, do not fit the tool.
    BadArguments,
    /// The room's rules forbid a call with the edited arguments.
    Forbidden,
    /// The call itself does not fit the constraints, or they cannot be read.
    BadConstraint,
    /// A constraint compares the letters of an argument that is a path.
    PathByLetters,
    /// A constraint names a path that is not plain.
    PathNotPlain,
    /// A constraint is `beneath` a folder, and its place is no path.
    NoPath,
    /// A constraint is `beneath` a folder, and the tool follows links.
    FollowsLinks,
    /// A constraint is a beginning of a list, behind which the tool offers no free arguments.
    NoFreeArguments,
    /// The tool does not offer grants for any arguments.
    AnyNotOffered,
    /// A scope, edited arguments or constraints stand beside a no, or a number of uses is 0.
    BadScope,
    /// The question has no such option, or wants another number of them.
    NoSuchOption,
    /// The answer does not fit what the question wants.
    BadAnswer,
    /// The world has no such grant, or it is over.
    UnknownGrant,
    /// The world has no such call.
    UnknownCall,
    /// The command's key was used before, for another command.
    KeyReused,
    /// The room takes no such state, or it is too large or does not fit its schema.
    BadState,
    /// What clients are told of all refusals that say something of requests; see
    /// [`Refusal::outward`].
    NotOpen,
    /// The message is not this person's, nor an agent's that they may take back; or somebody else
    /// has their name.
    NotYours,
    /// The message is not an agent's reply, or the news that it answers are no longer known.
    NoReply,
    /// No turn goes on that could be stopped.
    NothingToStop,
    /// The world has no such `ArtifactWithheld` event.
    NothingWithheld,
}

impl RefusalReason {
    /// Tells whether it says which requests, calls and keys there are.
    const fn tells_of_requests(self) -> bool {
        match self {
            Self::NotTheRuntime
            | Self::UnknownRequest
            | Self::OtherAgent
            | Self::OtherWorld
            | Self::OfParent
            | Self::OtherKind
            | Self::AlreadyDecided
            | Self::Expired
            | Self::Closed
            | Self::UnknownGrant
            | Self::UnknownCall
            | Self::KeyReused
            | Self::NotOpen => true,
            Self::NotAPerson
            | Self::ShownDiffers
            | Self::ArgumentsDiffer
            | Self::ToolChanged
            | Self::SamePerson
            | Self::ServiceForTwo
            | Self::TooLong
            | Self::NoRight
            | Self::Played
            | Self::BadArguments
            | Self::Forbidden
            | Self::BadConstraint
            | Self::PathByLetters
            | Self::PathNotPlain
            | Self::NoPath
            | Self::FollowsLinks
            | Self::NoFreeArguments
            | Self::AnyNotOffered
            | Self::BadScope
            | Self::NoSuchOption
            | Self::BadAnswer
            | Self::BadState
            | Self::NotYours
            | Self::NoReply
            | Self::NothingToStop
            | Self::NothingWithheld => false,
        }
    }

    /// The word for it in logs and scripts.
    #[must_use]
    pub fn code(self) -> String {
        // The names of unit variants always serialise to a string.
        serde_json::to_value(self)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}
