//! The secrets of a room: what the variables in its models' settings stand for.

use folkmoot_agents::Secrets;
use folkmoot_core::spec::{Definition, SpecText};
use folkmoot_core::text::redaction::SecretRules;
use folkmoot_providers::{ProcessEnvironment, secrets_of};
use serde_json::Value;

/// Where the secrets of a room come from: its models' settings. The values are looked up when they are needed.
#[derive(Debug)]
pub(super) struct RoomSecrets(Vec<(String, Value)>);

impl RoomSecrets {
    pub(super) fn of(definition: &Definition, text: &SpecText) -> Self {
        let models = definition.spec.models.iter();
        let settings = |name| text.models.get(name).cloned().unwrap_or(Value::Null);
        Self(
            models
                .map(|(name, model)| (model.provider.clone(), settings(name)))
                .collect(),
        )
    }
}

impl Secrets for RoomSecrets {
    fn rules(&self) -> Vec<SecretRules> {
        let rules = |(provider, settings): &(String, Value)| {
            secrets_of(provider, settings, &ProcessEnvironment).ok()
        };
        self.0.iter().filter_map(rules).collect()
    }
}
