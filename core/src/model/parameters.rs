//! The parameters of a model's answer: sampling, length, form, and the like.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How a model is to answer. `None` and empty leave it to the provider. Fractions are in
/// thousandths, so that they have one written form.
///
/// A model's, an agent's and a reaction's are laid over one another by [`Parameters::or`]. What a
/// wire cannot carry of them is a warning of the reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Temperature in thousandths: 700 is 0.7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_milli: Option<u32>,
    /// The most tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens_max: Option<u32>,
    /// Nucleus sampling in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p_milli: Option<u32>,
    /// Texts at which the answer ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// The same seed asks for the same answer, as far as the provider can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// The tools that may be called. Says nothing in a call without tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// True if one answer may ask for several calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_calls: Option<bool>,
    /// True if the provider is to hold the arguments of calls to the schemas of their tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict_tools: Option<bool>,
    /// The form of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputFormat>,
    /// The amount of reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning>,
    /// The places where the provider is asked to keep the request so far in its cache, for those
    /// that want to be asked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cache: BTreeMap<CachePlace, CacheTtl>,
    /// Further fields of the body, by the provider's own names. One that the codec writes itself is
    /// left out.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl Parameters {
    /// Returns these, and what they leave open as `fallback` has it. The fields of `extra` and
    /// `cache` are taken one by one.
    #[must_use]
    pub fn or(&self, fallback: &Self) -> Self {
        let mut cache = fallback.cache.clone();
        cache.extend(self.cache.iter().map(|(place, ttl)| (*place, *ttl)));
        let mut extra = fallback.extra.clone();
        extra.extend(
            self.extra
                .iter()
                .map(|(field, value)| (field.clone(), value.clone())),
        );
        Self {
            temperature_milli: self.temperature_milli.or(fallback.temperature_milli),
            output_tokens_max: self.output_tokens_max.or(fallback.output_tokens_max),
            top_p_milli: self.top_p_milli.or(fallback.top_p_milli),
            stop: if self.stop.is_empty() {
                fallback.stop.clone()
            } else {
                self.stop.clone()
            },
            seed: self.seed.or(fallback.seed),
            tool_choice: self
                .tool_choice
                .clone()
                .or_else(|| fallback.tool_choice.clone()),
            parallel_calls: self.parallel_calls.or(fallback.parallel_calls),
            strict_tools: self.strict_tools.or(fallback.strict_tools),
            output: self.output.clone().or_else(|| fallback.output.clone()),
            reasoning: self.reasoning.or(fallback.reasoning),
            cache,
            extra,
        }
    }

    /// Tells whether they leave everything open.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The same for a call without tools.
    pub(crate) fn without_tools(self) -> Self {
        Self {
            tool_choice: None,
            parallel_calls: None,
            strict_tools: None,
            ..self
        }
    }

    /// The same for a summary, which is prose of at most `tokens_max`, whatever the agent's answers
    /// look like.
    pub(crate) fn for_summary(self, tokens_max: u32) -> Self {
        let most = self
            .output_tokens_max
            .map_or(tokens_max, |most| most.min(tokens_max));
        Self {
            output_tokens_max: Some(most),
            stop: Vec::new(),
            output: None,
            ..self.without_tools()
        }
    }
}

/// The tools that a model may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// Whichever it wants, or none.
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// The one of this name.
    Tool(String),
}

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// Any JSON.
    Json,
    /// JSON that fits a schema.
    Schema {
        /// The name of the schema; most wires want one.
        name: String,
        /// JSON Schema (2020-12), given to the provider as it is.
        schema: Value,
        /// True if the provider is to hold the answer to it. `None` leaves it to the provider.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strict: Option<bool>,
    },
}

/// The amount of a model's reasoning before it answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasoning {
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The most tokens of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_max: Option<u32>,
    /// True if the provider is to show it, or a summary of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show: Option<bool>,
}

/// Effort of reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// No reasoning.
    None,
    /// As little as there is.
    Minimal,
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// More than much.
    Xhigh,
    /// As much as there is.
    Max,
}

impl CachePlace {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Tools, Self::System, Self::Conversation];
}

impl Effort {
    /// The word for it, as most wires have it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }
}

/// Up to where a request is to be kept in the provider's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CachePlace {
    /// Wherever the provider thinks best.
    Auto,
    /// The tools.
    Tools,
    /// The system layers.
    System,
    /// The conversation.
    Conversation,
}

/// The time that it is to be kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheTtl {
    /// As long as the provider does unasked.
    #[default]
    Default,
    /// Five minutes.
    FiveMinutes,
    /// An hour.
    OneHour,
}
