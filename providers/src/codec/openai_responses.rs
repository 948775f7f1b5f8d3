//! OpenAI Responses, as OpenAI and the servers that imitate it speak it.
//!
//! Stateless: each request holds the whole conversation, and what a model must have back, such as its encrypted
//! reasoning, goes back in its place. A whole reply and a stream are put together by the same code: a whole document is
//! a stream of finished items. Recordings, not the published schema, decided what is accepted.

use folkmoot_core::model::response::{LLMResponse, ModelError};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde::{Deserialize, Serialize};

use super::events::EventDecoder;
use super::json::object;
use super::{Codec, DecodeError, Mode, StreamDecoder, WireFailure, WireRequest, failure};

mod answer;
mod encode;
mod event;
mod note;
mod stream;
#[cfg(test)]
mod tests;
mod usage;

/// Whether the provider is to store answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Store {
    /// It is not: the log has them. Reasoning then goes back only with its content.
    #[default]
    Never,
    /// It is.
    Always,
    /// Nothing is said: for a server that does not know the field.
    Unsaid,
}

/// Whether the provider is asked for reasoning that can be given back to it, encrypted.
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

/// Whether tools are declared as strict where a request does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrictTools {
    /// They are not: any JSON Schema may be declared.
    #[default]
    Never,
    /// They are: their schemas must keep to the provider's subset.
    Always,
    /// Nothing is said; OpenAI then changes schemas so that they fit its subset.
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

/// Whether items of earlier answers go back as they came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemEcho {
    /// They do, with their ids, reasoning and searches included.
    #[default]
    AsReceived,
    /// Only texts and calls do, without the provider's fields: for a server that refuses what it gave.
    Never,
}

/// The codec of `POST /responses`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpenAiResponses {
    /// Whether the provider stores answers.
    pub store: Store,
    /// Whether it is asked for encrypted reasoning.
    pub encrypted_reasoning: EncryptedReasoning,
    /// Whether tools are strict where a request does not say.
    pub strict_tools: StrictTools,
    /// Whether items go back as they came.
    pub item_echo: ItemEcho,
}

impl Codec for OpenAiResponses {
    fn encode(&self, request: &ModelRequest, files: &Files, mode: Mode) -> WireRequest {
        encode::encode(*self, request, files, mode)
    }

    fn takes_file(&self, media_type: &str) -> bool {
        encode::takes_file(media_type)
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    fn decode(&self, body: &[u8]) -> Result<LLMResponse, DecodeError> {
        let mut answer = answer::Answer::default();
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
