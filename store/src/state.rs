//! A store in memory: its worlds, how far each of them reaches, and what its threads share.

pub(crate) mod content;
pub(crate) mod index;
pub(crate) mod labels;
pub(crate) mod shared;
pub(crate) mod stats;
pub(crate) mod summary;
