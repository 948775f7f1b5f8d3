//! The secrets of a room: what the variables in the settings of its models and servers of tools stand for.

use folkmoot_agents::Secrets;
use folkmoot_core::spec::{Definition, SpecText};
use folkmoot_core::text::redaction::SecretRules;
use folkmoot_providers::{ProcessEnvironment, secrets_of};
use serde_json::Value;

use crate::script::is_secret;

/// Where the secrets of a room come from. The values are looked up when they are needed.
#[derive(Debug)]
pub(super) struct RoomSecrets {
    /// The providers and settings of its models.
    models: Vec<(String, Value)>,
    /// The variables that its servers of tools get as tokens, or in their environment under a name of a secret.
    variables: Vec<String>,
}

impl RoomSecrets {
    pub(super) fn of(definition: &Definition, text: &SpecText) -> Self {
        let models = definition.spec.models.iter();
        let settings = |name| text.models.get(name).cloned().unwrap_or(Value::Null);
        Self {
            models: models
                .map(|(name, model)| (model.provider.clone(), settings(name)))
                .collect(),
            variables: text.tools.values().flat_map(variables_of).collect(),
        }
    }
}

impl Secrets for RoomSecrets {
    fn rules(&self) -> Vec<SecretRules> {
        let rules = |(provider, settings): &(String, Value)| {
            secrets_of(provider, settings, &ProcessEnvironment).ok()
        };
        let values = self
            .variables
            .iter()
            .filter_map(|name| std::env::var(name).ok());
        let values = SecretRules::new(values);
        self.models
            .iter()
            .filter_map(rules)
            .chain([values])
            .collect()
    }
}

/// The variables with secrets that a tool of a server names.
fn variables_of(tool: &Value) -> Vec<String> {
    if tool.get("use").is_none_or(|uses| uses != "mcp") {
        return Vec::new();
    }
    let token = tool.get("token").and_then(Value::as_str);
    let token = token.and_then(|token| token.strip_prefix("${")?.strip_suffix('}'));
    let passed = tool
        .get("env")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let passed = passed
        .filter_map(Value::as_str)
        .filter(|name| is_secret(name));
    token.into_iter().chain(passed).map(str::to_owned).collect()
}
