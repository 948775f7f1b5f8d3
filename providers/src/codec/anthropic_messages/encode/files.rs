//! Files, as blocks of a message.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::codec::conversation::SentFile;

/// The forms in which the wire carries a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileForm {
    Image,
    Pdf,
    /// Goes as plain text, whatever kind of text it is.
    Text,
}

impl FileForm {
    fn of(media_type: &str) -> Option<Self> {
        match essence(media_type) {
            "image/jpeg" | "image/png" | "image/gif" | "image/webp" => Some(Self::Image),
            "application/pdf" => Some(Self::Pdf),
            text if text.starts_with("text/") => Some(Self::Text),
            _ => None,
        }
    }
}

/// Tells whether the wire carries files of this media type.
pub(in super::super) fn takes_file(media_type: &str) -> bool {
    FileForm::of(media_type).is_some()
}

/// The block of a file; `None` if it is a text that is not UTF-8, or blank, which the wire refuses.
pub(super) fn block(file: &SentFile<'_>) -> Option<Value> {
    let bytes = || json!({ "type": "base64", "media_type": essence(file.media_type), "data": STANDARD.encode(file.bytes) });
    Some(match FileForm::of(file.media_type)? {
        FileForm::Image => json!({ "type": "image", "source": bytes() }),
        FileForm::Pdf => json!({ "type": "document", "source": bytes(), "title": file.name }),
        FileForm::Text => {
            let text = std::str::from_utf8(file.bytes)
                .ok()
                .filter(|text| !text.trim().is_empty())?;
            let source = json!({ "type": "text", "media_type": "text/plain", "data": text });
            json!({ "type": "document", "source": source, "title": file.name })
        }
    })
}

/// The media type without its parameters.
fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}
