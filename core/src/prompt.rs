//! The request to a model: built from the world alone, with a fingerprint that is the same on every
//! machine.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::Digest;
use crate::model::Parameters;
use border::ModelText;

pub mod border;
mod item;
#[cfg(test)]
mod tests;
pub mod tokens;

pub use item::{Attached, Item};

/// Everything that a provider adapter needs to know of one model call. Only a
/// [`World`](crate::world::World) makes one, and whoever has one can only read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelRequest {
    pub(crate) model: String,
    pub(crate) parameters: Parameters,
    pub(crate) system: Vec<Layer>,
    pub(crate) tools: Vec<ToolDeclaration>,
    pub(crate) items: Vec<Arc<Item>>,
    pub(crate) fingerprint: Digest,
}

impl ModelRequest {
    /// The provider's name of the model.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the parameters of its answer.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// System layers, in the order of their kinds.
    #[must_use]
    pub fn system(&self) -> &[Layer] {
        &self.system
    }

    /// The tools that may be called; empty in a closing call.
    #[must_use]
    pub fn tools(&self) -> &[ToolDeclaration] {
        &self.tools
    }

    /// The conversation, in the order in which the agent first saw it.
    #[must_use]
    pub fn items(&self) -> &[Arc<Item>] {
        &self.items
    }

    /// The chained fingerprint of all the above.
    #[must_use]
    pub const fn fingerprint(&self) -> Digest {
        self.fingerprint
    }

    /// The fingerprint computed anew, from every part and every item. It is `fingerprint`, unless a
    /// part of it is not what that was made from.
    #[must_use]
    pub fn recomputed_fingerprint(&self) -> Digest {
        let start = fingerprint_start(&self.model, &self.parameters, &self.system, &self.tools);
        self.items.iter().fold(start, |before, item| {
            fingerprint_next(before, item.digest())
        })
    }
}

/// A part of what a model is told before the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer<T = ModelText> {
    /// The subject of the layer.
    pub kind: LayerKind,
    /// The text that the model reads.
    pub text: T,
}

impl<T> Layer<T> {
    /// The same with another text.
    pub(crate) fn map<U>(self, text_of: &impl Fn(T) -> U) -> Layer<U> {
        Layer {
            kind: self.kind,
            text: text_of(self.text),
        }
    }
}

/// The kinds of layers, in the order in which a model reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerKind {
    /// The agent itself, and who else is here.
    Identity,
    /// The agent's role and domain: its prompt.
    Role,
    /// The rules of the room.
    Rules,
    /// The room's subject, as far as the agent should know it.
    Context,
    /// The agent's task here.
    Task,
}

impl LayerKind {
    /// Returns the name of the kind, as it is written.
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

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolDeclaration<T = ModelText> {
    /// The tool's name.
    pub name: T,
    /// The work that it does, for the model.
    pub description: T,
    /// JSON Schema (2020-12) of its arguments.
    pub schema: Value,
}

/// The chain's first link: model, parameters, system layers and tools.
#[must_use]
pub fn fingerprint_start(
    model: &str,
    parameters: &Parameters,
    system: &[Layer],
    tools: &[ToolDeclaration],
) -> Digest {
    let json = serde_json::to_vec(&(model, parameters, system, tools)).unwrap_or_default();
    Digest::of(&[b"folkmoot request 1", &json])
}

/// The chain's next link.
#[must_use]
pub fn fingerprint_next(before: Digest, item: Digest) -> Digest {
    Digest::of(&[before.as_bytes(), item.as_bytes()])
}
