//! In what the servers of this wire differ. Each difference is a setting with a few words; the
//! first word of each is what OpenAI itself wants.

use serde::{Deserialize, Serialize};

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
    pub(super) const fn field(self) -> &'static str {
        match self {
            Self::MaxCompletionTokens => "max_completion_tokens",
            Self::MaxTokens => "max_tokens",
        }
    }
}

/// The treatment of reasoning that a server gave, and of other fields that it wants to have back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEcho {
    /// Never: OpenAI and others refuse fields that they do not know, and an answer may be of
    /// another server.
    #[default]
    Never,
    /// In the field in which it came. Several servers refuse the next step of a tool call without
    /// it.
    AsReceived,
}

/// The way to tell a server how much to reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningStyle {
    /// `reasoning_effort`: a word, and nothing else.
    #[default]
    Effort,
    /// `reasoning`: an object with the effort, the most tokens, and whether they are shown.
    Object,
    /// `thinking`: on or off; and `reasoning_effort` where an effort is asked for.
    Thinking,
    /// Not at all.
    LeftOut,
}

/// The ids of calls that a server takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallIds {
    /// Any text of at most 40 bytes.
    #[default]
    Any,
    /// Exactly nine letters and digits.
    Nine,
}

/// The role of the message with the system layers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemRole {
    /// The word that every server knows.
    #[default]
    System,
    /// OpenAI's newer word for it.
    Developer,
}

impl SystemRole {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
        }
    }
}

/// The way in which a stream comes to tell its usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamUsage {
    /// With `stream_options`.
    #[default]
    Asked,
    /// Usage comes by itself, and asking may be refused.
    Unasked,
}

/// The forms to which a server can hold an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputForms {
    /// Any JSON, and JSON that fits a schema.
    #[default]
    Schema,
    /// Any JSON: a schema is not sent.
    Json,
}

/// The way to tell a server which tools may be called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceWord {
    /// At least one is `required`.
    #[default]
    Required,
    /// At least one is `any`.
    Any,
    /// At least one is `required`, and none can be named: the server takes a name for no choice.
    Unnamed,
    /// Not at all: the server reads over it.
    LeftOut,
}

/// The way to tell a server whether one answer may ask for several calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParallelCalls {
    /// In `parallel_tool_calls`.
    #[default]
    Sent,
    /// Not at all: the server reads over it.
    LeftOut,
}

/// The field in which a server wants the seed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeedField {
    /// `seed`.
    #[default]
    Seed,
    /// `random_seed`.
    RandomSeed,
    /// There is none.
    LeftOut,
}

/// The files that a server takes, and their form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileParts {
    /// Images as `image_url`, PDF as `file`, and audio as an `input_audio` that tells its format.
    #[default]
    File,
    /// Images as `image_url`, PDF as `document_url`, and audio as an `input_audio` that is nothing
    /// but its data.
    DocumentUrl,
    /// Images alone.
    Images,
    /// None.
    LeftOut,
}

/// The place where a server is asked to keep a request in its cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheHints {
    /// Nowhere: it keeps what it wants for as long as it wants.
    #[default]
    LeftOut,
    /// In `cache_control`, for the whole request.
    CacheControl,
}

/// The header that carries the key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyHeader {
    /// `authorization: Bearer …`.
    #[default]
    Authorization,
    /// `api-key: …`.
    ApiKey,
}
