//! What a model is asked: built from the world alone, with a fingerprint that is the same on every machine.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Attachment;
use crate::ids::Digest;
use crate::response::Part;

#[cfg(test)]
mod tests;

/// Everything that a provider adapter needs to know of one model call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelRequest {
    /// The provider's name of the model.
    pub model: String,
    /// Sampling and length.
    pub parameters: Parameters,
    /// System layers, in the order of their kinds.
    pub system: Vec<Layer>,
    /// The tools that may be called; empty in a closing call.
    pub tools: Vec<ToolDeclaration>,
    /// The conversation, in the order in which the agent first saw it.
    pub items: Vec<Arc<Item>>,
    /// The chained fingerprint of all the above.
    pub fingerprint: Digest,
}

impl ModelRequest {
    /// The fingerprint computed anew, from every part and every item. It is `fingerprint`, unless a part of it is not
    /// what that was made from.
    #[must_use]
    pub fn recomputed_fingerprint(&self) -> Digest {
        let start = fingerprint_start(&self.model, &self.parameters, &self.system, &self.tools);
        self.items.iter().fold(start, |before, item| fingerprint_next(before, item.digest()))
    }
}

/// A part of what a model is told before the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// What it is about.
    pub kind: LayerKind,
    /// What the model reads.
    pub text: String,
}

/// The kinds of layers, in the order in which a model reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerKind {
    /// Who the agent is, and who else is here.
    Identity,
    /// Its role and domain: the agent's prompt.
    Role,
    /// The rules of the room.
    Rules,
    /// What it should know of the room's subject.
    Context,
    /// What it is to do here.
    Task,
}

impl LayerKind {
    /// Its name, as it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Role => "role",
            Self::Rules => "rules",
            Self::Context => "context",
            Self::Task => "task",
        }
    }
}

/// Sampling and length of a model call. `None` leaves it to the provider. Fractions are in thousandths, so that they
/// have one written form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Temperature in thousandths: 700 is 0.7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_milli: Option<u32>,
    /// The most tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens_max: Option<u32>,
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolDeclaration {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema (2020-12) of its arguments.
    pub schema: Value,
}

/// One piece of the conversation as an agent saw it. Holds no id, position or time of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// Somebody's message.
    Heard {
        /// The speaker's display name.
        from: String,
        /// What they said.
        text: String,
        /// What they attached. What of it a model is given is for its adapter, which says what it leaves out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attachment>,
    },
    /// The agent's own answer: text, reasoning and calls, as the model gave them.
    Said {
        /// In order; calls carry the label under which their results are answered.
        parts: Vec<Part>,
    },
    /// The result of a call.
    Result {
        /// The label of the call in the agent's own answer.
        label: String,
        /// What the model may read.
        text: String,
        /// Whether the call failed or did not run.
        failed: bool,
    },
    /// A word of the runtime, e.g. what became of a call whose outcome was unknown.
    Notice {
        /// A fixed sentence.
        text: String,
    },
    /// The agent's own summary of what it no longer remembers word for word.
    Summary {
        /// The summary.
        text: String,
    },
}

impl Item {
    /// The item's digest: over its JSON, whose key order is fixed by this type.
    #[must_use]
    pub fn digest(&self) -> Digest {
        // An `Item` holds strings, booleans and JSON values only; none of them can fail to serialise.
        Digest::of(&[&serde_json::to_vec(self).unwrap_or_default()])
    }
}

/// The chain's first link: model, parameters, system layers and tools.
#[must_use]
pub fn fingerprint_start(model: &str, parameters: &Parameters, system: &[Layer], tools: &[ToolDeclaration]) -> Digest {
    let json = serde_json::to_vec(&(model, parameters, system, tools)).unwrap_or_default();
    Digest::of(&[b"folkmoot request 1", &json])
}

/// The chain's next link.
#[must_use]
pub fn fingerprint_next(before: Digest, item: Digest) -> Digest {
    Digest::of(&[before.as_bytes(), item.as_bytes()])
}
