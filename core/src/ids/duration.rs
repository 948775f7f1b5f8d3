//! Durations as people write them, in scripts and in settings: `150ms`, `2s`, `1.5s`, `15m`, `24h`,
//! `7d`, `1h 30m`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

#[cfg(test)]
mod tests;

/// The units, largest first, in milliseconds.
const UNITS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

/// The pattern of a duration for JSON Schemas. It lets durations pass whose units stand in another
/// order; reading refuses them.
pub const PATTERN: &str =
    r"^[0-9]+(\.[0-9]{1,3})?(ms|s|m|h|d)( ?[0-9]+(\.[0-9]{1,3})?(ms|s|m|h|d))*$";

/// A text that is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a duration: write a number and a unit, e.g. 150ms, 10s, 15m, 24h")]
pub struct DurationError {
    /// The text.
    pub text: String,
}

/// Reads a duration in whole milliseconds: numbers with a unit each, the largest unit first, each
/// at most once.
///
/// # Errors
/// [`DurationError`] for anything else: a number without a unit, a negative or finer one, one too
/// long to be counted.
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    millis(text)
        .map(Duration::from_millis)
        .ok_or_else(|| DurationError {
            text: text.to_owned(),
        })
}

fn millis(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut sum: u64 = 0;
    let mut larger = u64::MAX;
    loop {
        let unit_at = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, behind) = rest.split_at(unit_at);
        let unit_end = behind
            .find(|c: char| !c.is_ascii_lowercase())
            .unwrap_or(behind.len());
        let (name, behind) = behind.split_at(unit_end);
        let (_, unit) = UNITS.into_iter().find(|(unit, _)| *unit == name)?;
        if unit >= larger {
            return None;
        }
        larger = unit;
        sum = sum.checked_add(of_unit(number, unit)?)?;
        if behind.is_empty() {
            return Some(sum);
        }
        rest = behind.strip_prefix(' ').unwrap_or(behind);
    }
}

/// The milliseconds of `number` units; `None` if they are not whole.
fn of_unit(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if fraction.len() > 3 {
        return None;
    }
    let thousandths: u64 = format!("{fraction:0<3}").parse().ok()?;
    let parts = thousandths.checked_mul(unit)?;
    if fraction.is_empty() || parts % 1_000 != 0 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    whole.checked_mul(unit)?.checked_add(parts / 1_000)
}

/// Reads a duration in a setting; for `#[serde(deserialize_with = …)]`.
///
/// # Errors
/// What the deserializer says, or a [`DurationError`].
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).map_err(de::Error::custom)
}

/// Reads a duration in a setting that may be left out; needs `#[serde(default)]` too.
///
/// # Errors
/// What the deserializer says, or a [`DurationError`].
pub fn deserialize_some<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    deserialize(deserializer).map(Some)
}
