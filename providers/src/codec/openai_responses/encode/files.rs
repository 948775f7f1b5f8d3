//! Files as parts of a message.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::codec::conversation::SentFile;

/// Documents that are no text, by their media types behind `application/`.
const DOCUMENTS: &[&str] = &[
    "json",
    "msword",
    "pdf",
    "rtf",
    "vnd.ms-excel",
    "vnd.ms-powerpoint",
    "vnd.oasis.opendocument.text",
    "vnd.openxmlformats-officedocument.presentationml.presentation",
    "vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xml",
];

/// Tells whether the wire carries files of this media type: those that OpenAI's guides to images
/// and file inputs list.
pub(in super::super) fn takes_file(media_type: &str) -> bool {
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match essence.split_once('/') {
        Some(("image", kind)) => matches!(kind, "png" | "jpeg" | "webp" | "gif"),
        Some(("text", _)) => true,
        Some(("application", kind)) => DOCUMENTS.contains(&kind),
        Some(_) | None => false,
    }
}

/// A file as a part of a message.
pub(super) fn part(file: &SentFile<'_>) -> Value {
    let url = format!(
        "data:{};base64,{}",
        file.media_type,
        STANDARD.encode(file.bytes)
    );
    if file.media_type.to_ascii_lowercase().starts_with("image/") {
        json!({ "type": "input_image", "image_url": url, "detail": "auto" })
    } else {
        json!({ "type": "input_file", "filename": file.name, "file_data": url })
    }
}
