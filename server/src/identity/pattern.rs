//! Patterns of worlds' names.

use std::fmt;
use std::str::FromStr;

use folkmoot::WorldName;
use serde::{Deserialize, Serialize};

/// A pattern of worlds' names: a name, or a beginning with `*` behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorldPattern {
    beginning: String,
    is_whole: bool,
}

impl WorldPattern {
    /// The pattern of all names: `*`.
    #[must_use]
    pub const fn all() -> Self {
        Self {
            beginning: String::new(),
            is_whole: false,
        }
    }

    /// Tells whether it fits the name.
    #[must_use]
    pub fn fits(&self, name: &WorldName) -> bool {
        if self.is_whole {
            name.as_str() == self.beginning
        } else {
            name.as_str().starts_with(&self.beginning)
        }
    }

    /// Tells whether it fits all names.
    #[must_use]
    pub const fn is_all(&self) -> bool {
        !self.is_whole && self.beginning.is_empty()
    }
}

/// A text that is no pattern of worlds' names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no pattern of worlds' names: write a name, or a beginning and `*`, as in `support-*`"
)]
pub struct PatternError(String);

impl FromStr for WorldPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let beginning = text.strip_suffix('*');
        let letters = beginning.unwrap_or(text);
        let is_plain = |letters: &str| WorldName::new(letters).is_ok();
        if is_plain(letters) || beginning == Some("") {
            Ok(Self {
                beginning: letters.to_owned(),
                is_whole: beginning.is_none(),
            })
        } else {
            Err(PatternError(text.chars().take(64).collect()))
        }
    }
}

impl TryFrom<String> for WorldPattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        text.parse()
    }
}

impl From<WorldPattern> for String {
    fn from(pattern: WorldPattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for WorldPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let star = if self.is_whole { "" } else { "*" };
        write!(f, "{}{star}", self.beginning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_a_name_or_a_beginning() {
        let name = WorldName::new("support-7f").unwrap();
        for (pattern, fits) in [
            ("*", true),
            ("support-*", true),
            ("support-7f", true),
            ("support-7f*", true),
            ("support", false),
            ("support-7", false),
            ("other-*", false),
        ] {
            let read: WorldPattern = pattern.parse().unwrap();
            assert_eq!(read.fits(&name), fits, "{pattern}");
            assert_eq!(read.to_string(), pattern);
        }
        for wrong in ["", "**", "a*b", "a b", "../x", "a/*"] {
            assert!(wrong.parse::<WorldPattern>().is_err(), "{wrong}");
        }
    }
}
