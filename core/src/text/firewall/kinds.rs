//! The kinds of values that a property of a tool can have, by its schema: by them arguments are
//! told from a schema.

use std::collections::BTreeMap;

use serde_json::Value;

use super::word::canonical;

/// A set of kinds of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const TEXT: Self = Self(1);
    /// A number, `true`, `false` or `null`.
    pub(super) const WORD: Self = Self(1 << 1);
    pub(super) const ARRAY: Self = Self(1 << 2);
    pub(super) const OBJECT: Self = Self(1 << 3);
    pub(super) const ANY: Self = Self(15);
    /// Models write every value as a text as well.
    pub(super) const PLAIN: Self = Self(3);

    /// The properties that a JSON Schema names, canonical.
    pub(super) fn of_properties(schema: &Value) -> BTreeMap<String, Self> {
        let named = schema.get("properties").and_then(Value::as_object);
        let named = named
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.as_str(), Self::of(schema)));
        let required = schema.get("required").and_then(Value::as_array);
        let required = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(|name| (name, Self::ANY));
        required
            .chain(named)
            .map(|(name, kinds)| (canonical(name.as_bytes()), kinds))
            .collect()
    }

    /// Returns what `type` says, if it does.
    fn of(schema: &Value) -> Self {
        let by_name = |name: &str| match name {
            "object" => Self::OBJECT.and(Self::TEXT),
            "array" => Self::ARRAY.and(Self::TEXT),
            _ => Self::PLAIN,
        };
        match schema.get("type") {
            Some(Value::String(name)) => by_name(name),
            Some(Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .map(by_name)
                .fold(Self::TEXT, Self::and),
            Some(_) | None => Self::ANY,
        }
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }
}

/// Tells whether `word`, canonical, is how schemas and documents call a type: no value that
/// somebody would search for.
pub(super) fn is_type(word: &str) -> bool {
    matches!(
        word,
        "string"
            | "str"
            | "number"
            | "integer"
            | "int"
            | "float"
            | "boolean"
            | "bool"
            | "array"
            | "object"
            | "null"
    )
}
