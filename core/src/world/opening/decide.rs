//! Decisions about the world as a whole.

pub(in crate::world) mod fork;
pub(in crate::world) mod opening;
pub(in crate::world) mod restore;
