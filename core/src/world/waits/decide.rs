//! Decisions about agents that wait for one another.

pub(in crate::world) mod asking;
pub(in crate::world) mod join;
