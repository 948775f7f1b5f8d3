//! Decisions about the log itself.

pub(in crate::world) mod erasure;
pub(in crate::world) mod label;
pub(in crate::world) mod refused;
pub(in crate::world) mod signing;
