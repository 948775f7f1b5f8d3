//! OpenAI Responses, as OpenAI and the servers that imitate it speak it.
//!
//! Stateless: each request holds the whole conversation, and what a model must have back, such as
//! its encrypted reasoning, goes back in its place. A whole reply and a stream are put together by
//! the same code: a whole document is a stream of finished items. Recordings, not the published
//! schema, decided what is accepted.

use folkmoot_core::model::response::{LLMResponse, ModelError};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde::{Deserialize, Serialize};

use super::events::EventDecoder;
use super::json::object;
use super::{AnswerMode, Codec, DecodeError, StreamDecoder, WireFailure, WireRequest, failure};

mod answer;
mod encode;
mod event;
mod note;
mod stream;
#[cfg(test)]
mod tests;
mod usage;

/// The instruction to the provider to store answers, or not to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStorage {
    /// Answers are not stored: the log has them. Reasoning then goes back only with its content.
    #[default]
    Never,
    /// Answers are stored.
    Always,
    /// The field is left out: for a server that does not know it.
    Unsaid,
}

/// The requests in which the provider is asked for encrypted reasoning, which can be given back to
/// it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EncryptedReasoning {
    /// In a request that says how to reason: models that do not reason refuse to be asked.
    #[default]
    WithReasoning,
    /// In each request.
    Always,
    /// Never.
    Never,
}

/// The strictness of tools where a request does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrictTools {
    /// Tools are not strict: any JSON Schema may be declared.
    #[default]
    Never,
    /// Tools are strict: their schemas must keep to the provider's subset.
    Always,
    /// The field is left out; OpenAI then changes schemas so that they fit its subset.
    Unsaid,
}

impl StrictTools {
    const fn unasked(self) -> Option<bool> {
        match self {
            Self::Never => Some(false),
            Self::Always => Some(true),
            Self::Unsaid => None,
        }
    }
}

/// The treatment of the items of earlier answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemEcho {
    /// Items go back as they came, with their ids, reasoning and searches included.
    #[default]
    AsReceived,
    /// Only texts and calls do, without the provider's fields: for a server that refuses what it
    /// gave.
    Never,
}

/// The codec of `POST /responses`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpenAiResponses {
    /// The storing of answers at the provider.
    pub store: AnswerStorage,
    /// The requests that ask for encrypted reasoning.
    pub encrypted_reasoning: EncryptedReasoning,
    /// The strictness of tools where a request does not say.
    pub strict_tools: StrictTools,
    /// The treatment of the items of earlier answers.
    pub item_echo: ItemEcho,
}

impl Codec for OpenAiResponses {
    fn encode(&self, request: &ModelRequest, files: &Files, mode: AnswerMode) -> WireRequest {
        encode::encode(*self, request, files, mode)
    }

    fn takes_file(&self, media_type: &str) -> bool {
        encode::takes_file(media_type)
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    fn decode(&self, body: &[u8]) -> Result<LLMResponse, DecodeError> {
        let mut answer = answer::ResponsesAnswer::default();
        answer.take_document(object(body)?, &mut Vec::new())?;
        answer.into_response()
    }

    fn decode_error(&self, failure: WireFailure<'_>) -> ModelError {
        failure::decode_error(failure)
    }

    fn stream_decoder(&self) -> Box<dyn StreamDecoder> {
        Box::<EventDecoder<stream::ResponseEvents>>::default()
    }
}
