//! The notes that this codec keeps in a [`Part::Opaque`], and the way to find them again.

use folkmoot_core::model::response::Part;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codec::json::Fields;

/// An opaque part of this wire. Others carry another tag and are not ours to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResponsesTag {
    #[serde(rename = "openai-responses")]
    note: ResponsesNote,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResponsesNote {
    /// An item that goes back as it came, in this place: reasoning, or what a tool of the server's
    /// own did.
    Item(Fields),
    /// The parts of a message besides its texts, which stand right before this.
    Message(MessageNote),
    /// The other fields of the call right before this.
    Call(Fields),
    /// Whatever else was there. Kept for audit, not sent back.
    Kept(Fields),
}

/// A message without its texts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageNote {
    /// The message's fields: id, status and the like.
    pub(super) fields: Fields,
    /// The message's content: for each text the fields beside it, and pieces of other types whole.
    /// Empty if there are texts only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) content: Vec<Fields>,
}

impl ResponsesNote {
    /// The part, or `None` if there is nothing in it.
    pub(super) fn into_part(self) -> Option<Part> {
        let is_empty = match &self {
            Self::Item(fields) | Self::Call(fields) | Self::Kept(fields) => fields.is_empty(),
            Self::Message(note) => note.fields.is_empty() && note.content.is_empty(),
        };
        // Strings and JSON values only: this cannot fail to serialise.
        (!is_empty).then(|| {
            Part::Opaque(serde_json::to_value(ResponsesTag { note: self }).unwrap_or_default())
        })
    }

    /// Reads an opaque part; `None` if it is of another wire.
    pub(super) fn read(opaque: &Value) -> Option<Self> {
        ResponsesTag::deserialize(opaque)
            .ok()
            .map(|tagged| tagged.note)
    }
}
