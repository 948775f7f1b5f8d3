//! The wires by name.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    AnthropicMessages, Codec, GoogleGenerateContent, OpenAiChat, OpenAiResponses, names_of,
};

/// A wire: what a codec is for. Many providers speak the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    AnthropicMessages,
    /// Google generateContent.
    GoogleGenerateContent,
}

impl Wire {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::OpenaiChat,
        Self::OpenaiResponses,
        Self::AnthropicMessages,
        Self::GoogleGenerateContent,
    ];

    /// Returns the wire's name, as scripts and opaque parts have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::GoogleGenerateContent => "google-generate-content",
        }
    }

    /// Returns the reason why a request that declares a tool of this name is refused, if it is.
    #[must_use]
    pub fn refuses_tool(self, name: &str) -> Option<&'static str> {
        match self {
            Self::OpenaiChat | Self::OpenaiResponses | Self::AnthropicMessages => {
                let is_taken = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                (!name.chars().all(is_taken))
                    .then_some("the wire of this model allows only letters, digits, `_` and `-`")
            }
            Self::GoogleGenerateContent => {
                let is_taken = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                (!is_taken)
                    .then_some("the wire of this model needs a letter or `_` at the beginning")
            }
        }
    }

    /// Returns the codec as the wire's inventor speaks it.
    #[must_use]
    pub fn default_codec(self) -> Arc<dyn Codec> {
        match self {
            Self::OpenaiChat => Arc::new(OpenAiChat::default()),
            Self::OpenaiResponses => Arc::new(OpenAiResponses::default()),
            Self::AnthropicMessages => Arc::new(AnthropicMessages::default()),
            Self::GoogleGenerateContent => Arc::new(GoogleGenerateContent::default()),
        }
    }

    /// Returns the codec as `settings` describe it; an empty object is the codec as the wire's
    /// inventor speaks it.
    ///
    /// # Errors
    /// Names the setting that does not fit.
    pub fn codec(self, settings: &Map<String, Value>) -> Result<Arc<dyn Codec>, serde_json::Error> {
        let settings = Value::Object(settings.clone());
        Ok(match self {
            Self::OpenaiChat => Arc::new(OpenAiChat::deserialize(settings)?),
            Self::OpenaiResponses => Arc::new(OpenAiResponses::deserialize(settings)?),
            Self::AnthropicMessages => Arc::new(AnthropicMessages::deserialize(settings)?),
            Self::GoogleGenerateContent => Arc::new(GoogleGenerateContent::deserialize(settings)?),
        })
    }

    /// The names of its codec's settings.
    #[must_use]
    pub fn settings(self) -> &'static [&'static str] {
        match self {
            Self::OpenaiChat => names_of::<OpenAiChat>(),
            Self::OpenaiResponses => names_of::<OpenAiResponses>(),
            Self::AnthropicMessages => names_of::<AnthropicMessages>(),
            Self::GoogleGenerateContent => names_of::<GoogleGenerateContent>(),
        }
    }
}
