//! The command line from outside: what it prints, and how it exits.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking, and a test that is skipped says so"
)]

mod amend;
mod attach;
mod chat;
mod consent;
mod decisions;
mod desk;
mod erase;
mod evidence;
mod expectations;
mod export;
mod fork;
mod help;
mod init;
mod json;
mod keys;
mod life;
mod looking;
mod lost;
mod mistakes;
mod plurals;
mod prompt;
mod reads;
mod real_time;
mod rebuild;
mod rules;
mod scripts;
mod spans;
mod state_diff;
mod talk;
mod tokens;
mod trials;
mod verify;
mod views;
mod why;
mod wrong;
