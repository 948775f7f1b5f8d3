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
use super::{AnswerMode, Codec, DecodeError, StreamDecoder, WireFailure, WireRequest, failure};

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
    /// The field of the token limit.
    pub output_limit: OutputLimit,
    /// The treatment of reasoning in later requests.
    pub reasoning_echo: ReasoningEcho,
    /// The way to ask for reasoning.
    pub reasoning_style: ReasoningStyle,
    /// The ids of calls that the server takes.
    pub call_ids: CallIds,
    /// The role of the first message.
    pub system_role: SystemRole,
    /// The way to ask streams for their usage.
    pub stream_usage: StreamUsage,
    /// The forms of an answer that can be asked for.
    pub output_forms: OutputForms,
    /// The word for a choice among the tools.
    pub choice_word: ChoiceWord,
    /// The field that says whether calls may be several.
    pub parallel_field: ParallelCalls,
    /// The field of the seed.
    pub seed_field: SeedField,
    /// The files that are sent, and their form.
    pub file_parts: FileParts,
    /// The way to ask for caching.
    pub cache_hints: CacheHints,
    /// The header of the key.
    pub key_header: KeyHeader,
}

impl Codec for OpenAiChat {
    fn encode(&self, request: &ModelRequest, files: &Files, mode: AnswerMode) -> WireRequest {
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
        let mut answer = answer::ChatAnswer::default();
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
