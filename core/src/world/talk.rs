//! Messages: posted, edited, taken back, and the states that clients show.

pub(super) mod decide;
pub(super) mod fold;
pub(super) mod observed;
pub(super) mod transcript;
