//! The secrets of a room: what the variables in the settings of its models and tools stand for.

use folkmoot_agents::Secrets;
use folkmoot_core::spec::{Definition, SpecText};
use folkmoot_core::text::redaction::SecretRules;
use folkmoot_providers::{ProcessEnvironment, secrets_of};
use folkmoot_tools::tool_secrets;
use serde_json::Value;

use crate::script::is_secret;

#[cfg(test)]
mod tests;

/// The place where the secrets of a room come from: the settings of its models and tools. The values are looked up when they are
/// needed.
#[derive(Debug)]
pub(super) struct RoomSecrets {
    /// The provider and the settings of each model.
    models: Vec<(String, Value)>,
    /// The settings of each tool.
    tools: Vec<Value>,
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
            tools: text.tools.values().cloned().collect(),
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
        let models = self.models.iter().filter_map(rules);
        let tools = self.tools.iter().map(tool_secrets);
        models.chain(tools).chain([values]).collect()
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
