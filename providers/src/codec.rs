//! The pure half of an adapter: bytes in, values out. No I/O, no clock, no executor.
//!
//! One [`Codec`] per wire. What a wire cannot carry comes back as a warning code, in
//! [`WireRequest::warnings`] or in the reply; nothing is left out in silence.

use std::fmt::Debug;
use std::time::Duration;

use folkmoot_core::model::response::{LLMResponse, ModelError, ModelErrorKind, Reached};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde_json::Value;

pub mod anthropic_messages;
mod arguments;
mod body;
mod conversation;
mod ending;
mod events;
mod failure;
pub mod google_generate_content;
mod json;
mod kept_fields;
mod names;
pub mod openai_chat;
pub mod openai_responses;
mod provider_tools;
pub mod sse;
pub mod warning;
mod wire;

pub use anthropic_messages::AnthropicMessages;
pub use body::BodyReader;
pub use google_generate_content::GoogleGenerateContent;
pub(crate) use names::names_of;
pub use openai_chat::OpenAiChat;
pub use openai_responses::OpenAiResponses;
pub use sse::SseParser;
pub use wire::Wire;

/// The way in which the answer comes: at once or in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerMode {
    /// At once: one JSON document.
    Whole,
    /// An event stream.
    Stream,
}

/// A request as it goes over the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct WireRequest {
    /// Behind the base URL; begins with a slash.
    pub path: String,
    /// Headers that this wire asks for, besides the key's.
    pub headers: Vec<(&'static str, String)>,
    /// The JSON body.
    pub body: Value,
    /// The codes of warnings about parts that the wire could not carry, to be added to the reply's.
    pub warnings: Vec<String>,
}

/// An answer whose status is not a success.
#[derive(Debug, Clone, Copy)]
pub struct WireFailure<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The time that the provider asks to wait; `None` if it does not say.
    pub retry_after: Option<Duration>,
    /// The body, maybe cut.
    pub body: &'a [u8],
}

/// A piece of an answer that is there before the answer is whole. All text and refusal deltas
/// joined are what the answer [says to the room](LLMResponse::spoken).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// Prose.
    Text(String),
    /// Reasoning.
    Reasoning(String),
    /// Refusal text.
    Refusal(String),
}

/// A wire of a provider.
pub trait Codec: Debug + Send + Sync {
    /// Writes a request, with those of `files` that it names and the wire carries.
    fn encode(&self, request: &ModelRequest, files: &Files, mode: AnswerMode) -> WireRequest;

    /// Tells whether the wire carries files of this media type.
    fn takes_file(&self, _media_type: &str) -> bool {
        false
    }

    /// The header that carries `key`: its name, and its value.
    fn key_header(&self, key: &str) -> (&'static str, String);

    /// Reads the whole body of a successful answer. Of a body that may be a stream as well, a
    /// [`BodyReader`] does.
    ///
    /// # Errors
    /// [`DecodeError`]; [`DecodeError::Reported`] if the body tells of an error after all.
    fn decode(&self, body: &[u8]) -> Result<LLMResponse, DecodeError>;

    /// Reads the body of an answer that failed. Every body has a kind, also one that is no JSON.
    fn decode_error(&self, failure: WireFailure<'_>) -> ModelError;

    /// Makes a decoder for one streamed answer.
    fn stream_decoder(&self) -> Box<dyn StreamDecoder>;
}

/// Reads one streamed answer.
pub trait StreamDecoder: Debug + Send {
    /// Takes the next bytes, split anywhere, and gives what can be shown.
    ///
    /// # Errors
    /// [`DecodeError`]. Once it failed, the decoder gives the same error for ever. What came before
    /// the error in the same bytes is given first; [`is_done`](Self::is_done) then says that
    /// nothing follows, and the error comes with the next call.
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, DecodeError>;

    /// Tells whether nothing follows: the wire said so, or it failed.
    fn is_done(&self) -> bool;

    /// Ends the stream and gives the answer.
    ///
    /// # Errors
    /// [`DecodeError::CutOff`] if the stream broke off before the answer was whole.
    fn finish(self: Box<Self>) -> Result<LLMResponse, DecodeError>;
}

/// A reason why a body could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Bytes that are not the JSON that the wire promises.
    #[error("the answer is not the JSON that the wire promises: {0}")]
    Json(String),
    /// The body, or one event of it, is longer than the limit.
    #[error("the answer is longer than {limit_bytes} bytes")]
    TooLong {
        /// The limit.
        limit_bytes: usize,
    },
    /// There is no answer in it.
    #[error("the body has no answer")]
    Empty,
    /// There is something in it, but nothing that the codec understands: it would pass for an empty answer.
    #[error("the answer has only content of unknown shapes")]
    Unread,
    /// A page for people, such as a login: no wire answers with one.
    #[error("the server answered with a page of HTML: {0}")]
    Page(String),
    /// The stream broke off.
    #[error("the stream broke off")]
    CutOff,
    /// The body tells of an error, although the status did not.
    #[error("the provider reported {0}")]
    Reported(ModelError),
}

impl DecodeError {
    /// The same error, met in an answer that had begun: whatever it reports, the provider may
    /// charge for what came.
    fn in_answer(self) -> Self {
        match self {
            Self::Reported(error) => Self::Reported(error.after(Reached::Answer)),
            Self::Json(_)
            | Self::TooLong { .. }
            | Self::Empty
            | Self::Unread
            | Self::Page(_)
            | Self::CutOff => self,
        }
    }
}

impl From<DecodeError> for ModelError {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::Reported(error) => error,
            DecodeError::CutOff => Self::new(ModelErrorKind::Outage, error.to_string()),
            DecodeError::Json(_)
            | DecodeError::TooLong { .. }
            | DecodeError::Empty
            | DecodeError::Unread
            | DecodeError::Page(_) => Self::new(ModelErrorKind::BadReply, error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests;
