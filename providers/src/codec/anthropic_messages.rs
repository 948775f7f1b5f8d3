//! Anthropic Messages, in both versions of its API.
//!
//! An answer is a list of blocks, and so are its [parts](folkmoot_core::model::response::Part): in
//! their order, with what has to go back byte for byte right behind the part that it belongs to. A
//! whole answer and a stream are put together by the same code.

use folkmoot_core::model::response::{LLMResponse, ModelError};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde::{Deserialize, Serialize};

use super::events::EventDecoder;
use super::json::object;
use super::{AnswerMode, Codec, DecodeError, StreamDecoder, WireFailure, WireRequest, failure};

mod answer;
mod encode;
mod note;
mod stream;
#[cfg(test)]
mod tests;
mod usage;

/// The version of the API. It decides where the key goes, and what may be asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ApiVersion {
    /// The first one: the key is in `x-api-key`, and sampling can be set.
    #[default]
    #[serde(rename = "2023-06-01")]
    V20230601,
    /// The key is a bearer token, and a request that sets sampling is refused.
    #[serde(rename = "2026-10-21")]
    V20261021,
}

impl ApiVersion {
    /// As the header has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V20230601 => "2023-06-01",
            Self::V20261021 => "2026-10-21",
        }
    }
}

/// The codec of `POST /v1/messages`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnthropicMessages {
    /// The version of the API.
    pub api_version: ApiVersion,
    /// The most tokens of an answer whose request does not say: the wire wants a number. Those that
    /// a request allows for reasoning are added.
    pub output_tokens_default: u32,
}

impl Default for AnthropicMessages {
    /// 4,096 tokens are what every model of the wire can write.
    fn default() -> Self {
        Self {
            api_version: ApiVersion::default(),
            output_tokens_default: 4_096,
        }
    }
}

impl Codec for AnthropicMessages {
    fn encode(&self, request: &ModelRequest, files: &Files, mode: AnswerMode) -> WireRequest {
        encode::encode(self, request, files, mode)
    }

    fn takes_file(&self, media_type: &str) -> bool {
        encode::takes_file(media_type)
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        match self.api_version {
            ApiVersion::V20230601 => ("x-api-key", key.to_owned()),
            ApiVersion::V20261021 => ("authorization", format!("Bearer {key}")),
        }
    }

    fn decode(&self, body: &[u8]) -> Result<LLMResponse, DecodeError> {
        let mut answer = answer::AnthropicAnswer::default();
        answer.take_document(object(body)?, body)?;
        answer.into_response()
    }

    fn decode_error(&self, failure: WireFailure<'_>) -> ModelError {
        failure::decode_error(failure)
    }

    fn stream_decoder(&self) -> Box<dyn StreamDecoder> {
        Box::<EventDecoder<stream::MessageEvents>>::default()
    }
}
