//! The actions that can be read: those that a person may give over a seat.

use std::collections::BTreeMap;

use folkmoot_core::command::{
    Action, CommandKind, ConsentAction, Judgement, Reply, Settlement, TalkAction, WorldAction,
};
use folkmoot_core::event::{Attachment, Holder, Rights, Span};
use folkmoot_core::ids::{
    AgentName, Digest, EpisodeId, GrantId, MessageId, Position, RequestId, StateName, StepKey,
};
use folkmoot_core::spec::Definition;
use serde::{Deserialize, Serialize};

use super::WireError;

/// An action that a person may give over a seat. It is written as every action is, and read as [`Readable`].
#[derive(Serialize, Deserialize)]
#[serde(from = "Readable")]
pub(super) struct Given(Action);

impl Given {
    /// Takes an action, if it is one that can be read again.
    pub(super) fn checked(action: Action) -> Result<Self, WireError> {
        if is_given_over_seats(action.kind()) {
            Ok(Self(action))
        } else {
            Err(WireError::NotAsked(action.kind()))
        }
    }
}

impl From<Given> for Action {
    fn from(given: Given) -> Self {
        given.0
    }
}

impl From<Readable> for Given {
    fn from(readable: Readable) -> Self {
        Self(readable.into())
    }
}

/// Lists the actions that can be read, with their fields as `actions!` of core has them: one with other fields does not
/// compile. What is not listed cannot be read, nor sent.
macro_rules! readable {
    ($($type:ident { $($name:ident $({ $($field:ident: $field_type:ty,)* })?;)* })*) => {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[expect(
            clippy::large_enum_variant,
            reason = "definitions are large and rare, and one action lives at a time"
        )]
        enum Readable {
            $($($name $({ $($field: $field_type,)* })?,)*)*
        }

        impl From<Readable> for Action {
            fn from(readable: Readable) -> Self {
                match readable {
                    $($(Readable::$name $({ $($field),* })? => {
                        $type::$name $({ $($field),* })?.into()
                    })*)*
                }
            }
        }

        /// Tells whether a person may give an action of this kind over a seat.
        const fn is_given_over_seats(kind: CommandKind) -> bool {
            matches!(kind, $($(CommandKind::$name)|*)|*)
        }
    };
}

readable! {
    WorldAction {
        Revise { definition: Definition, };
        Label { owner: Option<String>, labels: BTreeMap<String, String>, };
        SetRights { holder: Holder, method: String, subject: String, rights: Option<Rights>, };
        Erase { events: Vec<Span>, basis: String, };
        ViewWithheld { at: Position, };
        RecordStep { step: StepKey, digest: Digest, };
    }
    TalkAction {
        PostMessage { text: String, attachments: Vec<Attachment>, reply_to: Option<MessageId>, };
        Edit { message: MessageId, text: String, };
        Retract { message: MessageId, };
        Regenerate { message: MessageId, };
        Join;
        Leave;
        Observe { name: StateName, state: String, };
        Stop { episode: Option<EpisodeId>, };
    }
    ConsentAction {
        Decide { agent: Option<AgentName>, request: RequestId, judgement: Judgement, };
        Revoke { grant: GrantId, };
        Answer { request: RequestId, reply: Reply, };
        Settle { request: RequestId, settlement: Settlement, };
    }
}
