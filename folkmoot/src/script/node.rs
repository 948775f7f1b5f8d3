//! A script's text as a tree that remembers where everything stood.

use serde_json::Value;

use super::fault::Mark;
use super::scalar;

mod load;

pub(crate) use load::{load, text};

/// A piece of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// Where it stands. A block of lines is marked by its first key or item.
    pub(crate) mark: Mark,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What a piece of a script is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One value.
    Scalar(Scalar),
    /// `- a` or `[a, b]`.
    List(Vec<Node>),
    /// `a: b` or `{a: b}`, in the order written, without duplicates.
    Map(Vec<(Key, Node)>),
}

/// One value, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scalar {
    /// The text, escapes resolved.
    pub(crate) text: String,
    /// True if it stood without quotes, so that YAML may read it as something else than text.
    pub(crate) is_plain: bool,
}

/// The key of a map's entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// Where it stands.
    pub(crate) mark: Mark,
    /// What it says.
    pub(crate) scalar: Scalar,
}

impl Key {
    /// Returns what it says.
    pub(crate) fn text(&self) -> &str {
        &self.scalar.text
    }
}

impl Node {
    /// The value under `key`, if this is a map that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries()
            .find(|(name, _)| name.text() == key)
            .map(|(_, node)| node)
    }

    /// The key that is called `key`, if this is a map that has it.
    pub(crate) fn key(&self, key: &str) -> Option<&Key> {
        self.entries()
            .find(|(name, _)| name.text() == key)
            .map(|(name, _)| name)
    }

    /// The entries, if this is a map; else none.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Key, &Self)> {
        let entries = match &self.kind {
            Kind::Map(entries) => entries.as_slice(),
            Kind::Scalar(_) | Kind::List(_) => &[],
        };
        entries.iter().map(|(key, node)| (key, node))
    }

    /// The items, if this is a list; else none.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Self> {
        match &self.kind {
            Kind::List(items) => items.as_slice(),
            Kind::Scalar(_) | Kind::Map(_) => &[],
        }
        .iter()
    }

    /// The text, if this is one value.
    pub(crate) fn text(&self) -> Option<&str> {
        self.scalar().map(|scalar| scalar.text.as_str())
    }

    /// The value, if this is one.
    pub(crate) fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            Kind::List(_) | Kind::Map(_) => None,
        }
    }

    /// The text under `key`.
    pub(crate) fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// The JSON value of the same content. Keys are in ascending order, so that equal content has
    /// equal bytes.
    pub(crate) fn json(&self) -> Value {
        match &self.kind {
            Kind::Scalar(scalar) => scalar::json(scalar),
            Kind::List(items) => Value::Array(items.iter().map(Self::json).collect()),
            Kind::Map(entries) => {
                let mut entries: Vec<_> = entries
                    .iter()
                    .map(|(key, node)| (key.text().to_owned(), node.json()))
                    .collect();
                entries.sort_by(|(one, _), (other, _)| one.cmp(other));
                Value::Object(entries.into_iter().collect())
            }
        }
    }
}
