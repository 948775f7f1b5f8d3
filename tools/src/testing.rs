//! Doors for the fuzzing of what helpers and workers answer, and of what a query may be.

use std::io;

use folkmoot_core::port::HostOutput;
use folkmoot_core::tool::ToolOutcome;

#[cfg(feature = "sql")]
pub use crate::sql::door::{SqlVerdict, ask_shop, make_shop};
use crate::{host, worker};

/// Reads what a helper reports; its outputs are those of the program.
///
/// # Errors
/// If the report does not read, or less than it says stands behind it.
pub async fn read_report(bytes: &[u8]) -> io::Result<(Vec<u8>, Vec<u8>)> {
    host::read_report(bytes).await
}

/// Reads the outcome that a worker wrote.
#[must_use]
pub fn read_outcome(output: &HostOutput) -> ToolOutcome {
    worker::outcome(output)
}
