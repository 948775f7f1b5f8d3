//! Small sums.

use std::time::Duration;

/// The time that this share of `times`, of a thousand, does not exceed.
pub(crate) fn quantile(times: &mut [Duration], per_mille: usize) -> Duration {
    times.sort_unstable();
    let at = (times.len() * per_mille / 1_000).min(times.len().saturating_sub(1));
    times.get(at).copied().unwrap_or_default()
}

/// The middle one.
pub(crate) fn median(times: &mut [Duration]) -> Duration {
    quantile(times, 500)
}

/// `time` in microseconds, as text.
pub(crate) fn us(time: Duration) -> String {
    format!("{:.1} us", time.as_secs_f64() * 1e6)
}

/// `time` in milliseconds, as text.
pub(crate) fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// How many times `one` is longer than `other`, as text.
pub(crate) fn times(one: Duration, other: Duration) -> String {
    format!("{:.2} x", one.as_secs_f64() / other.as_secs_f64().max(1e-9))
}
