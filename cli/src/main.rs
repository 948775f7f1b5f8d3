//! The folkmoot command line: scripts, chats, logs and decisions in a terminal.
//!
//! It deliberately decides nothing: it reads arguments, hands them to the runtime, and shows what
//! comes. Read first: `arguments` (what can be typed), `commands` (what is done), `exit` (what the
//! exit codes mean).

use std::process::ExitCode;

mod arguments;
mod commands;
mod control;
mod credentials;
mod desk;
mod exit;
mod interrupt;
mod nearest;
mod new_file;
mod otlp;
mod parts;
mod person;
mod play;
mod recording;
mod remote;
mod session;
mod show;
mod signing;
mod source;
mod terminal;
mod text;
mod view;

/// Events are allocated on the thread that reads and freed on the one that folds. With the system's
/// allocator a log replays at half the speed: see `docs/assurance.md`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    folkmoot::tool_helper_main();
    commands::main()
}
