//! Fractions.

use std::cmp::Ordering;
use std::fmt;

/// Digits behind the point when a fraction has no end.
const DIGITS: usize = 15;

/// An exact fraction. The denominator is positive, and both have no common divisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fraction {
    /// The numerator, which carries the sign.
    numerator: i128,
    /// The denominator, at least 1.
    denominator: i128,
}

/// All operations give `None` when the result does not fit, or does not exist.
impl Fraction {
    pub(super) const fn whole(value: i128) -> Self {
        Self {
            numerator: value,
            denominator: 1,
        }
    }

    pub(super) fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
        let divisor = i128::try_from(divisor)
            .ok()?
            .checked_mul(denominator.signum())?;
        // A denominator of zero has made the divisor zero.
        Some(Self {
            numerator: numerator.checked_div(divisor)?,
            denominator: denominator.checked_div(divisor)?,
        })
    }

    pub(super) const fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub(super) fn add(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::new(
            left.checked_add(right)?,
            self.denominator.checked_mul(other.denominator)?,
        )
    }

    pub(super) fn negate(self) -> Option<Self> {
        Some(Self {
            numerator: self.numerator.checked_neg()?,
            ..self
        })
    }

    pub(super) fn multiply(self, other: Self) -> Option<Self> {
        // Reduced crosswise first, so that less overflows.
        let left = Self::new(self.numerator, other.denominator)?;
        let right = Self::new(other.numerator, self.denominator)?;
        Self::new(
            left.numerator.checked_mul(right.numerator)?,
            left.denominator.checked_mul(right.denominator)?,
        )
    }

    pub(super) fn divide(self, other: Self) -> Option<Self> {
        self.multiply(Self::new(other.denominator, other.numerator)?)
    }

    /// The remainder of a division that rounds down: it has the sign of `other`.
    pub(super) fn modulo(self, other: Self) -> Option<Self> {
        self.add(self.divide(other)?.floor().multiply(other)?.negate()?)
    }

    /// To a whole power.
    pub(super) fn power(self, exponent: Self) -> Option<Self> {
        let times = u32::try_from(exponent.as_whole()?.unsigned_abs()).ok()?;
        let numerator = self.numerator.checked_pow(times)?;
        let denominator = self.denominator.checked_pow(times)?;
        if exponent.numerator < 0 {
            Self::new(denominator, numerator)
        } else {
            Self::new(numerator, denominator)
        }
    }

    pub(super) const fn as_whole(self) -> Option<i128> {
        if self.denominator == 1 {
            Some(self.numerator)
        } else {
            None
        }
    }

    pub(super) const fn floor(self) -> Self {
        Self::whole(self.numerator.div_euclid(self.denominator))
    }

    /// To the nearest whole number, halves away from zero.
    pub(super) fn round(self) -> Option<Self> {
        let half = Self::new(self.numerator.signum(), 2)?;
        let moved = self.add(half)?;
        Some(Self::whole(moved.numerator.checked_div(moved.denominator)?))
    }

    pub(super) fn order(self, other: Self) -> Option<Ordering> {
        self.add(other.negate()?)
            .map(|difference| difference.numerator.cmp(&0))
    }
}

const fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// As a decimal: exactly if it ends, else with `…` behind the digits.
impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numerator = self.numerator.unsigned_abs();
        let denominator = self.denominator.unsigned_abs();
        let sign = if self.numerator < 0 { "-" } else { "" };
        let whole = numerator.checked_div(denominator).unwrap_or_default();
        let mut rest = numerator.checked_rem(denominator).unwrap_or_default();
        write!(f, "{sign}{whole}")?;
        let mut digits = String::new();
        while rest != 0 && digits.len() < DIGITS {
            // Denominators beyond a tenth of the range end the digits early.
            let Some(shifted) = rest.checked_mul(10) else {
                break;
            };
            digits.push_str(
                &shifted
                    .checked_div(denominator)
                    .unwrap_or_default()
                    .to_string(),
            );
            rest = shifted.checked_rem(denominator).unwrap_or_default();
        }
        let point = if digits.is_empty() { "" } else { "." };
        let end = if rest == 0 { "" } else { "…" };
        write!(f, "{point}{digits}{end}")
    }
}
