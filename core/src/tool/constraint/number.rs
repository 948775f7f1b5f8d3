//! Comparing numbers, and what holds them, by their value: exactly, and however they are written.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// Tells whether two values are equal, where numbers are equal that have one value: `1000`,
/// `1000.0` and `1e3`, `0` and `-0`. Texts are compared as they are.
pub(super) fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare(one, other) == Some(Ordering::Equal),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && starts_with(one, other)
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|other| is_equal(value, other))
            };
            one.len() == other.len() && one.iter().all(has)
        }
        (one, other) => one == other,
    }
}

/// Tells whether the first items of `list` are equal to those of `start`.
pub(super) fn starts_with(list: &[Value], start: &[Value]) -> bool {
    list.len() >= start.len()
        && list
            .iter()
            .zip(start)
            .all(|(item, wanted)| is_equal(item, wanted))
}

/// The order of two numbers, without rounding: an integer of 64 bits is not taken for the nearest
/// floating point number.
pub(super) fn compare(one: &Number, other: &Number) -> Option<Ordering> {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        (Some(one), None) => with_float(one, other.as_f64()?),
        (None, Some(other)) => with_float(other, one.as_f64()?).map(Ordering::reverse),
        (None, None) => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// Beyond this no integer of 64 bits lies. Exactly a power of two, and so is its negative.
const BEYOND: f64 = 36_893_488_147_419_103_232.0;

fn with_float(whole: i128, float: f64) -> Option<Ordering> {
    if float >= BEYOND {
        return Some(Ordering::Less);
    }
    if float <= -BEYOND {
        return Some(Ordering::Greater);
    }
    // Within those bounds the whole part is an integer that 128 bits hold exactly.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number is within the bounds of the integer"
    )]
    let cut = float.trunc() as i128;
    let rest = || 0.0.partial_cmp(&float.fract());
    if whole == cut {
        rest()
    } else {
        Some(whole.cmp(&cut))
    }
}
