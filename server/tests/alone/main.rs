//! Attacks whose cost is read from this process, and what a server logs: one at a time, and in a
//! process of their own, so that no other test counts.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panics"
)]
#![expect(dead_code, reason = "the harness serves other tests too")]

mod floods;
#[path = "../attacks/harness.rs"]
mod harness;
mod logs;

/// Held by the one test that runs.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
