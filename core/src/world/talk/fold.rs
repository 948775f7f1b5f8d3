//! Events of messages, folded.

pub(in crate::world) mod message;
pub(in crate::world) mod revision;
