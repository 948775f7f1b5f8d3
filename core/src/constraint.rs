//! Constraints on arguments: what may stand at one place of a JSON document.

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

    /// Whether `document` has something at the place, and it is allowed.
    #[must_use]
    pub fn fits(&self, document: &Value) -> bool {
        document.pointer(&self.path).is_some_and(|value| self.allowed.fits(value))
    }
}

impl Allowed {
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
