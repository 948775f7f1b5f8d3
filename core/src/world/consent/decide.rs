//! Decisions about requests and grants.

pub(in crate::world) mod approval;
pub(in crate::world) mod grant;
pub(in crate::world) mod now;
pub(in crate::world) mod question;
pub(in crate::world) mod verification;
