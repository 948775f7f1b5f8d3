//! Copies of a store: a backup of a whole one, and what is whole of a damaged one.

pub(crate) mod backup;
pub(crate) mod rebuild;
