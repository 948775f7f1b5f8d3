//! A story: rooms, what people do in them, and what goes wrong.
//!
//! All of it is written down before it is lived, so that it can be printed, shortened and lived
//! again. Times are those of the simulated machine, in microseconds from its start: long enough
//! apart that most of a story is silence, and fine enough that two things may meet at any await.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is lived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    /// Draws what the story leaves open: how long models, tools and the disk take, ids, salts.
    pub seed: u64,
    /// How long people and faults keep the rooms busy, in simulated seconds. Afterwards there is
    /// time to come to rest.
    pub seconds: u64,
    /// The rooms; all live in one store.
    pub rooms: Vec<StoryRoom>,
    /// What people do, in order of time.
    pub deeds: Vec<StoryDeed>,
    /// What goes wrong, in order of time.
    pub faults: Vec<StoryFault>,
}

/// Why a text is no story.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no story: {0}")]
pub struct UnreadableStory(String);

impl Story {
    /// Reads a story as [`Story::to_yaml`] writes it.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn from_yaml(text: &str) -> Result<Self, UnreadableStory> {
        serde_saphyr::from_str(text).map_err(|error| UnreadableStory(error.to_string()))
    }

    /// Writes it down.
    ///
    /// # Errors
    /// None that is known.
    pub fn to_yaml(&self) -> Result<String, UnreadableStory> {
        serde_saphyr::to_string(self).map_err(|error| UnreadableStory(error.to_string()))
    }
}

/// A room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoryRoom {
    /// A world script. Its steps, if it has any, are done one after the other, as `folkmoot run`
    /// does them.
    pub script: Value,
    /// The folder that its paths are relative to. Every life has a copy of it. `None`: there are no
    /// such paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

impl StoryRoom {
    /// A room of a script without paths.
    #[must_use]
    pub const fn of(script: Value) -> Self {
        Self {
            script,
            folder: None,
        }
    }
}

/// What somebody does, at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoryDeed {
    /// When, in microseconds.
    pub at_us: u64,
    /// The number of the room, from 0.
    pub room: usize,
    /// Who.
    pub person: String,
    /// What.
    pub does: Does,
}

/// What somebody does. Whatever the room does not want is refused, and that is an answer as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// Says something.
    Say(String),
    /// Says something under an idempotency key, twice.
    SayTwice(String),
    /// Allows the first call that waits.
    Allow,
    /// Allows the first call that waits, and all like it in this world.
    AllowAll,
    /// Denies the first call that waits.
    Deny,
    /// Answers the first question that waits.
    Answer,
    /// Stops what goes on.
    Stop,
    /// Takes its last message back.
    Retract,
    /// Asks for the last answer again.
    Regenerate,
    /// Joins.
    Join,
    /// Leaves.
    Leave,
    /// Closes the room in good order, and opens it again.
    Reopen,
    /// Follows the room from its first event on, slowly.
    Follow,
}

/// What goes wrong, at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoryFault {
    /// When, in microseconds.
    pub at_us: u64,
    /// What.
    pub goes: Goes,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goes {
    /// The process dies, so many rounds of its executor later, and is started again.
    Killed {
        /// How many rounds.
        rounds: u32,
    },
    /// The process is closed in good order and started again.
    Restarted,
    /// A second process takes the store over while the first still runs.
    TakenOver,
    /// The next write of the disk goes wrong. The store stops, and the process is started again.
    Disk(DiskFault),
    /// Writes take so much longer from now on, in microseconds.
    Slow {
        /// How much.
        more_us: u64,
    },
    /// The next model call never ends by itself.
    ModelHangs,
    /// The next tool run never ends by itself.
    ToolHangs,
}

/// How a write goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiskFault {
    /// Nothing of it is kept.
    Refused,
    /// There is no room; nothing of it is kept.
    Full,
    /// A part of it is kept.
    Torn,
    /// All of it is kept, and the answer is lost.
    AnswerLost,
    /// The next start does not get to read, either.
    Unreadable,
}

/// A story with a room that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("room {room} cannot be played: {why}")]
pub struct StoryError {
    /// The number of the room, from 0.
    pub room: usize,
    /// The fault of it, for people.
    pub why: String,
}
