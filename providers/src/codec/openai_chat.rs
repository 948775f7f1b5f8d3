//! OpenAI Chat Completions, as OpenAI and the servers that imitate it speak it.
//!
//! A whole reply and a stream are put together by the same code: a whole message is one large
//! delta. Recordings, not the published schema, decided what is accepted.

use folkmoot_core::model::response::{LLMResponse, ModelError};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde::{Deserialize, Serialize};

use super::events::EventDecoder;
use super::json::object;
use super::{Codec, DecodeError, Mode, StreamDecoder, WireFailure, WireRequest, failure};

mod answer;
mod calls;
mod chunk;
mod dialect;
mod encode;
mod note;
mod stream;
#[cfg(test)]
mod tests;
mod usage;

pub use dialect::{
    CacheHints, CallIds, ChoiceWord, FileParts, KeyHeader, OutputForms, OutputLimit, ParallelCalls,
    ReasoningEcho, ReasoningStyle, SeedField, StreamUsage, SystemRole,
};

/// The codec of `POST /chat/completions`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpenAiChat {
    /// Where the token limit goes.
    pub output_limit: OutputLimit,
    /// Whether reasoning is given back.
    pub reasoning_echo: ReasoningEcho,
    /// How reasoning is asked for.
    pub reasoning_style: ReasoningStyle,
    /// Which ids calls have.
    pub call_ids: CallIds,
    /// The role of the first message.
    pub system_role: SystemRole,
    /// Whether streams are asked for their usage.
    pub stream_usage: StreamUsage,
    /// Which forms of an answer can be asked for.
    pub output_forms: OutputForms,
    /// How a choice among the tools is told.
    pub choice_word: ChoiceWord,
    /// Whether it is told if calls may be several.
    pub parallel_field: ParallelCalls,
    /// Where the seed goes.
    pub seed_field: SeedField,
    /// Which files are sent, and how.
    pub file_parts: FileParts,
    /// How caching is asked for.
    pub cache_hints: CacheHints,
    /// Where the key goes.
    pub key_header: KeyHeader,
}

impl Codec for OpenAiChat {
    fn encode(&self, request: &ModelRequest, files: &Files, mode: Mode) -> WireRequest {
        encode::encode(self, request, files, mode)
    }

    fn takes_file(&self, media_type: &str) -> bool {
        encode::takes_file(self.file_parts, media_type)
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        match self.key_header {
            KeyHeader::Authorization => ("authorization", format!("Bearer {key}")),
            KeyHeader::ApiKey => ("api-key", key.to_owned()),
        }
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
