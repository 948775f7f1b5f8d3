//! Running programs so that nothing of them outlives the runtime.
//!
//! ```text
//! runtime ──order, then an open pipe──▶ helper ──▶ program ──▶ whatever it starts
//!         ◀────── report, outputs ─────
//! ```
//!
//! The helper is its own session and the *subreaper* of all that the program starts: a process that detaches itself
//! becomes the helper's child. When the program ends, its time is over, or the pipe closes (because the run was dropped
//! or the runtime died, by SIGKILL too), the helper kills every descendant, waits until none is left, and releases its
//! lock.
//!
//! Outside of a sandbox a program has the rights of the runtime's user, and could kill its own helper. What the runtime
//! itself was started with and nobody marked to be closed, like a file of the shell that started it, is open in it too.
//! Subreapers and sandboxes exist on Linux only; elsewhere just the program's process group is killed.

pub mod ancestry;
mod failure;
mod helper;
mod image;
mod lock;
mod process;
mod sandbox;
mod stat;
mod sweep;
mod wire;

pub(crate) use failure::failed;
pub use helper::{HELPER_ARGUMENT, TOOL_VARIABLE, helper_main};
pub(crate) use image::{handle_of, id_of};
pub(crate) use lock::lock_of;
pub use process::ProcessHost;
#[cfg(feature = "testing")]
pub(crate) use process::read_report;
pub(crate) use process::usual_variables;
pub use sandbox::{AppliedSandbox, own_program, try_sandbox};

#[cfg(test)]
mod tests;
