//! Reading what a worker gave.

use folkmoot_core::port::HostOutput;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure, ToolOutcome};

#[cfg(test)]
mod tests;

/// The most bytes of either output that an operator is shown: the last ones, which say why it ended.
const SHOWN_MAX: usize = 4096;

/// The outcome on the last line. A worker that ended without one may have taken effect before: what became of its run is
/// not known.
pub(crate) fn outcome(output: &HostOutput) -> ToolOutcome {
    match serde_json::from_slice(last_line(&output.stdout)) {
        Ok(ToolOutcome::Failed(failure)) => ToolOutcome::Failed(ToolFailure {
            detail: format!(
                "{}{}",
                failure.detail,
                said("standard error", &output.stderr)
            ),
            ..failure
        }),
        Ok(outcome @ (ToolOutcome::Done(_) | ToolOutcome::NeedsInput(_))) => outcome,
        Err(error) => ToolOutcome::failed(ToolErrorCode::Lost, without_answer(output, &error)),
    }
}

/// Returns the last line. Text that a program prints before it is a worker stands on lines of its
/// own.
fn last_line(text: &[u8]) -> &[u8] {
    text.trim_ascii_end()
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default()
}

fn without_answer(output: &HostOutput, error: &serde_json::Error) -> String {
    let end = output.code.map_or_else(
        || "by a signal".to_owned(),
        |code| format!("with exit code {code}"),
    );
    let stdout = said("standard output", &output.stdout);
    let stderr = said("standard error", &output.stderr);
    format!("the worker ended {end} and gave no outcome ({error}){stdout}{stderr}")
}

/// The end of what a program wrote, under the name of the output; nothing if it wrote nothing.
fn said(name: &str, bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return String::new();
    }
    let shown = bytes
        .get(bytes.len().saturating_sub(SHOWN_MAX)..)
        .unwrap_or(bytes);
    format!("\n[{name}]\n{}", String::from_utf8_lossy(shown))
}
