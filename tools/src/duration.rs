//! Durations as people write them: `150ms`, `10s`, `15m`, `24h`, `1h 30m`.

use std::time::Duration;

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, de};

#[cfg(test)]
mod tests;

/// A text that is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no duration: write a number and a unit, e.g. 150ms, 10s, 15m, 24h")]
pub struct DurationError {
    /// The text.
    pub text: String,
}

/// Reads a duration in whole milliseconds.
///
/// # Errors
/// [`DurationError`] for anything else: a number without a unit, a negative or finer one, units longer than hours.
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let error = || DurationError {
        text: text.to_owned(),
    };
    let signed: SignedDuration = text.parse().map_err(|_| error())?;
    let duration = Duration::try_from(signed).map_err(|_| error())?;
    if duration.subsec_nanos() % 1_000_000 == 0 {
        Ok(duration)
    } else {
        Err(error())
    }
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
pub fn deserialize_option<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    deserialize(deserializer).map(Some)
}
