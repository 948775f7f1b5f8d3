//! OpenAI Chat Completions, as OpenAI and the servers that imitate it speak it.
//!
//! A whole reply and a stream are put together by the same code: a whole message is one large
//! delta. Recordings, not the published schema, decided what is accepted.

use folkmoot_core::request::ModelRequest;
use folkmoot_core::response::{LLMResponse, ModelError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Codec, DecodeError, Mode, StreamDecoder, WireFailure, WireRequest};

mod answer;
mod calls;
mod encode;
mod error;
mod kept;
mod note;
mod stream;
#[cfg(test)]
mod tests;
mod usage;

/// A JSON object of the wire.
type Fields = Map<String, Value>;

/// The field in which a server wants the limit of the answer's tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputLimit {
    /// OpenAI's own models; the newer ones refuse the other.
    #[default]
    MaxCompletionTokens,
    /// Most other servers; some do not know the newer one.
    MaxTokens,
}

impl OutputLimit {
    const fn field(self) -> &'static str {
        match self {
            Self::MaxCompletionTokens => "max_completion_tokens",
            Self::MaxTokens => "max_tokens",
        }
    }
}

/// Whether reasoning that a server gave is given back to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEcho {
    /// In the field in which it came. Several servers refuse the next step of a tool call without it.
    #[default]
    AsReceived,
    /// Never: for a server that refuses fields it does not know.
    Never,
}

/// The codec of `POST /chat/completions`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenAiChat {
    /// Where the token limit goes.
    pub output_limit: OutputLimit,
    /// Whether reasoning is given back.
    pub reasoning_echo: ReasoningEcho,
}

impl Codec for OpenAiChat {
    fn encode(&self, request: &ModelRequest, mode: Mode) -> WireRequest {
        encode::encode(*self, request, mode)
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    fn decode(&self, body: &[u8]) -> Result<LLMResponse, DecodeError> {
        let mut answer = answer::Answer::default();
        answer.take_document(object(body)?)?;
        answer.into_response()
    }

    fn decode_error(&self, failure: WireFailure<'_>) -> ModelError {
        error::decode_error(failure)
    }

    fn stream_decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(stream::ChatStream::default())
    }
}

fn object(json: &[u8]) -> Result<Fields, DecodeError> {
    serde_json::from_slice(json).map_err(|error| DecodeError::Json(error.to_string()))
}

/// The fields of an object; none of everything else.
fn fields_of(value: Value) -> Fields {
    if let Value::Object(fields) = value { fields } else { Fields::new() }
}

/// The text of a string; empty for everything else.
fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}
