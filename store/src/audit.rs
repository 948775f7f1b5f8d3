//! Proofs that a store gives of its worlds: verified logs, inclusion and the evidence behind
//! events.

pub(crate) mod evidence;
mod live;
mod proofs;

pub use evidence::{Choice, Evidence, StoredContent, StoredEvent, StoredRecord, Wanted};
pub use proofs::Inclusion;
