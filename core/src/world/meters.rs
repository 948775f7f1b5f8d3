//! Limits of calls, tokens and money, and how much of each is used.

pub(super) mod budget;
pub(super) mod decide;
pub(super) mod episode;
pub(super) mod meter;
pub(super) mod services;
