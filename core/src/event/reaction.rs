//! Reactions of agents to news.

use serde::{Deserialize, Serialize};

use crate::model::Parameters;
use crate::model::response::LLMResponse;

/// A reaction of an agent to news.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reaction {
    /// Have its model asked.
    AskModel(Parameters),
    /// Answer in its own words or with tool calls; treated like a model's answer.
    Answer {
        /// The answer.
        response: LLMResponse,
        /// A note that the agent wants to remember, at most 4 KiB.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Say nothing.
    Pass {
        /// A note that the agent wants to remember, at most 4 KiB.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
}
