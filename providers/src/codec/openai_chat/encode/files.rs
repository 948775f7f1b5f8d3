//! Files, in their own part each.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::FileParts;
use crate::codec::conversation::SentFile;

/// The kind of a file on this wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Image,
    Pdf,
    Audio(&'static str),
}

impl FileKind {
    /// The kinds that OpenAI's documentation names; everything else is none.
    fn of(media_type: &str) -> Option<Self> {
        match media_type {
            "image/png" | "image/jpeg" | "image/gif" | "image/webp" => Some(Self::Image),
            "application/pdf" => Some(Self::Pdf),
            "audio/mpeg" | "audio/mp3" => Some(Self::Audio("mp3")),
            "audio/wav" | "audio/x-wav" => Some(Self::Audio("wav")),
            _ => None,
        }
    }
}

/// Tells whether a server of this dialect takes files of this type.
pub(in super::super) fn takes_file(form: FileParts, media_type: &str) -> bool {
    match (form, FileKind::of(media_type)) {
        (FileParts::LeftOut, _) | (_, None) => false,
        (FileParts::Images, Some(kind)) => kind == FileKind::Image,
        (FileParts::File | FileParts::DocumentUrl, Some(_)) => true,
    }
}

/// The part that holds a file, which is one that the server takes.
pub(super) fn part(form: FileParts, file: &SentFile<'_>) -> Value {
    let data = STANDARD.encode(file.bytes);
    let url = |data: &str| format!("data:{};base64,{data}", file.media_type);
    match (form, FileKind::of(file.media_type)) {
        (FileParts::DocumentUrl, Some(FileKind::Pdf)) => {
            json!({ "type": "document_url", "document_url": url(&data), "document_name": file.name })
        }
        (_, Some(FileKind::Pdf)) => {
            json!({ "type": "file", "file": { "filename": file.name, "file_data": url(&data) } })
        }
        (FileParts::DocumentUrl, Some(FileKind::Audio(_))) => {
            json!({ "type": "input_audio", "input_audio": data })
        }
        (_, Some(FileKind::Audio(format))) => {
            json!({ "type": "input_audio", "input_audio": { "data": data, "format": format } })
        }
        (_, Some(FileKind::Image) | None) => {
            json!({ "type": "image_url", "image_url": { "url": url(&data) } })
        }
    }
}
