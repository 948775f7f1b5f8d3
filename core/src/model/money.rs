//! Money, exact: whole numbers of a millionth of a millionth, never fractions of the machine.

use std::fmt;
use std::iter::Sum;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

mod price;
#[cfg(test)]
mod tests;

pub use price::{Price, Rate};

/// The most digits that an amount can have behind the point.
const MONEY_DIGITS: u32 = 12;
/// The most digits that people can write before the point: more is no price and no limit of
/// anything.
const WHOLE_DIGITS: usize = 12;

/// An amount of money, in whatever currency the prices are in. Written as a decimal text, e.g.
/// `"0.000125"`.
///
/// Sums stop at the greatest amount there is: that is beyond every limit, and so errs on the side
/// of spending less.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(u128);

impl Money {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// An amount of `picos` millionths of a millionth.
    #[must_use]
    pub const fn from_picos(picos: u128) -> Self {
        Self(picos)
    }

    /// Reads whatever is written of an amount, however large: a sum that a fold came to must read
    /// back.
    fn recorded(text: &str) -> Result<Self, MoneyError> {
        scaled(text, MONEY_DIGITS).map(Self).ok_or(MoneyError {
            digits: MONEY_DIGITS,
        })
    }

    /// Returns the amount in millionths of a millionth.
    #[must_use]
    pub const fn picos(self) -> u128 {
        self.0
    }

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns the rest without `other`; `None` if that is more.
    #[must_use]
    pub const fn checked_minus(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(left) => Some(Self(left)),
            None => None,
        }
    }

    /// Returns the rest without `other`; nothing if that is more.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Tells whether it is nothing.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Self::plus)
    }
}

/// A text that is no amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write an amount as digits with at most {digits} behind the point, e.g. 0.25")]
pub struct MoneyError {
    /// The digits that there may be behind the point.
    pub digits: u32,
}

impl FromStr for Money {
    type Err = MoneyError;

    fn from_str(text: &str) -> Result<Self, MoneyError> {
        written(text, MONEY_DIGITS).map(Self).ok_or(MoneyError {
            digits: MONEY_DIGITS,
        })
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_scaled(f, self.0, MONEY_DIGITS)
    }
}

/// Reads what people write: [`scaled`], within bounds.
fn written(text: &str, digits: u32) -> Option<u128> {
    let whole = text.split('.').next()?;
    if whole.len() > WHOLE_DIGITS {
        None
    } else {
        scaled(text, digits)
    }
}

/// Reads `text` as a whole number of the last of `digits` places behind the point.
fn scaled(text: &str, digits: u32) -> Option<u128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let width = usize::try_from(digits).ok()?;
    if !is_digits(whole) || !is_digits(fraction) || fraction.len() > width {
        return None;
    }
    format!("{whole}{fraction:0<width$}").parse().ok()
}

/// Writes what [`scaled`] reads, without zeros at its end.
fn write_scaled(f: &mut fmt::Formatter<'_>, value: u128, digits: u32) -> fmt::Result {
    let width = usize::try_from(digits).unwrap_or_default();
    let mut whole = format!("{value:0>least$}", least = width.saturating_add(1));
    let fraction = whole.split_off(whole.len().saturating_sub(width));
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    f.pad(&format!("{whole}{point}{fraction}"))
}

/// An amount or a rate in JSON is its text: a number of JSON may pass through a machine's fraction.
macro_rules! written_as_text {
    ($($kind:ty: $read:expr),*) => {$(
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                $read(&text).map_err(de::Error::custom)
            }
        }
    )*};
}

written_as_text!(Money: Money::recorded, Rate: Rate::from_str);
