//! Google generateContent, as the Gemini API speaks it.
//!
//! Every event of a stream is a document of the same form as a whole answer, so one reader takes
//! both. It borrows from the event, and keeps the source text of a call's arguments.

use folkmoot_core::model::response::{LLMResponse, ModelError};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde::{Deserialize, Serialize};

use super::events::EventDecoder;
use super::{AnswerMode, Codec, DecodeError, StreamDecoder, WireFailure, WireRequest};

mod answer;
mod document;
mod encode;
mod errors;
mod note;
mod shape;
mod stream;
#[cfg(test)]
mod tests;

/// The media types that the models read from the request itself.
const MEDIA_TYPES: &[&str] = &[
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
    "audio/wav",
    "audio/mp3",
    "audio/mpeg",
    "audio/aiff",
    "audio/aac",
    "audio/ogg",
    "audio/flac",
    "video/mp4",
    "video/mpeg",
    "video/mov",
    "video/quicktime",
    "video/avi",
    "video/x-flv",
    "video/mpg",
    "video/webm",
    "video/wmv",
    "video/3gpp",
    "application/pdf",
    "text/plain",
    "text/html",
    "text/css",
    "text/csv",
    "text/xml",
    "text/markdown",
];

/// The codec of `POST /{prefix}/models/{model}:generateContent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GoogleGenerateContent {
    /// The first part of the path: `v1beta`, or `v1` as newer clients have it.
    pub prefix: String,
}

impl Default for GoogleGenerateContent {
    fn default() -> Self {
        Self {
            prefix: "v1beta".to_owned(),
        }
    }
}

impl Codec for GoogleGenerateContent {
    fn encode(&self, request: &ModelRequest, files: &Files, mode: AnswerMode) -> WireRequest {
        encode::encode(self, request, files, mode)
    }

    fn takes_file(&self, media_type: &str) -> bool {
        MEDIA_TYPES.contains(&media_type)
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("x-goog-api-key", key.to_owned())
    }

    fn decode(&self, body: &[u8]) -> Result<LLMResponse, DecodeError> {
        answer::GoogleAnswer::of_body(body)?.into_response()
    }

    fn decode_error(&self, failure: WireFailure<'_>) -> ModelError {
        errors::decode_error(failure)
    }

    fn stream_decoder(&self) -> Box<dyn StreamDecoder> {
        Box::<EventDecoder<stream::Documents>>::default()
    }
}
