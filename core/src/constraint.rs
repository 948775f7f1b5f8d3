//! Constraints on arguments: what may stand at one place of a JSON document.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::canonical::canonical_digest;
use crate::ids::Digest;

#[cfg(test)]
mod tests;

/// What may stand at one place. A place that is not there never fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    /// The place, as a JSON pointer (RFC 6901).
    pub path: String,
    /// What may stand there.
    #[serde(flatten)]
    pub allowed: Allowed,
}

/// A text that is no constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a constraint is JSON like {{\"path\": \"/path\", \"prefix\": \"notes/\"}}: a pointer to a place, and beside it one of \
     equals, one_of, prefix, range"
)]
pub struct ConstraintError;

/// What may stand at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Allowed {
    /// This value.
    Equals(Value),
    /// One of these values.
    OneOf(Vec<Value>),
    /// A text that begins so, or a list whose first items are these.
    Prefix(Value),
    /// A number in this range.
    Range(Range),
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

    /// Whether it can be read: the place is a pointer to a part, and what is allowed there is not nothing at all.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        is_pointer(&self.path) && self.allowed.is_sound()
    }

    /// Whether `document` has something at the place, and it is allowed.
    #[must_use]
    pub fn fits(&self, document: &Value) -> bool {
        document.pointer(&self.path).is_some_and(|value| self.allowed.fits(value))
    }
}

impl FromStr for Constraint {
    type Err = ConstraintError;

    /// Reads one that a person wrote: it must be [sound](Self::is_sound), and say nothing beside it.
    fn from_str(text: &str) -> Result<Self, ConstraintError> {
        let value: Value = serde_json::from_str(text).map_err(|_| ConstraintError)?;
        let says_one_thing = value.as_object().is_some_and(|fields| fields.len() == 2);
        let read: Self = serde_json::from_value(value).map_err(|_| ConstraintError)?;
        if says_one_thing && read.is_sound() { Ok(read) } else { Err(ConstraintError) }
    }
}

/// Whether `text` is a JSON pointer (RFC 6901) to a part of a document: that to the whole is none.
#[must_use]
pub fn is_pointer(text: &str) -> bool {
    text.starts_with('/') && text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}

impl Allowed {
    fn is_sound(&self) -> bool {
        match self {
            Self::Equals(_) => true,
            Self::OneOf(wanted) => !wanted.is_empty(),
            Self::Prefix(start) => start.is_string() || start.is_array(),
            Self::Range(range) => range.min.is_some() || range.max.is_some(),
        }
    }

    fn fits(&self, value: &Value) -> bool {
        match self {
            Self::Equals(wanted) => wanted == value,
            Self::OneOf(wanted) => wanted.contains(value),
            Self::Prefix(Value::String(start)) => value.as_str().is_some_and(|text| text.starts_with(start)),
            Self::Prefix(Value::Array(start)) => value.as_array().is_some_and(|items| items.starts_with(start)),
            Self::Prefix(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => false,
            Self::Range(range) => range.holds(value),
        }
    }
}

impl Range {
    fn holds(&self, value: &Value) -> bool {
        let Value::Number(number) = value else { return false };
        let is_at_least = self.min.as_ref().is_none_or(|min| is_ordered(min, number));
        is_at_least && self.max.as_ref().is_none_or(|max| is_ordered(number, max))
    }
}

/// Whether `low` is at most `high`: whole numbers are compared exactly, all others as floating point.
fn is_ordered(low: &Number, high: &Number) -> bool {
    match (low.as_i128(), high.as_i128()) {
        (Some(low), Some(high)) => low <= high,
        (_, _) => low.as_f64().zip(high.as_f64()).is_some_and(|(low, high)| low <= high),
    }
}

/// Whether `document` fits all of `constraints`.
#[must_use]
pub fn fits_all(constraints: &[Constraint], document: &Value) -> bool {
    constraints.iter().all(|constraint| constraint.fits(document))
}

/// The digest of `document` with `null` at every place that `constraints` are about: what they leave as it is.
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
