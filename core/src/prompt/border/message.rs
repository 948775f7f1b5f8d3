//! The messages of others, and of the agent itself, as it reads them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Fence, ModelText, redacted};
use crate::content::canonical::canonical_text;
use crate::content::{Content, ERASED};
use crate::event::Attachment;
use crate::ids::StateName;
use crate::prompt::{Attached, Item};
use crate::text::redaction::{RedactionKind, redact_value};

/// Returns what somebody said, as all others read it.
pub(crate) fn heard(
    from: &str,
    text: &Content<String>,
    attachments: &[Attachment],
    redact: &BTreeSet<RedactionKind>,
) -> Item {
    let file = |file: &Attachment| Attached {
        blob: file.blob,
        media_type: ModelText(file.media_type.clone()),
        name: ModelText(redacted(redact, &file.name)),
        bytes: file.bytes,
    };
    Item::Heard {
        from: ModelText(from.to_owned()),
        text: ModelText(
            text.present()
                .map_or_else(|| ERASED.to_owned(), |text| redacted(redact, text)),
        ),
        attachments: attachments.iter().map(file).collect(),
    }
}

/// Returns what a client told of what its user sees, as all agents read it: of a state that was
/// erased, only that.
pub(crate) fn observed(
    name: &StateName,
    state: Option<&Value>,
    redact: &BTreeSet<RedactionKind>,
) -> Item {
    let mut state = state.cloned().unwrap_or_else(|| Value::from(ERASED));
    redact_value(redact, &mut state);
    let told = canonical_text(&json!({ "state": name, "value": state }));
    Item::State {
        text: Fence::ClientState.around(&told),
    }
}

/// Returns what an agent wrote down for itself in the place of older items: its own words.
pub(crate) fn own_summary(text: String) -> Item {
    Item::Summary {
        text: ModelText(text),
    }
}
