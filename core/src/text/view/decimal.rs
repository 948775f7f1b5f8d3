//! Decimal numbers, as JSON writes them.

use std::fmt;

use serde_json::Number;

/// The most digits behind the point that are computed with.
const SCALE_MAX: u32 = 18;

/// An exact decimal: `digits` divided by ten to the power of `scale`. Equal numbers are equal
/// values: no digit behind the point is a trailing zero. Their order is not that of the numbers: it
/// is there for sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decimal {
    digits: i128,
    scale: u32,
}

/// All operations give `None` where the result does not fit.
impl Decimal {
    pub(super) const ZERO: Self = Self {
        digits: 0,
        scale: 0,
    };

    /// The number as it is written in JSON, which is the shortest decimal that reads as the same
    /// number.
    pub(super) fn read(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let exponent: i32 = exponent.parse().ok()?;
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        if scale >= 0 {
            return Self {
                digits,
                scale: scale.unsigned_abs(),
            }
            .trimmed()
            .filter(|one| one.scale <= SCALE_MAX);
        }
        Some(Self {
            digits: digits.checked_mul(ten_to(scale.unsigned_abs())?)?,
            scale: 0,
        })
    }

    pub(super) fn add(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let digits = self
            .digits_at(scale)?
            .checked_add(other.digits_at(scale)?)?;
        Self { digits, scale }.trimmed()
    }

    /// The same, a hundred times.
    pub(super) fn hundredfold(self) -> Option<Self> {
        Self {
            digits: self.digits.checked_mul(100)?,
            scale: self.scale,
        }
        .trimmed()
    }

    /// Divided by `count`, with two digits behind the point more than it has. Halves are rounded
    /// away from zero.
    pub(super) fn mean_of(self, count: u64) -> Option<Self> {
        let scale = self.scale.checked_add(2)?;
        let digits = divided(self.digits_at(scale)?, i128::from(count))?;
        Self { digits, scale }.trimmed()
    }

    /// With at most `scale` digits behind the point. Halves are rounded away from zero.
    pub(super) fn rounded(self, scale: u32) -> Option<Self> {
        match self.scale.checked_sub(scale) {
            None | Some(0) => Some(self),
            Some(more) => Self {
                digits: divided(self.digits, ten_to(more)?)?,
                scale,
            }
            .trimmed(),
        }
    }

    pub(super) const fn is_whole(self) -> bool {
        self.scale == 0
    }

    pub(super) const fn is_negative(self) -> bool {
        self.digits < 0
    }

    /// Returns its digits without the sign, in groups of three, with at least `fraction_min` behind
    /// the point.
    pub(super) fn grouped(self, fraction_min: u32) -> String {
        let (whole, fraction) = self.parts();
        let mut grouped = String::new();
        for (place, digit) in whole.chars().enumerate() {
            if place > 0 && whole.len().saturating_sub(place) % 3 == 0 {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        let fraction_min = usize::try_from(fraction_min).unwrap_or_default();
        let fraction = format!("{fraction:0<fraction_min$}");
        if fraction.is_empty() {
            grouped
        } else {
            format!("{grouped}.{fraction}")
        }
    }

    /// The digits before and behind the point.
    fn parts(self) -> (String, String) {
        let scale = usize::try_from(self.scale).unwrap_or_default();
        let mut whole = format!(
            "{:0>width$}",
            self.digits.unsigned_abs(),
            width = scale.saturating_add(1)
        );
        let fraction = whole.split_off(whole.len().saturating_sub(scale));
        (whole, fraction)
    }

    fn digits_at(self, scale: u32) -> Option<i128> {
        self.digits
            .checked_mul(ten_to(scale.checked_sub(self.scale)?)?)
    }

    fn trimmed(mut self) -> Option<Self> {
        while self.scale > 0 && self.digits.checked_rem(10)? == 0 {
            self = Self {
                digits: self.digits.checked_div(10)?,
                scale: self.scale.checked_sub(1)?,
            };
        }
        Some(self)
    }
}

fn ten_to(power: u32) -> Option<i128> {
    10_i128.checked_pow(power)
}

/// The nearest whole number of a fraction whose denominator is positive.
fn divided(digits: i128, by: i128) -> Option<i128> {
    let whole = digits.checked_div(by)?;
    let rest = digits.checked_rem(by)?;
    let is_half = rest.unsigned_abs() >= by.unsigned_abs().div_ceil(2);
    if is_half && rest != 0 {
        whole.checked_add(digits.signum())
    } else {
        Some(whole)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = self.parts();
        let sign = if self.is_negative() { "-" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}
