//! One model, all logs: random operations on a store, or on an engine alone, and the same on plain maps. After each of them
//! what can be seen of the one is what the other says.
//!
//! The part `engine` speaks to [`folkmoot_store::FrameLog`] and [`folkmoot_store::Shelf`], the part `store` to the ports over
//! them: if only the latter fails, the engine held.
//!
//! An operation has no precondition: one that cannot succeed has to fail as the model does. So a list of operations stays one
//! when some are left out, and a failure is shrunk to the few that matter.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking, and how much it did"
)]

#[path = "../store/fixture.rs"]
#[expect(dead_code, reason = "the tests by example use more of it")]
mod fixture;

mod cases;
mod engine;
mod store;
mod subject;
