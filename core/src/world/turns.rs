//! Turns of agents: their questions to models, their answers and their ends.

pub(super) mod activity;
pub(super) mod agents;
pub(super) mod ask;
pub(super) mod decide;
pub(super) mod fold;
pub(super) mod layers;
pub(super) mod summary;
pub(super) mod view;
