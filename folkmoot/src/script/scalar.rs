//! Plain scalars: what YAML reads them as, durations and numbers.

use folkmoot_core::ids::duration;
use serde_json::{Number, Value};

use super::node::Scalar;

/// Returns what YAML, in one version or another, reads `text` as if it stands without quotes;
/// `None` if as text.
pub(crate) fn read_as(text: &str) -> Option<&'static str> {
    match text.to_ascii_lowercase().as_str() {
        "" | "~" | "null" => Some("nothing"),
        "true" | "false" | "yes" | "no" | "on" | "off" => Some("a truth value"),
        lower if is_number(lower) => Some("a number"),
        lower if is_clock(lower) => Some("a time of day"),
        lower if is_date(lower) => Some("a date"),
        _ => None,
    }
}

fn is_number(lower: &str) -> bool {
    let digits = lower.trim_start_matches(['+', '-']).replace('_', "");
    let prefixed = |prefix: &str, radix: u32| {
        digits
            .strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix)))
    };
    let decimal = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.contains(|c: char| c.is_ascii_digit())
        && digits.parse::<f64>().is_ok();
    decimal
        || prefixed("0x", 16)
        || prefixed("0o", 8)
        || prefixed("0b", 2)
        || matches!(&*digits, ".inf" | ".nan")
}

fn is_clock(lower: &str) -> bool {
    let mut parts = lower.trim_start_matches(['+', '-']).split(':');
    let is_digits =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c == '.');
    lower.contains(':') && parts.all(is_digits)
}

fn is_date(lower: &str) -> bool {
    let parts: Vec<&str> = lower
        .split(['t', ' '])
        .next()
        .unwrap_or("")
        .split('-')
        .collect();
    let is_digits = |part: &&str, len: usize| {
        part.len() <= len && !part.is_empty() && part.parse::<u32>().is_ok()
    };
    matches!(parts.as_slice(), [y, m, d] if y.len() == 4 && is_digits(y, 4) && is_digits(m, 2) && is_digits(d, 2))
}

/// The JSON value, by the core schema of YAML 1.2.
pub(crate) fn json(scalar: &Scalar) -> Value {
    if !scalar.is_plain {
        return Value::String(scalar.text.clone());
    }
    match scalar.text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        text => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let whole = text
        .parse::<i64>()
        .map(Number::from)
        .or_else(|_| text.parse::<u64>().map(Number::from));
    let radix = |prefix, radix| {
        text.strip_prefix(prefix)
            .and_then(|rest| i64::from_str_radix(rest, radix).ok())
    };
    whole
        .ok()
        .or_else(|| radix("0x", 16).or_else(|| radix("0o", 8)).map(Number::from))
        .or_else(|| {
            let is_decimal =
                !text.contains('_') && is_number(text) && text.contains(['.', 'e', 'E']);
            is_decimal
                .then(|| text.parse::<f64>().ok())
                .flatten()
                .and_then(Number::from_f64)
        })
}

/// Tells whether it is a number to YAML that JSON has not.
pub(crate) fn is_beyond_json(scalar: &Scalar) -> bool {
    let digits = scalar.text.trim_start_matches(['+', '-']);
    let is_whole = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    let is_special = matches!(&*digits.to_ascii_lowercase(), ".inf" | ".nan");
    scalar.is_plain && (is_special || is_whole && number(&scalar.text).is_none())
}

/// Milliseconds of `90s`, `250ms`, `15m` or `24h`; `None` if it is no duration, or longer than ten
/// years.
pub(crate) fn duration_ms(text: &str) -> Option<u64> {
    let read = duration::parse(text).ok()?;
    let ms = u64::try_from(read.as_millis()).ok()?;
    (ms <= DURATION_MAX_MS).then_some(ms)
}

/// The longest duration: 3,650 days.
const DURATION_MAX_MS: u64 = 3_650 * 86_400_000;

/// Thousandths of `0.7` or `2`.
pub(crate) fn thousandths(text: &str) -> Option<u32> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) || fraction.len() > 3 {
        return None;
    }
    let fraction = format!("{fraction:0<3}").parse::<u32>().ok()?;
    whole
        .parse::<u32>()
        .ok()?
        .checked_mul(1_000)?
        .checked_add(fraction)
}

/// A duration in its largest whole unit.
pub(crate) fn duration_text(ms: u64) -> String {
    let units = [(3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    match units
        .iter()
        .find(|(unit, _)| ms >= *unit && ms.is_multiple_of(*unit))
    {
        Some((unit, name)) => format!("{}{name}", ms / unit),
        None => format!("{ms}ms"),
    }
}
