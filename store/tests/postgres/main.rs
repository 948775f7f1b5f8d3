//! A ledger in PostgreSQL: on real servers, which are killed, cut off and set up wrongly.
//!
//! Where PostgreSQL is missing, each test says that it is skipped, and passes.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod bouncer;
mod clock;
mod compaction;
mod deaths;
mod disk;
mod leases;
mod limits;
mod opening;
mod proxy;
mod races;
mod rows;
mod same;
mod server;
mod standby;
mod streams;
