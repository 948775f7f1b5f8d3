//! Prices of models.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Money, MoneyError, write_scaled, written};
use crate::model::response::Usage;

/// The most digits of a rate behind the point, so that one token costs a whole number of the least
/// amount.
const RATE_DIGITS: u32 = 6;

/// The price of a million tokens. Written as a decimal text with at most six digits behind the
/// point, e.g. `"0.25"`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// Returns the price of so many `tokens`.
    #[must_use]
    pub fn of(self, tokens: u64) -> Money {
        // A millionth of an amount for a million tokens is a millionth of a millionth for one. Two
        // numbers of 64 bits always have a product of 128.
        Money::from_picos(u128::from(self.0).saturating_mul(u128::from(tokens)))
    }
}

impl FromStr for Rate {
    type Err = MoneyError;

    fn from_str(text: &str) -> Result<Self, MoneyError> {
        let rate = written(text, RATE_DIGITS).and_then(|rate| u64::try_from(rate).ok());
        rate.map(Self).ok_or(MoneyError {
            digits: RATE_DIGITS,
        })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_scaled(f, u128::from(self.0), RATE_DIGITS)
    }
}

/// What a model costs, per million tokens. A price is a fact of the definition: costs are computed
/// from it and from what the provider counted, and nothing is asked of anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens of the request that the provider read anew.
    pub input: Rate,
    /// Tokens of the request that came from the provider's cache; `None`: as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Rate>,
    /// Tokens of the request that the provider's cache took in; `None`: as `input`. Where that
    /// depends on how long they are kept, it is the price of the time that the model's `cache` asks
    /// for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_written: Option<Rate>,
    /// Tokens of the answer, reasoning included.
    pub output: Rate,
}

impl Price {
    /// Returns the cost of an attempt of which the provider counted `usage`; `None` if it did not
    /// count request and answer both.
    ///
    /// Tokens of the cache that it did not count are taken for none, as are those beyond the whole
    /// request.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Option<Money> {
        let input = usage.input?;
        let output = usage.output?;
        let cached = usage.cached.unwrap_or(0).min(input);
        let fresh = input.saturating_sub(cached);
        let written = usage.cache_written.unwrap_or(0).min(fresh);
        let parts = [
            (self.cached.unwrap_or(self.input), cached),
            (self.cache_written.unwrap_or(self.input), written),
            (self.input, fresh.saturating_sub(written)),
            (self.output, output),
        ];
        Some(
            parts
                .into_iter()
                .map(|(rate, tokens)| rate.of(tokens))
                .sum(),
        )
    }

    /// The most that a request of `input` tokens costs whose answer has at most `output`: whatever
    /// of it a cache takes.
    #[must_use]
    pub fn worst(&self, input: u64, output: u64) -> Money {
        // Nobody knows before the answer what a cache takes; a budget is held against the worst
        // (decision 0017).
        let dearest = [Some(self.input), self.cached, self.cache_written]
            .into_iter()
            .flatten()
            .max();
        dearest
            .unwrap_or(self.input)
            .of(input)
            .plus(self.output.of(output))
    }
}
