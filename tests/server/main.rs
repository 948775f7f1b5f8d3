//! The server is killed under its clients, again and again, and clients go on: real processes, sockets and stores.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

#[cfg(feature = "nodes")]
mod fleet;
mod life;
mod node;
mod people;
mod real_time;
mod record;
mod verdict;
