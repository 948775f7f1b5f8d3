//! Names by their folds, found in steps that do not grow with their number.

use std::collections::BTreeMap;
use std::ops::Bound;

use serde::{Deserialize, Serialize};

use crate::ids::letters::fold::fold;
use crate::ids::letters::{is_at, is_comma, is_edge_punctuation, is_mark};

/// The bearers of names, by the fold of the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Names<T>(BTreeMap<Box<str>, T>);

/// The end of a search along a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchEnd<'n, T> {
    /// No name begins so.
    Nowhere,
    /// Some name begins so.
    Further,
    /// A name, and longer ones may begin so.
    Name(&'n T),
}

impl<T> Names<T> {
    /// Gives `name` to `bearer`, unless somebody has it already: who bore it first keeps it.
    /// Whether it is new.
    pub fn insert(&mut self, name: &str, bearer: T) -> bool {
        let folded = fold(name).into_boxed_str();
        let is_new = !folded.is_empty() && !self.0.contains_key(&folded);
        if is_new {
            self.0.insert(folded, bearer);
        }
        is_new
    }

    /// Takes `name` from whoever bears it.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(fold(name).as_str());
    }

    /// Returns who is called `name`, however it is written.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&T> {
        self.0.get(fold(name).as_str())
    }

    /// All names, folded, with their bearers, in the order of the folds.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, bearer)| (&**name, bearer))
    }

    pub(crate) fn reach(&self, folded: &str) -> SearchEnd<'_, T> {
        let mut from = self
            .0
            .range::<str, _>((Bound::Included(folded), Bound::Unbounded));
        match from.next() {
            Some((name, bearer)) if **name == *folded => SearchEnd::Name(bearer),
            Some((name, _)) if name.starts_with(folded) => SearchEnd::Further,
            Some(_) | None => SearchEnd::Nowhere,
        }
    }
}

/// Returns what is wrong with `name` as a name behind `@`, for whoever compares names as mentions
/// do; `None` if nothing is.
#[must_use]
pub fn name_fault(name: &str) -> Option<&'static str> {
    let folded = fold(name);
    let has = |wanted: fn(char) -> bool| folded.contains(wanted);
    match &*folded {
        "" => Some("nobody can see it"),
        _ if has(is_at) => Some("it has an `@`"),
        _ if has(is_comma) => Some("it has a comma"),
        folded if folded.contains(" and ") => Some("it has ` and ` in it"),
        folded if folded.trim_matches(' ') != folded => Some("it begins or ends with a blank"),
        folded if folded.starts_with(is_mark) => Some("it begins with a mark on nothing"),
        folded
            if folded.starts_with(is_edge_punctuation) || folded.ends_with(is_edge_punctuation) =>
        {
            Some("it begins or ends with punctuation")
        }
        _ => None,
    }
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}
