//! The world as a whole: begun, opened, revised, copied, branched off, and played from a script.

pub(super) mod decide;
pub(super) mod fold;
pub(super) mod lineage;
pub(super) mod script;
