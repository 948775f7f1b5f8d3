//! The ids of traces and spans: hashes of places in a log, the same whenever it is read.

use std::fmt;

use folkmoot_core::ids::{CallId, Digest, EpisodeId, Position, WorldId};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $len:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; $len]);

        impl $name {
            /// The raw bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $len] {
                &self.0
            }

            fn hash(parts: &[&[u8]]) -> Self {
                let mut short = [0; $len];
                let digest = Digest::of(parts);
                short.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
                Self(short)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }
    )*};
}

ids! {
    /// A trace: an episode of a world.
    TraceId, 16;
    /// A span: an event of a world, or a call.
    SpanId, 8;
}

impl TraceId {
    /// The trace of an episode.
    #[must_use]
    pub fn of(world: WorldId, episode: EpisodeId) -> Self {
        let at = episode.0.get().to_le_bytes();
        Self::hash(&[b"trace", world.0.as_bytes(), &at])
    }
}

impl SpanId {
    /// The span that begins with the event at `at`.
    #[must_use]
    pub fn at(world: WorldId, at: Position) -> Self {
        Self::hash(&[b"span", world.0.as_bytes(), &at.get().to_le_bytes()])
    }

    /// The span of a call. Several calls may be taken up by one event, so its id is hashed, which has the world and the place.
    #[must_use]
    pub fn of_call(call: CallId) -> Self {
        Self::hash(&[b"call", call.as_bytes()])
    }
}
