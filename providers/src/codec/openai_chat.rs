//! OpenAI Chat Completions, as OpenAI and the servers that imitate it speak it.
//!
//! A whole reply and a stream are put together by the same code: a whole message is one large
//! delta. Recordings, not the published schema, decided what is accepted.

use folkmoot_core::port::Files;
use folkmoot_core::request::ModelRequest;
use folkmoot_core::response::{LLMResponse, ModelError};
use serde::{Deserialize, Serialize};

use super::events::EventDecoder;
use super::json::object;
use super::{Codec, DecodeError, Mode, StreamDecoder, WireFailure, WireRequest, failure};

mod answer;
mod calls;
mod chunk;
mod encode;
mod note;
mod stream;
#[cfg(test)]
mod tests;
mod usage;

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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpenAiChat {
    /// Where the token limit goes.
    pub output_limit: OutputLimit,
    /// Whether reasoning is given back.
    pub reasoning_echo: ReasoningEcho,
}

impl Codec for OpenAiChat {
    fn encode(&self, request: &ModelRequest, files: &Files, mode: Mode) -> WireRequest {
        encode::encode(*self, request, files, mode)
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
        failure::decode_error(failure)
    }

    fn stream_decoder(&self) -> Box<dyn StreamDecoder> {
        Box::<EventDecoder<stream::Chunks>>::default()
    }
}
