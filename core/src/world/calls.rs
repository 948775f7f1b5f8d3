//! Calls of tools: admitted, run, repeated, in doubt and ended.

pub(super) mod decide;
pub(super) mod done;
pub(super) mod fold;
pub(super) mod memo;
pub(super) mod starting;
