//! What can go wrong with a world that is open.

use std::time::Duration;

use folkmoot_core::event::refusal::Refusal;
use folkmoot_core::ids::{ModelName, Position, ToolName, WorldName};
use folkmoot_core::port::{AppendError, NoTenure, ReadError};

use crate::parts::AssembleError;

folkmoot_core::debug_in_words!(OpenError, SeatError, FoldError);

/// Why a world could not be opened.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It does not exist, and no definition to begin it with was given.
    #[error("there is no world called {0}")]
    NoSuchWorld(WorldName),
    /// It cannot be branched off behind its last event.
    #[error("there is no event {at} in the world {name}: its last event is {head}")]
    NoSuchEvent {
        /// The world.
        name: WorldName,
        /// What was asked for.
        at: Position,
        /// The last event.
        head: Position,
    },
    /// It is open in this runtime already.
    #[error("the world {0} is open already")]
    AlreadyOpen(WorldName),
    /// It was let go of while it was idle, and somebody else has opened it since.
    #[error(
        "another process opened the world {0} while it was idle here; open it again to take it over"
    )]
    TakenOver(WorldName),
    /// This process may not act for it. Nothing was read or written.
    #[error("this process may not act for the world {name}")]
    NoTenure {
        /// The world.
        name: WorldName,
        /// The reason.
        #[source]
        source: NoTenure,
    },
    /// It is followed here, and this process could not have it itself.
    #[error("the world {name} stays with another process")]
    Elsewhere {
        /// The world.
        name: WorldName,
        /// The reason.
        #[source]
        why: Box<SeatError>,
    },
    /// The right to act for it was lost while it was opened. It may be recorded as opened all the same: somebody else goes
    /// on with it.
    #[error("the right to act for the world {0} was lost while it was opened; open it again")]
    TenureLost(WorldName),
    /// Its definition, its owner or its labels were refused.
    #[error("the world's definition or its labels were refused: {0}")]
    Refused(Refusal),
    /// Its parts could not be made.
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    /// A tool runs processes, and the runtime has nothing to run them under.
    #[error("the tool {0} runs processes, and this runtime has no tool host; give it one")]
    NoHost(ToolName),
    /// A tool or model of the definition is missing among the parts.
    #[error("the definition names the {what} {name}, and the parts do not have it")]
    MissingPart {
        /// `tool` or `model`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Its log does not read.
    #[error("the world's log cannot be read")]
    Read(#[from] ReadError),
    /// Its log cannot be written.
    #[error("the world's log cannot be written")]
    Append(#[from] AppendError),
}

impl OpenError {
    pub(crate) fn no_tool(name: &ToolName) -> Self {
        Self::MissingPart {
            what: "tool",
            name: name.to_string(),
        }
    }

    pub(crate) fn no_model(name: &ModelName) -> Self {
        Self::MissingPart {
            what: "model",
            name: name.to_string(),
        }
    }

    /// Says what this process lacks to hold a world that nobody holds; `None`: it is not that.
    pub(crate) fn unfit(&self) -> Option<String> {
        let Self::NoTenure { source, .. } = self else {
            return None;
        };
        let lacks = matches!(source, NoTenure::NotOffered { .. });
        lacks.then(|| format!("{source}; start a node with that `--offer`"))
    }
}

/// Why a seat got no yes.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SeatError {
    /// The world said no.
    #[error("refused: {0}")]
    Refused(Refusal),
    /// The key was used before for something else.
    #[error("the key {0:?} was used before, for another command")]
    KeyReused(String),
    /// The key is too long: nothing of the command is kept.
    #[error("the key has {bytes} bytes, and a key has at most {max}; use a shorter one")]
    LongKey {
        /// The bytes that it has.
        bytes: usize,
        /// The most that a key has.
        max: usize,
    },
    /// The world stopped: its log cannot be written, or another process opened it.
    #[error("the world stopped: {0}")]
    Stopped(String),
    /// The world stopped because the disk is full: nothing of the command is kept. Reading goes on,
    /// and the world can be opened again once there is room.
    #[error("the world stopped: the disk is full; nothing of the command is kept")]
    Full,
    /// This process has lost the right to act for the world: another one goes on with it. A command may be kept or not; with
    /// a key, giving it there again is harmless.
    #[error("this process has lost the right to act for the world; ask whoever has it now")]
    TenureLost,
    /// The world is closed.
    #[error("the world is closed")]
    Closed,
    /// The feed has no such item: it ends before.
    #[error("the world has {head} events, its feed has nothing at {at}")]
    BehindHead {
        /// The position that was asked for.
        at: Position,
        /// The last event.
        head: Position,
    },
    /// Too much is asked of another node that holds the world: nothing of the command is kept. Try again later.
    #[error("{waiting} commands wait for the node that holds the world; try again later")]
    Busy {
        /// The number of those that wait.
        waiting: usize,
    },
    /// The command is too large to be sent to the node that holds the world: nothing of it is kept. Give it there.
    #[error(
        "the command has {bytes} bytes in its written form, and {max} can be sent to the node that holds the world; \
         give it there, or make it smaller"
    )]
    TooLarge {
        /// The bytes that it has.
        bytes: usize,
        /// The most that can be sent.
        max: usize,
    },
    /// No node answered in time. The command may be done, or may still be: it waits for the next node that holds the world.
    /// With a key, giving it again is harmless, and gives its answer.
    #[error(
        "no node that holds the world answered within {} seconds{}; the command may be done, or may still be: look, or \
         give it again with the same key",
        after.as_secs(),
        not_here(unfit.as_deref())
    )]
    Unanswered {
        /// The time that was waited.
        after: Duration,
        /// Why this process cannot hold the world itself, while nobody does; `None`: it was not found unfit.
        unfit: Option<String>,
    },
    /// Another node holds the world, and this cannot be had of it.
    #[error("another node holds the world: {0}")]
    Elsewhere(String),
    /// A file could not be kept, or not be read back.
    #[error("the file cannot be stored or read: {0}")]
    Blob(String),
}

/// The part of an error that says why this process does not hold a world that nobody holds.
fn not_here(unfit: Option<&str>) -> String {
    let why = |unfit| format!(", and this process cannot hold it: {unfit}");
    unfit.map(why).unwrap_or_default()
}

impl SeatError {
    /// The same, of a process that cannot hold the world itself because of this.
    pub(crate) fn of_unfit(self, why: Option<&String>) -> Self {
        let Self::Unanswered { after, unfit: None } = self else {
            return self;
        };
        Self::Unanswered {
            after,
            unfit: why.cloned(),
        }
    }

    /// Tells whether it is no answer to what another process left: somebody else may have the world by now, and goes on with
    /// it.
    pub(crate) const fn leaves_it_to_others(&self) -> bool {
        matches!(
            self,
            Self::Closed
                | Self::TenureLost
                | Self::Stopped(_)
                | Self::Busy { .. }
                | Self::Unanswered { .. }
        )
    }
}

/// Why a fold could not be made.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum FoldError {
    /// There is no such world.
    #[error("there is no world called {0}")]
    NoSuchWorld(WorldName),
    /// The position lies behind the head.
    #[error("there is no event {at} in the world: its last event is {head}")]
    BehindHead {
        /// What was asked for.
        at: Position,
        /// The last event.
        head: Position,
    },
    /// The log does not read.
    #[error("the world's log cannot be read")]
    Read(#[from] ReadError),
}
