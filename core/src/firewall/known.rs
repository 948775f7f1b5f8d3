//! What a world knows: the facts by which text is told to be an artifact.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::word::canonical;
use crate::ids::ArtifactName;
use crate::spec::WorldSpec;

/// The tools of a world and the kinds of artifacts that its tools make. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Known(Arc<Facts>);

/// Names are kept as [`canonical`] gives them.
#[derive(Debug, Default)]
struct Facts {
    /// The tools, each with its properties.
    tools: BTreeMap<String, BTreeSet<String>>,
    /// The properties of all tools.
    properties: BTreeSet<String>,
    /// The tools whose names could be words of prose.
    plain: BTreeSet<String>,
    kinds: BTreeSet<String>,
}

impl Known {
    /// What `spec` says of its tools, whoever may call them.
    #[must_use]
    pub fn of(spec: &WorldSpec) -> Self {
        let tools = spec.tools.values();
        let kinds = tools.clone().flat_map(|tool| tool.artifacts.keys().map(ArtifactName::as_str));
        Self::new(tools.clone().map(|tool| (tool.name.as_str(), &tool.schema)), kinds)
    }

    /// Tools by name, each with its JSON Schema, and the names of the domain artifacts that tools make.
    pub fn new<'t>(
        tools: impl IntoIterator<Item = (&'t str, &'t Value)>,
        kinds: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let mut facts = Facts::default();
        for (name, schema) in tools {
            let properties: BTreeSet<String> = properties_of(schema).map(|name| canonical(name.as_bytes())).collect();
            facts.properties.extend(properties.iter().cloned());
            if name.bytes().all(|b| b.is_ascii_alphabetic()) && name.bytes().skip(1).all(|b| b.is_ascii_lowercase()) {
                facts.plain.insert(canonical(name.as_bytes()));
            }
            facts.tools.insert(canonical(name.as_bytes()), properties);
        }
        facts.kinds = kinds.into_iter().map(|kind| canonical(kind.as_bytes())).collect();
        Self(Arc::new(facts))
    }

    /// Whether `word`, canonical, is a tool, also as wires qualify it: `functions.search`, `default_api:search`.
    pub(super) fn is_tool(&self, word: &str) -> bool {
        self.tool(word).is_some()
    }

    /// Whether `property` is one of the tool `word`.
    pub(super) fn has_property(&self, word: &str, property: &str) -> bool {
        self.tool(word).and_then(|word| self.0.tools.get(word)).is_some_and(|names| names.contains(property))
    }

    /// Whether some tool has this property.
    pub(super) fn is_property(&self, property: &str) -> bool {
        self.0.properties.contains(property)
    }

    /// Whether the name of the tool `word` could be a word of prose: letters alone, none but the first upper-case.
    pub(super) fn is_plain(&self, word: &str) -> bool {
        self.tool(word).is_some_and(|word| self.0.plain.contains(word))
    }

    /// Whether `word`, canonical, is a kind of domain artifact.
    pub(super) fn is_kind(&self, word: &str) -> bool {
        self.0.kinds.contains(word)
    }

    fn tool<'w>(&self, word: &'w str) -> Option<&'w str> {
        let names = || std::iter::successors(Some(word), |word| word.split_once(['.', ':']).map(|(_, rest)| rest));
        let bare = names().find(|word| self.0.tools.contains_key(*word));
        // Some wires number their calls: `functions.search:0`.
        bare.or_else(|| {
            let (name, number) = word.rsplit_once(':')?;
            number.bytes().all(|b| b.is_ascii_digit()).then(|| self.tool(name)).flatten()
        })
    }
}

fn properties_of(schema: &Value) -> impl Iterator<Item = &str> {
    let named = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    named.into_iter().flat_map(|named| named.keys().map(String::as_str)).chain(required)
}
