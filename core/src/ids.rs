//! Names, positions and hashes: everything that identifies something.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

pub mod alike;
pub mod duration;
pub(crate) mod letters;
mod name;
pub mod principal;
pub mod size;
#[cfg(test)]
mod tests;

pub use name::{
    AgentName, ArtifactName, ModelName, NameError, PersonName, StateName, ToolName, WorldName,
    is_unseen,
};

/// An event's gap-free number in its world's log. The first event has 1; [`Position::ZERO`] is
/// "before the first".
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Position(u64);

impl Position {
    /// The head of an empty log.
    pub const ZERO: Self = Self(0);

    /// Names the `number`-th event.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The position `count` events further on.
    #[must_use]
    pub const fn plus(self, count: u64) -> Self {
        Self(self.0.saturating_add(count))
    }

    /// The next position.
    #[must_use]
    pub const fn next(self) -> Self {
        self.plus(1)
    }

    /// The position before this one; 0 before the first.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// The number of events behind `earlier`, up to this one; 0 if it does not stand behind it.
    #[must_use]
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The id of a file of a room: the event that brought it, and its number among the files of that event, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId {
    /// The event that brought it.
    pub at: Position,
    /// Its number among the files of that event.
    pub ordinal: u32,
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at, self.ordinal)
    }
}

macro_rules! position_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Position);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

position_ids! {
    /// An episode: the position of the message that began it.
    EpisodeId;
    /// A turn: the position of its `TurnOpened`.
    TurnId;
    /// A model call: the position of its first `ModelCalled`, the same for all attempts.
    ModelCallId;
    /// A request to people: the position of the event that opened it.
    RequestId;
    /// A grant: the position of its `GrantGiven`.
    GrantId;
    /// A message: the position of its `StreamStarted` if it was streamed, else of its
    /// `MessagePosted`.
    MessageId;
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The one after this.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

counters! {
    /// An opening of a world for writing; the fencing token. The first is 1.
    Incarnation;
    /// The how-manieth try of a call. The first is 1.
    Attempt;
}

macro_rules! bytes_ids {
    ($($(#[$doc:meta])* $name:ident, $len:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name([u8; $len]);

        impl $name {
            /// Wraps raw bytes.
            #[must_use]
            pub const fn new(bytes: [u8; $len]) -> Self {
                Self(bytes)
            }

            /// The raw bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $len] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut digits = [0; 2 * $len];
                f.write_str(hex(&self.0, &mut digits))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }

        impl TryFrom<String> for $name {
            type Error = HexError;

            fn try_from(text: String) -> Result<Self, HexError> {
                unhex(&text).map(Self)
            }
        }
    )*};
}

bytes_ids! {
    /// A SHA-256, written as 64 hexadecimal digits.
    Digest, 32;
    /// A tool call: `SHA-256(world id, position of its CallsAdmitted, ordinal)`, cut to 16 bytes.
    CallId, 16;
    /// The only source of randomness of a decision.
    Seed, 16;
}

/// Text that is not the hexadecimal form of an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this must be {expected} hexadecimal digits; {found} characters were given that are not")]
pub struct HexError {
    /// The number of digits that the id has.
    pub expected: usize,
    /// The number of bytes that were given.
    pub found: usize,
}

fn unhex<const N: usize>(text: &str) -> Result<[u8; N], HexError> {
    let error = HexError {
        expected: 2 * N,
        found: text.len(),
    };
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return Err(error);
    };
    let digit = |byte: u8| {
        (byte as char)
            .to_digit(16)
            .and_then(|value| u8::try_from(value).ok())
    };
    let mut bytes = [0; N];
    if pairs.len() != N {
        return Err(error);
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let (Some(high), Some(low)) = (digit(*high), digit(*low)) else {
            return Err(error);
        };
        *byte = high << 4 | low;
    }
    Ok(bytes)
}

/// Writes `bytes` into `digits`, which has twice their length, in small hexadecimal digits.
fn hex<'d>(bytes: &[u8], digits: &'d mut [u8]) -> &'d str {
    let digit = |value: u8| {
        if value < 10 {
            b'0' + value
        } else {
            b'a' + (value - 10)
        }
    };
    for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
    // Digits are ASCII.
    std::str::from_utf8(digits).unwrap_or_default()
}

impl Digest {
    /// Hashes `parts` one after another, each behind its length, so that no two lists collide.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// Hashes `bytes` as they are, as any other program does: how a blob is named.
    #[must_use]
    pub fn sha256(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The first eight hexadecimal digits: what a person types.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string().chars().take(8).collect()
    }
}

/// A hash of bytes that come piece by piece: the same as [`Digest::sha256`] of all of them.
#[derive(Debug, Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Takes further bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl CallId {
    /// Names the `ordinal`-th call of the `CallsAdmitted` at `admitted`.
    #[must_use]
    pub fn of(world: WorldId, admitted: Position, ordinal: u32) -> Self {
        // The world is part of it, so that a call of another world, or of a fork, is simply unknown
        // (decisions 0004 and 0014).
        let Digest(hash) = Digest::of(&[
            world.0.as_bytes(),
            &admitted.get().to_le_bytes(),
            &ordinal.to_le_bytes(),
        ]);
        let mut short = [0; 16];
        short.iter_mut().zip(hash).for_each(|(to, from)| *to = from);
        Self(short)
    }
}

macro_rules! uuids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// Makes an id (uuid version 7) from a stamp's time and seed.
            #[must_use]
            pub fn from_stamp(stamp: &Stamp) -> Self {
                let mut random = [0; 10];
                random.iter_mut().zip(stamp.seed.0).for_each(|(to, from)| *to = from);
                Self(uuid::Builder::from_unix_timestamp_millis(stamp.time.0, &random).into_uuid())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

uuids! {
    /// A world, for ever and everywhere.
    WorldId;
    /// A process that opens worlds.
    NodeId;
    /// A copy that was made of a store.
    CopyId;
    /// A request to whoever holds a world.
    AskId;
}

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Time(pub u64);

impl Time {
    /// The time at which simulated worlds begin: 2030-01-01T00:00:00Z.
    pub const SIMULATED_START: Self = Self(1_893_456_000_000);

    /// The time `wait` later.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(
            self.0
                .saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        )
    }

    /// The number of its minute.
    #[must_use]
    pub const fn minute(self) -> u64 {
        self.0 / 60_000
    }

    /// Returns the time from here to `later`; zero if that is past.
    #[must_use]
    pub const fn until(self, later: Self) -> Duration {
        Duration::from_millis(later.0.saturating_sub(self.0))
    }
}

/// The knowledge that a decision may have of the world outside: the time, and 16 random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Never before the last commit's time.
    pub time: Time,
    /// The only source of fresh ids and jitter.
    pub seed: Seed,
}

/// A step of one run of a world script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StepKey {
    /// The run, from 1.
    pub run: u32,
    /// The step, from 0.
    pub index: u32,
}

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.run, self.index)
    }
}

impl WorldId {
    /// Makes an id (uuid version 8) from a hash, such as of a request's key: the same one gives the
    /// same id. The six bits that say the version and the variant are not the hash's.
    #[must_use]
    pub fn from_hash(hash: [u8; 16]) -> Self {
        Self(uuid::Builder::from_custom_bytes(hash).into_uuid())
    }
}
