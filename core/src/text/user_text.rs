//! The border to people: what agents spoke, finalised, and what is drawn from typed data.

use std::fmt;
use std::ops::Deref;

use serde::Serialize;

/// A text that people may read: an agent's words behind the [firewall](crate::text::firewall), or a
/// piece of a typed view. Only this crate makes one that is not empty.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct UserText(String);

impl UserText {
    pub(crate) const fn new(text: String) -> Self {
        Self(text)
    }

    /// The same text with what follows it.
    pub(crate) fn push(&mut self, more: &Self) {
        self.0.push_str(&more.0);
    }
}

/// A text for people reads as any text does.
impl Deref for UserText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for UserText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for UserText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for UserText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq<&str> for UserText {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<UserText> for String {
    fn eq(&self, other: &UserText) -> bool {
        *self == other.0
    }
}
