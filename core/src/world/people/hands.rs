//! The hands that a world is in: whether all who act in it are played by a script.

use serde::{Deserialize, Serialize};

use crate::ids::principal::Person;

/// The people who have acted in a world beside those that a script plays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Hands {
    /// Nobody: those people are whom the script says they are.
    #[default]
    Played,
    /// People who are proven otherwise.
    Others,
    /// Users of this machine among them.
    Local,
}

impl Hands {
    /// The hands of one person.
    pub(super) fn of(person: &Person) -> Self {
        match person {
            person if person.is_played() => Self::Played,
            person if person.is_local() => Self::Local,
            _ => Self::Others,
        }
    }
}
