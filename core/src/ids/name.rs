//! Checked names.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::letters::is_edge_punctuation;

crate::debug_in_words!(NameError);

/// The most bytes a name may have.
const NAME_MAX: usize = 64;

/// A text that cannot be a name, and why.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} cannot be {what}: {why}")]
pub struct NameError {
    /// The thing that it should have named.
    pub what: &'static str,
    /// The text.
    pub name: String,
    /// The broken rule.
    pub why: &'static str,
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $what:literal, $rule:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Checks `name` and wraps it.
            ///
            /// # Errors
            /// [`NameError`] says which rule is broken.
            pub fn new(name: impl Into<String>) -> Result<Self, NameError> {
                let name = name.into();
                match $rule(&name) {
                    None => Ok(Self(name)),
                    Some(why) => Err(NameError { what: $what, name, why }),
                }
            }

            /// The name as written.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(name: String) -> Result<Self, NameError> {
                Self::new(name)
            }
        }
    )*};
}

names! {
    /// A world's name in its store: letters, digits, `.`, `_`, `-`.
    WorldName, "a world's name", identifier;
    /// An agent's name, as people mention it.
    AgentName, "an agent's name", roster_name;
    /// A person's display name, as agents and people mention it.
    PersonName, "a person's name", roster_name;
    /// A tool's name, as models call it: letters, digits, `_`, `-`, `.`.
    ToolName, "a tool's name", identifier;
    /// A model's name in its world spec.
    ModelName, "a model's name", identifier;
    /// A client state's name in its world spec.
    StateName, "a state's name", identifier;
    /// A kind of domain artifact that a tool gives.
    ArtifactName, "an artifact's name", identifier;
}

fn sized(name: &str) -> Option<&'static str> {
    match name.len() {
        0 => Some("it is empty"),
        len if len > NAME_MAX => Some("it is longer than 64 bytes"),
        _ => None,
    }
}

fn identifier(name: &str) -> Option<&'static str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    sized(name)
        .or_else(|| {
            (!name.chars().all(fits))
                .then_some("only letters, digits, `.`, `_` and `-` may stand in it")
        })
        .or_else(|| name.starts_with('.').then_some("it starts with a dot"))
}

/// Marks that turn the direction of writing, and characters without a shape: two names that look
/// alike would be two. Joiners (U+200C, U+200D) stay: scripts and emoji are written with them.
#[must_use]
pub const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// The rules of mentions, as far as they are seen without folding: such a name can stand behind `@`
/// and be told from the text around it. What only its fold shows, a room's rules refuse.
fn roster_name(name: &str) -> Option<&'static str> {
    let edge = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || is_edge_punctuation(c));
    sized(name)
        .or_else(|| name.contains('@').then_some("it has an `@`"))
        .or_else(|| {
            name.chars()
                .any(char::is_control)
                .then_some("it has a line break or a control character")
        })
        .or_else(|| {
            name.chars()
                .any(is_unseen)
                .then_some("it has a character that nobody sees")
        })
        .or_else(|| name.contains(',').then_some("it has a comma"))
        .or_else(|| name.contains(" and ").then_some("it has ` and ` in it"))
        .or_else(|| {
            (edge(name.chars().next()) || edge(name.chars().next_back()))
                .then_some("it begins or ends with a blank or punctuation")
        })
}
