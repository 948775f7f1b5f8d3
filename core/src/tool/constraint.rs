//! Constraints on arguments: what may stand at one place of a JSON document.
//!
//! Numbers are compared by the value that a tool is given, texts letter by letter, paths by their
//! names. Digests of arguments are another matter: see [`canonical`](crate::content::canonical).

use std::cmp::Ordering;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::content::canonical::{canonical_digest, read};
use crate::ids::Digest;

mod fault;
mod number;
pub mod path;
#[cfg(test)]
mod tests;

pub use fault::{ConstraintFault, Terms};

/// A constraint on one place of a call's arguments. A place that is not there never fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    /// The place, as a JSON pointer (RFC 6901).
    pub path: String,
    /// The values that are allowed there.
    #[serde(flatten)]
    pub allowed: Allowed,
}

/// A text that is no constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    /// The JSON has another form.
    #[error(
        "a constraint is JSON like {{\"path\": \"/path\", \"beneath\": \"notes\"}}: `path` points to a place, and one of \
         equals, one_of, prefix, range, beneath says which values may stand there; each key stands once"
    )]
    Form,
    /// The prefix is empty, and would allow everything.
    #[error("an empty prefix fits every text and every list: give it a value")]
    EmptyPrefix,
    /// The folder of `beneath` is no plain path.
    #[error("the folder of `beneath` is not a plain path: {0}")]
    Beneath(path::PathFault),
}

/// The values that are allowed at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Allowed {
    /// Equal to this value, numbers by their value.
    Equals(Value),
    /// Any of these values.
    OneOf(Vec<Value>),
    /// A text that begins so, or a list whose first items are these.
    Prefix(Value),
    /// A number in this range.
    Range(Range),
    /// A path: this folder of the tool's own, or what lies in it. Only for arguments that the tool
    /// calls paths.
    Beneath(String),
}

/// A range of numbers, its ends included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The least; `None`: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Number>,
    /// The most; `None`: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Number>,
}

impl Constraint {
    /// The most constraints of one decision.
    pub const MAX: usize = 16;

    /// Checks that it says something: the place is a pointer to a part, and what is allowed there
    /// is neither nothing at all nor anything.
    ///
    /// # Errors
    /// [`ConstraintError`] says what is wrong with it.
    pub fn check(&self) -> Result<(), ConstraintError> {
        if is_pointer(&self.path) {
            self.allowed.check()
        } else {
            Err(ConstraintError::Form)
        }
    }

    /// Tells whether `document` has something at the place, and it is allowed.
    #[must_use]
    pub fn fits(&self, document: &Value) -> bool {
        document
            .pointer(&self.path)
            .is_some_and(|value| self.allowed.fits(value))
    }

    /// Tells whether a path that it allows is `folder` or lies in it.
    pub(crate) fn lies_beneath(&self, folder: &str) -> bool {
        let is_there = |path: &Value| {
            path.as_str()
                .is_some_and(|path| path::is_beneath(path, folder))
        };
        match &self.allowed {
            Allowed::Equals(path) => is_there(path),
            Allowed::OneOf(paths) => paths.iter().any(is_there),
            Allowed::Beneath(path) => path::is_beneath(path, folder),
            Allowed::Prefix(_) | Allowed::Range(_) => false,
        }
    }
}

impl FromStr for Constraint {
    type Err = ConstraintError;

    /// Reads one that a person wrote: it must pass its [check](Self::check), and say nothing beside
    /// it.
    fn from_str(text: &str) -> Result<Self, ConstraintError> {
        let value = read(text).map_err(|_| ConstraintError::Form)?;
        if value.as_object().is_none_or(|fields| fields.len() != 2) {
            return Err(ConstraintError::Form);
        }
        let constraint: Self = serde_json::from_value(value).map_err(|_| ConstraintError::Form)?;
        constraint.check().map(|()| constraint)
    }
}

/// Tells whether `text` is a JSON pointer (RFC 6901) to a part of a document: that to the whole is
/// none.
#[must_use]
pub fn is_pointer(text: &str) -> bool {
    text.starts_with('/')
        && text
            .split('~')
            .skip(1)
            .all(|rest| rest.starts_with(['0', '1']))
}

impl Allowed {
    fn check(&self) -> Result<(), ConstraintError> {
        let says = |something| {
            if something {
                Ok(())
            } else {
                Err(ConstraintError::Form)
            }
        };
        match self {
            Self::Equals(_) => Ok(()),
            Self::OneOf(wanted) => says(!wanted.is_empty()),
            Self::Prefix(Value::String(start)) if start.is_empty() => {
                Err(ConstraintError::EmptyPrefix)
            }
            Self::Prefix(Value::Array(start)) if start.is_empty() => {
                Err(ConstraintError::EmptyPrefix)
            }
            Self::Prefix(start) => says(start.is_string() || start.is_array()),
            Self::Range(range) => says(range.min.is_some() || range.max.is_some()),
            Self::Beneath(folder) => path::parts(folder)
                .map(drop)
                .map_err(ConstraintError::Beneath),
        }
    }

    fn fits(&self, value: &Value) -> bool {
        match self {
            Self::Equals(wanted) => number::is_equal(wanted, value),
            Self::OneOf(wanted) => wanted.iter().any(|wanted| number::is_equal(wanted, value)),
            Self::Prefix(Value::String(start)) => {
                value.as_str().is_some_and(|text| text.starts_with(start))
            }
            Self::Prefix(Value::Array(start)) => value
                .as_array()
                .is_some_and(|items| number::starts_with(items, start)),
            Self::Prefix(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                false
            }
            Self::Range(range) => range.holds(value),
            Self::Beneath(folder) => value
                .as_str()
                .is_some_and(|path| path::is_beneath(path, folder)),
        }
    }
}

impl Range {
    fn holds(&self, value: &Value) -> bool {
        let Value::Number(number) = value else {
            return false;
        };
        let is_at_least = self.min.as_ref().is_none_or(|min| is_ordered(min, number));
        is_at_least && self.max.as_ref().is_none_or(|max| is_ordered(number, max))
    }
}

/// Tells whether `low` is at most `high`.
fn is_ordered(low: &Number, high: &Number) -> bool {
    number::compare(low, high).is_some_and(Ordering::is_le)
}

/// Tells whether `document` fits all of `constraints`.
#[must_use]
pub fn fits_all(constraints: &[Constraint], document: &Value) -> bool {
    constraints
        .iter()
        .all(|constraint| constraint.fits(document))
}

/// The digest of `document` with `null` at every place that `constraints` are about: what they
/// leave as it is.
#[must_use]
pub fn digest_of_rest(constraints: &[Constraint], document: &Value) -> Digest {
    let mut rest = document.clone();
    for constraint in constraints {
        if let Some(place) = rest.pointer_mut(&constraint.path) {
            *place = Value::Null;
        }
    }
    canonical_digest(&rest)
}
