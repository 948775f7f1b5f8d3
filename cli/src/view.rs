//! Questions that only read, and their answers as the control socket carries them.
//!
//! The answers themselves are those of `folkmoot::view`.

pub(crate) mod answer;
pub(crate) mod query;
