//! The committer, the sweeper and those who append, read, follow, verify, erase, delete and close,
//! in any order: the locks and threads of the store are shuttle's, which chooses who runs next at
//! each of them.
//!
//!     cargo test -p folkmoot-store --features shuttle --lib interleavings
//!
//! `FOLKMOOT_SCHEDULES` says how many orders are tried for each test, `FOLKMOOT_SCHEDULE_SEED`
//! which. The same seed tries the same ones. A quarter of them are chosen so that few changes of
//! who runs suffice to find a fault.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test says what went wrong, and what it tried"
)]

mod answers;
mod chores;
mod ends;
mod engine;
mod readers;
mod tries;
