//! The words of a world: the facts by which text is told to be an artifact.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::Value;

use super::kinds::Kinds;
use super::word::canonical;

/// The tools of a world and the kinds of artifacts that its tools make. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Known(Arc<Facts>);

/// A tool of a world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ToolId(usize);

/// Names are kept as [`canonical`] gives them.
#[derive(Debug, Default)]
struct Facts {
    names: BTreeMap<String, ToolId>,
    tools: Vec<ToolWords>,
    /// The properties of all tools, with what any of them can be.
    properties: BTreeMap<String, Kinds>,
    kinds: BTreeSet<String>,
}

#[derive(Debug, Default)]
struct ToolWords {
    properties: BTreeMap<String, Kinds>,
    /// True if its name could be a word of prose.
    is_plain: bool,
}

/// The words of wires and models before the name of a tool, with a dot or a colon between.
const QUALIFIERS: [&str; 10] = [
    "functions",
    "function",
    "defaultapi",
    "tools",
    "tool",
    "toolbox",
    "actions",
    "call",
    "multitooluse",
    "api",
];

impl Known {
    /// Tools by name, each with its JSON Schema, and the names of the domain artifacts that tools
    /// make.
    pub fn new<'t>(
        tools: impl IntoIterator<Item = (&'t str, &'t Value)>,
        kinds: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let mut facts = Facts::default();
        for (name, schema) in tools {
            let properties = Kinds::of_properties(schema);
            for (property, kinds) in &properties {
                let all = facts.properties.entry(property.clone()).or_insert(*kinds);
                *all = all.and(*kinds);
            }
            let is_plain = name.bytes().all(|b| b.is_ascii_alphabetic())
                && name.bytes().skip(1).all(|b| b.is_ascii_lowercase());
            facts
                .names
                .insert(canonical(name.as_bytes()), ToolId(facts.tools.len()));
            facts.tools.push(ToolWords {
                properties,
                is_plain,
            });
        }
        facts.kinds = kinds
            .into_iter()
            .map(|kind| canonical(kind.as_bytes()))
            .collect();
        Self(Arc::new(facts))
    }

    /// Tells whether `word`, canonical, is a tool, also as wires qualify it: `functions.search`,
    /// `default_api:search`.
    pub(super) fn is_tool(&self, word: &str) -> bool {
        self.tool(word).is_some()
    }

    /// The tool that `word`, canonical, names, also as wires qualify it.
    pub(super) fn tool(&self, word: &str) -> Option<ToolId> {
        let names = || {
            std::iter::successors(Some(word), |word| {
                word.split_once(['.', ':']).map(|(_, rest)| rest)
            })
        };
        let bare = names().find_map(|word| self.0.names.get(word));
        // Some wires number their calls: `functions.search:0`.
        bare.copied().or_else(|| {
            let (name, number) = word.rsplit_once(':')?;
            number
                .bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| self.tool(name))
                .flatten()
        })
    }

    /// The tool that `word`, canonical, names in code, and whether it is qualified as only wires
    /// do: a method of something else, `re.search`, is no tool.
    pub(super) fn called(&self, word: &str) -> Option<(ToolId, bool)> {
        if let Some(tool) = self.0.names.get(word) {
            return Some((*tool, false));
        }
        let tool = self.0.names.get(unqualified(word)?)?;
        Some((*tool, true))
    }

    /// Tells whether a word that begins with `word`, canonical, can be a tool.
    pub(super) fn may_be_called(&self, word: &str) -> bool {
        let begins = |part: &str| begins_one(&self.0.names, part);
        begins(word)
            || QUALIFIERS
                .iter()
                .any(|qualifier| qualifier.starts_with(word))
            || unqualified(word).is_some_and(begins)
    }

    /// The values that `property` of `tool` can have; `None` if it has no such property.
    pub(super) fn property_of(&self, tool: ToolId, property: &str) -> Option<Kinds> {
        self.0.tools.get(tool.0)?.properties.get(property).copied()
    }

    /// The same of any tool.
    pub(super) fn property(&self, property: &str) -> Option<Kinds> {
        self.0.properties.get(property).copied()
    }

    /// Tells whether `property` is one of the tool `word`.
    pub(super) fn has_property(&self, word: &str, property: &str) -> bool {
        self.tool(word)
            .is_some_and(|tool| self.property_of(tool, property).is_some())
    }

    /// Tells whether some tool has this property.
    pub(super) fn is_property(&self, property: &str) -> bool {
        self.0.properties.contains_key(property)
    }

    /// Tells whether a word that begins with `word`, canonical, can be a property of some tool.
    pub(super) fn may_be_property(&self, word: &str) -> bool {
        begins_one(&self.0.properties, word)
    }

    /// Tells whether the name of `tool` could be a word of prose: letters alone, none but the first
    /// upper-case.
    pub(super) fn is_plain(&self, tool: ToolId) -> bool {
        self.0.tools.get(tool.0).is_some_and(|tool| tool.is_plain)
    }

    /// Tells whether `word`, canonical, is a kind of domain artifact.
    pub(super) fn is_kind(&self, word: &str) -> bool {
        self.0.kinds.contains(word)
    }
}

/// Tells whether one of the keys begins with `part`.
fn begins_one<T>(keys: &BTreeMap<String, T>, part: &str) -> bool {
    let next = keys
        .range::<str, _>((Bound::Included(part), Bound::Unbounded))
        .next();
    next.is_some_and(|(key, _)| key.starts_with(part))
}

/// The name behind a qualifier.
fn unqualified(word: &str) -> Option<&str> {
    let (qualifier, rest) = word.split_once(['.', ':'])?;
    QUALIFIERS
        .contains(&qualifier)
        .then(|| unqualified(rest).unwrap_or(rest))
}
