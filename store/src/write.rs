//! Writing: commits into batches, branches, erasures, deletions, and what a process that died has
//! left.

pub(crate) mod admission;
pub(crate) mod batch;
pub(crate) mod committer;
pub(crate) mod deletion;
pub(crate) mod encode;
pub(crate) mod erase;
pub(crate) mod group;
pub(crate) mod leader;
pub(crate) mod lineage;
pub(crate) mod queue;
pub(crate) mod recover;
