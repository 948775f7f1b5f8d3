//! Decisions about people and their rights.

pub(in crate::world) mod named;
pub(in crate::world) mod rights;
pub(in crate::world) mod roster;
