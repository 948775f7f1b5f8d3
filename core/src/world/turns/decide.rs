//! Decisions about turns.

pub(in crate::world) mod answer;
pub(in crate::world) mod calling;
pub(in crate::world) mod closing;
pub(in crate::world) mod compaction;
pub(in crate::world) mod fallback;
pub(in crate::world) mod model;
pub(in crate::world) mod turn;
