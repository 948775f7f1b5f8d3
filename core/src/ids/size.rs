//! Sizes as people write them, in scripts and in settings: `64KiB`, `512MiB`, `2GiB`.

use serde::{Deserialize, Deserializer, de};

#[cfg(test)]
mod tests;

const UNITS: [(&str, u64); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// The pattern of a size for JSON Schemas.
pub const PATTERN: &str = "^[0-9]+(KiB|MiB|GiB)$";

/// A text that is no size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a size: write a whole number and a unit, e.g. 64KiB, 512MiB, 2GiB")]
pub struct SizeError {
    /// The text.
    pub text: String,
}

/// Reads a size in bytes: a whole number with its unit.
///
/// # Errors
/// [`SizeError`] for anything else: no unit, another unit, or more bytes than can be counted.
pub fn parse(text: &str) -> Result<u64, SizeError> {
    bytes(text).ok_or_else(|| SizeError {
        text: text.to_owned(),
    })
}

fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = UNITS
        .into_iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let is_plain = number.chars().all(|c| c.is_ascii_digit());
    is_plain
        .then_some(number)?
        .parse::<u64>()
        .ok()?
        .checked_mul(unit)
}

/// Reads a size in a setting that may be left out; for `#[serde(default, deserialize_with = …)]`.
///
/// # Errors
/// What the deserializer says, or a [`SizeError`].
pub fn deserialize_some<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).map(Some).map_err(de::Error::custom)
}
