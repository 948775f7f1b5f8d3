//! Errors of a log.

use crate::ids::{Incarnation, Position, WorldId, WorldName};

crate::debug_in_words!(AppendError, ReadError);

/// The reason that an append did not happen, or may not have.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The world's head is not where the commit expects it. Reload and decide again.
    #[error("the head of the log was expected at event {expected} and is at event {actual}")]
    Conflict {
        /// The position that the commit wanted to follow at.
        expected: Position,
        /// The position that the head has.
        actual: Position,
    },
    /// Another opening of the world is newer. Give the world up.
    #[error("another process has opened this world (incarnation {current})")]
    Fenced {
        /// The newer incarnation.
        current: Incarnation,
    },
    /// The key was used for something else. Take another key.
    #[error("the key {key:?} was used before, for another command")]
    KeyReused {
        /// The key.
        key: String,
    },
    /// Another world has this name. Take another name.
    #[error("a world called {0} exists")]
    NameTaken(WorldName),
    /// There is no such world.
    #[error("there is no world {0}")]
    NoSuchWorld(WorldId),
    /// The disk is full. Nothing of the commit is kept.
    #[error("the disk is full")]
    Full(#[source] std::io::Error),
    /// Writing failed; the store is stopped, and whether the commit is kept shows when it is opened again.
    #[error("the store cannot write")]
    Io(#[source] std::io::Error),
    /// The store stopped after an earlier error, or is closed.
    #[error("the store is stopped: {0}")]
    Stopped(String),
    /// The log plays the death of the process, as a script or a test told it to. Nothing of the commit is kept.
    #[error("the script told the world to crash here")]
    Crash,
    /// The commit breaks a rule of the format; permanent.
    #[error("the commit cannot be stored: {0}")]
    Invalid(String),
}

/// The reason that a read failed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is no such world.
    #[error("there is no world {0}")]
    NoSuchWorld(WorldId),
    /// The stored bytes are not what was written.
    #[error("the log is damaged at event {at}: {what}")]
    Damaged {
        /// The first position that cannot be trusted.
        at: Position,
        /// The damage.
        what: String,
    },
    /// A newer build wrote this; this one does not guess.
    #[error(
        "event {at} is a {kind} of version {version}, which this build does not know; use a newer one"
    )]
    Newer {
        /// The event's position.
        at: Position,
        /// The event's kind, by number or name.
        kind: String,
        /// The event's schema version.
        version: u16,
    },
    /// Reading failed.
    #[error("the store cannot read")]
    Io(#[source] std::io::Error),
    /// The store stopped after an earlier error, or is closed.
    #[error("the store is stopped: {0}")]
    Stopped(String),
}
