//! The time that a provider asks to wait.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{HeaderMap, RETRY_AFTER};

#[cfg(test)]
mod tests;

/// The longest wait that is reported: beyond it a header is taken for a mistake and cut. What is
/// waited is decided by whoever owns the attempts.
pub(super) const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads `retry-after-ms`, or else `retry-after`: seconds, or an HTTP date, measured by the
/// answer's own `date`.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    let millis = text("retry-after-ms")
        .and_then(seconds)
        .map(|wait| wait / 1000);
    let wait = millis.or_else(|| {
        let value = text(RETRY_AFTER.as_str())?;
        seconds(value).or_else(|| until(text("date"), value))
    });
    wait.map(|wait| wait.min(RETRY_AFTER_MAX))
}

/// Some servers give fractions.
fn seconds(text: &str) -> Option<Duration> {
    text.parse::<f64>()
        .ok()
        .filter(|seconds| *seconds >= 0.0)
        .map(|seconds| {
            Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX) // too large a number is too long a wait
        })
}

/// A date is compared with the server's clock, which need not agree with ours.
fn until(now: Option<&str>, then: &str) -> Option<Duration> {
    let parser = rfc2822::DateTimeParser::new();
    let read = |text: &str| parser.parse_timestamp(text).ok();
    let now = now.and_then(read).unwrap_or_else(Timestamp::now);
    Some(Duration::try_from(read(then)?.duration_since(now)).unwrap_or_default()) // a past date is no wait
}
