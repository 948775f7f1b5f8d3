//! Decisions about messages.

pub(in crate::world) mod message;
pub(in crate::world) mod observe;
pub(in crate::world) mod revision;
pub(in crate::world) mod withholding;
