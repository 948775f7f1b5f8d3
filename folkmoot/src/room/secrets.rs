//! The secrets of a room: what the variables in the settings of its models and tools stand for.

use folkmoot_agents::Secrets;
use folkmoot_core::spec::{Definition, SpecText};
use folkmoot_core::text::redaction::SecretRules;
use folkmoot_providers::{ProcessEnvironment, secrets_of};
use folkmoot_tools::tool_secrets;
use serde_json::Value;

#[cfg(test)]
mod tests;

/// Where the secrets of a room come from: the settings of its models and tools. The values are looked up when they are needed.
#[derive(Debug)]
pub(super) struct RoomSecrets {
    /// The provider and the settings of each model.
    models: Vec<(String, Value)>,
    /// The settings of each tool.
    tools: Vec<Value>,
}

impl RoomSecrets {
    pub(super) fn of(definition: &Definition, text: &SpecText) -> Self {
        let models = definition.spec.models.iter();
        let settings = |name| text.models.get(name).cloned().unwrap_or(Value::Null);
        Self {
            models: models
                .map(|(name, model)| (model.provider.clone(), settings(name)))
                .collect(),
            tools: text.tools.values().cloned().collect(),
        }
    }
}

impl Secrets for RoomSecrets {
    fn rules(&self) -> Vec<SecretRules> {
        let rules = |(provider, settings): &(String, Value)| {
            secrets_of(provider, settings, &ProcessEnvironment).ok()
        };
        let models = self.models.iter().filter_map(rules);
        models.chain(self.tools.iter().map(tool_secrets)).collect()
    }
}
