//! A fleet: whole processes over one database, which are killed, stopped, cut off and drained.
//!
//! Each node is a process of its own: this binary once more, see [`node`]. It writes down what it was told and did, and the
//! test writes down what it asked, was told and saw. A [`checker`] then holds the log against all of these books.
//!
//! Pass or fail is only what is safe, and that everything comes to an end. How long it took is printed.
//! Where PostgreSQL is missing, each test says that it is skipped, and passes.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]
#![expect(clippy::print_stdout, reason = "figures are printed, and not judged")]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a look into a book or a log is for one kind of line among many"
)]

mod books;
mod checker;
mod figures;
mod fleet;
mod history;
mod house;
mod node;
mod wait;

mod crowd;

mod approvals;
mod deaths;
mod drains;
mod outages;
mod partitions;
mod pauses;

#[expect(
    dead_code,
    reason = "the tests of the ledger cut statements one by one"
)]
#[path = "../../store/tests/postgres/proxy.rs"]
mod proxy;

#[expect(
    dead_code,
    reason = "the tests of the ledger set the server up in other ways"
)]
#[path = "../../store/tests/postgres/server.rs"]
mod server;

/// The number of times that a test does something: that of a variable, or few.
fn scale(variable: &str, few: usize) -> usize {
    let asked = std::env::var(variable).ok();
    asked.map_or(few, |asked| asked.parse().unwrap())
}
