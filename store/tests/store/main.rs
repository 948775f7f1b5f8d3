//! The store from outside: conformance of engines and of the log over them, opening, damage, recovery.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod damage;
mod event_log;
mod fixture;
mod frame_log;
mod full_disk;
mod golden;
mod opening;
mod recovery;
