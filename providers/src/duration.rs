//! Durations as scripts write them: a whole number and its unit, such as `150ms`, `2s`, `1m`, `1h`, `1d`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

#[cfg(test)]
mod tests;

/// Reads a duration; `None` if it is not written as one, or too long to be counted.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let unit_ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number
        .parse::<u64>()
        .ok()?
        .checked_mul(unit_ms)
        .map(Duration::from_millis)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    parse(&text).ok_or_else(|| {
        de::Error::custom(format_args!(
            "`{text}` is not a duration such as 150ms, 2s, 1m"
        ))
    })
}

pub(crate) fn deserialize_some<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Duration>, D::Error> {
    deserialize(from).map(Some)
}
