//! What a store shows of its worlds: verified logs, proofs and the evidence behind events.

pub(crate) mod evidence;
mod live;
mod proofs;

pub use evidence::{Choice, Evidence, StoredContent, StoredEvent, StoredRecord, Wanted};
pub use proofs::Inclusion;
