//! Decisions about calls of tools.

pub(in crate::world) mod admission;
pub(in crate::world) mod call;
pub(in crate::world) mod doubt;
