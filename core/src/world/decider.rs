//! The identity of the rules that decide.

use std::sync::OnceLock;

use crate::event::EventKind;
use crate::ids::Digest;

#[cfg(test)]
mod tests;

/// Counted up whenever `decide` may answer differently to the same history.
pub const DECIDER_VERSION: u32 = 8;

/// Counted up whenever a state of the same rules is laid out otherwise in checkpoints. Older
/// checkpoints are then left alone, and their worlds are folded anew.
const STATE_LAYOUT: u32 = 4;

/// The version of this build.
pub const BINARY: &str = env!("CARGO_PKG_VERSION");

/// The exact versions of the crates that decisions run through.
pub const LOCKED_CRATES: &str = include_str!("../../decider.lock");

/// The id of this build's rules: SHA-256 over [`DECIDER_VERSION`], the event schema versions and
/// [`LOCKED_CRATES`].
#[must_use]
pub fn decider_id() -> Digest {
    static ID: OnceLock<Digest> = OnceLock::new();
    *ID.get_or_init(|| {
        let schemas: Vec<String> = EventKind::ALL
            .iter()
            .map(|(kind, version)| format!("{}:{version}", kind.name()))
            .collect();
        Digest::of(&[
            &DECIDER_VERSION.to_le_bytes(),
            schemas.join(",").as_bytes(),
            LOCKED_CRATES.as_bytes(),
        ])
    })
}

/// The id of checkpoints that were made under the rules `decider`, as this build lays them out.
#[must_use]
pub fn checkpoint_id(decider: Digest) -> Digest {
    Digest::of(&[decider.as_bytes(), &STATE_LAYOUT.to_le_bytes()])
}
