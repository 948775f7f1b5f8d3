//! The client of the crate from outside.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod real_time;
