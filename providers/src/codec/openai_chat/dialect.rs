//! In what the servers of this wire differ. Each difference is a setting with a few words; the first word of each is
//! what OpenAI itself wants.

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

/// Whether reasoning that a server gave, and other fields that it wants to have back, are given back to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEcho {
    /// Never: OpenAI and others refuse fields that they do not know, and an answer may be of another server.
    #[default]
    Never,
    /// In the field in which it came. Several servers refuse the next step of a tool call without it.
    AsReceived,
}

/// How a server is told how much to reason.
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

/// Which ids of calls a server takes.
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
    /// What every server knows.
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

/// Whether a stream tells its usage only if it is asked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamUsage {
    /// With `stream_options`.
    #[default]
    Asked,
    /// It comes by itself, and asking may be refused.
    Unasked,
}

/// Which forms of an answer a server can hold it to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputForms {
    /// Any JSON, and JSON that fits a schema.
    #[default]
    Schema,
    /// Any JSON: a schema is not sent.
    Json,
}

/// How a server is told which tools may be called.
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

/// Whether a server is told if one answer may ask for several calls.
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

/// Which files a server takes, and in what form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileParts {
    /// Images as `image_url`, PDF as `file`, and audio as an `input_audio` that tells its format.
    #[default]
    File,
    /// Images as `image_url`, PDF as `document_url`, and audio as an `input_audio` that is nothing but its data.
    DocumentUrl,
    /// Images alone.
    Images,
    /// None.
    LeftOut,
}

/// Where a server is asked to keep a request in its cache.
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
