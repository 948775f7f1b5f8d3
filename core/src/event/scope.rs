//! Scopes as people write them: `once`, `turn`, `world`, `uses:3`.

use std::fmt;
use std::str::FromStr;

use super::Scope;

#[cfg(test)]
mod tests;

/// A text that is no scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a scope is `once`, `turn`, `world` or `uses:N`, with N from 1")]
pub struct ScopeError;

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once => f.write_str("once"),
            Self::Turn => f.write_str("turn"),
            Self::World => f.write_str("world"),
            Self::Uses(uses) => write!(f, "uses:{uses}"),
        }
    }
}

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        match text {
            "once" => Ok(Self::Once),
            "turn" => Ok(Self::Turn),
            "world" => Ok(Self::World),
            text => text
                .strip_prefix("uses:")
                .and_then(uses)
                .map(Self::Uses)
                .ok_or(ScopeError),
        }
    }
}

/// A number of uses, in digits alone and without a leading zero.
fn uses(digits: &str) -> Option<u32> {
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| is_plain)
}
