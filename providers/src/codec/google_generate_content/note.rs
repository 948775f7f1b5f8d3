//! The notes that this codec keeps in a [`Part::Opaque`], and the way to find them again.

use folkmoot_core::model::response::Part;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codec::json::Fields;

/// An opaque part of this wire. Others carry another tag and are not ours to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GoogleTag {
    #[serde(rename = "google-generate-content")]
    note: GoogleNote,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum GoogleNote {
    /// The other fields of the part right before this one, such as its signature. They go back in
    /// the same part.
    With {
        /// The kind of that part.
        part: PartKind,
        /// The fields.
        fields: Fields,
    },
    /// A whole part that goes back as it came.
    Part(Fields),
    /// The reply's reasoning came over this wire, and goes back.
    Thoughts,
    /// Whatever else was there. Kept for audit, not sent back.
    Kept(Fields),
}

/// Kinds of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PartKind {
    /// Prose.
    Text,
    /// Reasoning.
    Thought,
    /// A tool call.
    Call,
}

impl GoogleNote {
    /// The part, or `None` if there is nothing in it.
    pub(super) fn into_part(self) -> Option<Part> {
        let is_empty = match &self {
            Self::With { fields, .. } | Self::Part(fields) | Self::Kept(fields) => {
                fields.is_empty()
            }
            Self::Thoughts => false,
        };
        // Strings and JSON values only: this cannot fail to serialise.
        (!is_empty).then(|| {
            Part::Opaque(serde_json::to_value(GoogleTag { note: self }).unwrap_or_default())
        })
    }

    /// Reads an opaque part; `None` if it is of another wire.
    pub(super) fn read(opaque: &Value) -> Option<Self> {
        GoogleTag::deserialize(opaque)
            .ok()
            .map(|tagged| tagged.note)
    }
}
