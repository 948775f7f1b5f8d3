//! Constraints that a tool cannot have, and the form to write in their place.

use serde_json::{Value, json};

use super::{Allowed, Constraint, path};
use crate::tool::ToolSpec;

/// The purpose of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terms {
    /// The constraint says which calls nobody can allow.
    Deny,
    /// The constraint says which calls to come a person allows.
    Grant,
}

/// The reason that a constraint says nothing of a tool's arguments, and the one to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintFault {
    /// The constraint cannot be read.
    #[error(transparent)]
    Unsound(#[from] super::ConstraintError),
    /// The constraint compares the letters of a path.
    #[error("{place} is a path, and paths are not compared by letters: write {instead}")]
    PathByLetters {
        /// The place.
        place: String,
        /// The constraint to write.
        instead: String,
    },
    /// The constraint names a path in a form that no argument has.
    #[error("{path:?} at {place} is not a plain path: {why}")]
    NotPlain {
        /// The place.
        place: String,
        /// The text that stands there.
        path: String,
        /// The fault of it.
        why: path::PathFault,
    },
    /// The tool does not say that a path stands there.
    #[error("{place} is not declared as a path by the tool: `beneath` works only on paths")]
    NoPath {
        /// The place.
        place: String,
    },
    /// The tool follows links: what it reaches beneath a folder may lie elsewhere.
    #[error(
        "the tool follows links, so {place} may lead out of any folder: leave out `links: follow`, or `beneath`"
    )]
    FollowsLinks {
        /// The place.
        place: String,
    },
    /// Calls that begin so are not what the tool offers.
    #[error(
        "the tool offers no free arguments after this beginning of {place}: a further argument could be an option that does \
         something else; allow the whole list with `equals` or `one_of`"
    )]
    NoFreeArguments {
        /// The place.
        place: String,
    },
}

impl ToolSpec {
    /// Returns the reason that `constraint` cannot be one on this tool's arguments; `None` if it
    /// can.
    #[must_use]
    pub fn fault_of(&self, constraint: &Constraint, terms: Terms) -> Option<ConstraintFault> {
        if let Err(error) = constraint.check() {
            return Some(error.into());
        }
        let place = || constraint.path.clone();
        if self.paths.at.contains(&constraint.path) {
            return self.fault_of_path(constraint);
        }
        match &constraint.allowed {
            Allowed::Beneath(_) => Some(ConstraintFault::NoPath { place: place() }),
            Allowed::Prefix(Value::Array(start))
                if terms == Terms::Grant && !self.is_free_behind(&place(), start) =>
            {
                Some(ConstraintFault::NoFreeArguments { place: place() })
            }
            Allowed::Prefix(_) | Allowed::Equals(_) | Allowed::OneOf(_) | Allowed::Range(_) => None,
        }
    }

    /// The same of one whose place is a path.
    fn fault_of_path(&self, constraint: &Constraint) -> Option<ConstraintFault> {
        let place = || constraint.path.clone();
        match &constraint.allowed {
            Allowed::Beneath(_) if self.paths.follows_links => {
                Some(ConstraintFault::FollowsLinks { place: place() })
            }
            Allowed::Beneath(folder) => not_plain(&constraint.path, folder),
            Allowed::Equals(value) => value
                .as_str()
                .and_then(|path| not_plain(&constraint.path, path)),
            Allowed::OneOf(values) => values
                .iter()
                .filter_map(Value::as_str)
                .find_map(|path| not_plain(&constraint.path, path)),
            Allowed::Prefix(start) => {
                let folder = start
                    .as_str()
                    .and_then(path::plain)
                    .unwrap_or_else(|| "DIR".to_owned());
                let instead = json!({ "path": constraint.path, "beneath": folder }).to_string();
                Some(ConstraintFault::PathByLetters {
                    place: place(),
                    instead,
                })
            }
            Allowed::Range(_) => {
                let instead = json!({ "path": constraint.path, "equals": "PATH" }).to_string();
                Some(ConstraintFault::PathByLetters {
                    place: place(),
                    instead,
                })
            }
        }
    }

    /// Tells whether a line of the tool's own list lets anything follow the items `start` at
    /// `place`.
    fn is_free_behind(&self, place: &str, start: &[Value]) -> bool {
        let offers = |one: &Constraint| match &one.allowed {
            Allowed::Prefix(Value::Array(listed)) => one.path == place && start.starts_with(listed),
            Allowed::Prefix(_)
            | Allowed::Equals(_)
            | Allowed::OneOf(_)
            | Allowed::Range(_)
            | Allowed::Beneath(_) => false,
        };
        self.rules
            .iter()
            .any(|rule| rule.when.len() == 1 && rule.when.iter().all(offers))
    }
}

fn not_plain(place: &str, path: &str) -> Option<ConstraintFault> {
    let why = path::parts(path).err()?;
    Some(ConstraintFault::NotPlain {
        place: place.to_owned(),
        path: path.to_owned(),
        why,
    })
}
