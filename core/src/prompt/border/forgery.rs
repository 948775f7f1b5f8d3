//! A request that no world made: for tests of codecs and models. There only with the feature
//! `testing`.

use std::sync::Arc;

use super::ModelText;
use crate::ids::Digest;
use crate::model::Parameters;
use crate::prompt::{Item, Layer, ModelRequest, ToolDeclaration};

/// A request out of any strings, for tests of codecs and models. A program that is built with it
/// has no border to models: the feature `testing` belongs into `[dev-dependencies]`.
#[derive(Debug, Clone, Default)]
pub struct ForgedRequest {
    /// The provider's name of the model.
    pub model: String,
    /// Sampling and length.
    pub parameters: Parameters,
    /// System layers.
    pub system: Vec<Layer<String>>,
    /// The tools.
    pub tools: Vec<ToolDeclaration<String>>,
    /// The conversation.
    pub items: Vec<Item<String>>,
}

impl ForgedRequest {
    /// The request, with the fingerprint of its parts.
    #[must_use]
    pub fn into_request(self) -> ModelRequest {
        let tool = |tool: ToolDeclaration<String>| {
            let ToolDeclaration {
                name,
                description,
                schema,
            } = tool;
            ToolDeclaration {
                name: ModelText(name),
                description: ModelText(description),
                schema,
            }
        };
        let items = self
            .items
            .into_iter()
            .map(|item| Arc::new(item.map(&ModelText)));
        let mut request = ModelRequest {
            model: self.model,
            parameters: self.parameters,
            system: self
                .system
                .into_iter()
                .map(|layer| layer.map(&ModelText))
                .collect(),
            tools: self.tools.into_iter().map(tool).collect(),
            items: items.collect(),
            fingerprint: Digest::of(&[]),
        };
        request.fingerprint = request.recomputed_fingerprint();
        request
    }
}
