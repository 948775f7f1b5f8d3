//! Tests across the crates, in one binary.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]
#![expect(clippy::print_stdout, reason = "a sweep says how much it covered")]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for one thing among many"
)]

mod architecture;
mod audit;
mod canaries;
#[cfg(feature = "data")]
mod data;
mod elsewhere;
mod epochs;
mod erasure;
mod feed;
mod files;
mod forks;
mod golden;
mod labels;
mod laws;
mod nodes;
mod openings;
mod own;
mod patterns;
#[cfg(feature = "nodes")]
#[expect(
    dead_code,
    reason = "the tests of the ledger set the server up in other ways"
)]
#[path = "../../store/tests/postgres/server.rs"]
mod postgres;
mod random;
mod real_time;
mod replay;
mod requests;
mod rooms;
mod scripts;
mod signing;
mod sleep;
mod spans;
mod sweep;
mod transcript;
mod words;

/// The helper under which programs run: a binary of this package, which cargo builds before the tests.
fn helper() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_BIN_EXE_folkmoot-test-helper"))
}
