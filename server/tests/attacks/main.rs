//! Attacks on a server that really listens: each is refused and bounded, and others are served
//! meanwhile.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panics"
)]

mod disk;
mod harness;
mod heads;
mod life;
mod names;
mod silence;
