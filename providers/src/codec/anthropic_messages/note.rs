//! The notes that this codec keeps in a [`Part::Opaque`], and the way to find them again.

use folkmoot_core::model::response::Part;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codec::json::Fields;

/// An opaque part of this wire. Others carry another tag and are not ours to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnthropicTag {
    #[serde(rename = "anthropic-messages")]
    note: AnthropicNote,
}

/// A note. It stands right behind the part that it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnthropicNote {
    /// Here was a thinking block: its signature and other fields. Its text is the reasoning before
    /// the note, if any.
    Thinking(Fields),
    /// Further fields of the text before the note, such as citations.
    Text(Fields),
    /// Further fields of the call before the note.
    Call(Fields),
    /// A whole block that goes back as it came, such as redacted thinking, or a tool that the
    /// provider ran.
    Block(Fields),
    /// Whatever else was there. Kept for audit, not sent back.
    Kept(Fields),
}

impl AnthropicNote {
    /// The part, or `None` if there is nothing in it.
    pub(super) fn into_part(self) -> Option<Part> {
        let is_empty = match &self {
            // That there was a block is told by the note itself.
            Self::Thinking(_) | Self::Block(_) => false,
            Self::Text(fields) | Self::Call(fields) | Self::Kept(fields) => fields.is_empty(),
        };
        // Strings and JSON values only: this cannot fail to serialise.
        (!is_empty).then(|| {
            Part::Opaque(serde_json::to_value(AnthropicTag { note: self }).unwrap_or_default())
        })
    }

    /// Reads an opaque part; `None` if it is of another wire.
    pub(super) fn read(opaque: &Value) -> Option<Self> {
        AnthropicTag::deserialize(opaque)
            .ok()
            .map(|tagged| tagged.note)
    }
}
