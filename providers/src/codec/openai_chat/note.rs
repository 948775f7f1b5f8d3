//! The notes that this codec keeps in a [`Part::Opaque`], and the way to find them again.

use folkmoot_core::model::response::Part;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codec::json::Fields;

/// An opaque part of this wire. Others carry another tag and are not ours to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChatTag {
    #[serde(rename = "openai-chat")]
    note: ChatNote,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChatNote {
    /// Fields of the message that go back as they came, such as signed reasoning.
    Message(Fields),
    /// Fields of one call that go back as they came.
    Call {
        /// The number of the call in the reply, from 0.
        call: usize,
        /// The fields.
        fields: Fields,
    },
    /// The field in which reasoning text came: the first such note is about the reply's first
    /// reasoning, and so on.
    ReasoningField(String),
    /// Whatever else was there. Kept for audit, not sent back.
    Kept(Fields),
}

impl ChatNote {
    /// The part, or `None` if there is nothing in it.
    pub(super) fn into_part(self) -> Option<Part> {
        let is_empty = match &self {
            Self::Message(fields) | Self::Call { fields, .. } | Self::Kept(fields) => {
                fields.is_empty()
            }
            Self::ReasoningField(_) => false,
        };
        // Strings and JSON values only: this cannot fail to serialise.
        (!is_empty)
            .then(|| Part::Opaque(serde_json::to_value(ChatTag { note: self }).unwrap_or_default()))
    }

    /// Reads an opaque part; `None` if it is of another wire.
    pub(super) fn read(opaque: &Value) -> Option<Self> {
        ChatTag::deserialize(opaque).ok().map(|tagged| tagged.note)
    }
}
