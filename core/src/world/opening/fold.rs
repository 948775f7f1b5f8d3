//! Events of the world as a whole, folded.

pub(in crate::world) mod fork;
pub(in crate::world) mod opening;
