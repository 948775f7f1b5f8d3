//! Events of agents that wait for one another, folded.

pub(in crate::world) mod asking;
pub(in crate::world) mod join;
