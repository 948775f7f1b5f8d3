//! Faults: the real command and the real store are killed, cut from power, refused by their disk and rotted.
//!
//! Every suite does a little in `cargo test`, more in `.ci/run faults`, and as much as its variable says in `tests/long.sh`.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod cuts;
mod io;
mod kills;
mod load;
mod program;
mod rot;
mod scale;
mod work;

/// A script of the tests' own: one of all tests, or one of this binary, which waits for people.
fn script(name: &str) -> std::path::PathBuf {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = here.join("faults/worlds").join(name).with_extension("yaml");
    if own.exists() {
        own
    } else {
        here.join("worlds").join(name).with_extension("yaml")
    }
}
