//! The outcome of a call, from what its program gave.

use std::io;

use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{HostError, HostOutput};
use folkmoot_core::tool::{ToolErrorCode, ToolOutcome, ToolOutput, View};

use crate::host::failed;
use crate::output::cut;

/// Words of programs that a sandbox stopped, and the keys that may be the reason.
const COMPLAINTS: [(&str, &str); 12] = [
    ("ermission denied", "`read` and `write`"),
    ("not permitted", "`read` and `write`"),
    ("ead-only file system", "`write`"),
    ("ould not resolve", "`network`"),
    ("name resolution", "`network`"),
    ("etwork is unreachable", "`network`"),
    ("annot fork", "`processes`"),
    ("esource temporarily unavailable", "`processes`"),
    ("annot allocate memory", "`memory`"),
    ("ut of memory", "`memory`"),
    ("ile too large", "`files`"),
    ("o space left", "`memory`"),
];
/// Signals by which a sandbox ends programs, and the keys that may be the reason.
const SIGNALS: [(i32, &str); 5] = [
    (6, "`memory`"),
    (9, "`cpu` or `memory`"),
    (11, "`memory`"),
    (24, "`cpu`"),
    (25, "`files`"),
];

/// The reach that a program had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confinement {
    /// The rights of the user.
    None,
    /// A sandbox.
    Sandbox,
}

/// The outcome of a program that ran. The output of a model's view has at most `max` bytes.
pub(super) fn outcome(output: &HostOutput, confinement: Confinement, max: u64) -> ToolOutcome {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let end = match output.code {
        Some(0) => {
            let text = cut(printed(&stdout, &stderr, output.is_cut), max);
            return ToolOutcome::Done(told(ToolOutput::text(text), &output.gaps));
        }
        Some(code) => format!("exit code {code}"),
        None => match output.signal {
            Some(signal) => format!("ended by signal {signal}"),
            None => "ended by a signal".to_owned(),
        },
    };
    let hint = match confinement {
        Confinement::None => String::new(),
        Confinement::Sandbox => hint(&stderr, output.signal),
    };
    let gaps = unapplied(&output.gaps).map_or_else(String::new, |gaps| format!("; {gaps}"));
    let detail = format!("{end}; stdout: {stdout}; stderr: {stderr}{hint}{gaps}");
    ToolOutcome::failed(ToolErrorCode::ExitedWithFailure, detail)
}

/// Names the keys of the sandbox that may have stopped the program.
fn hint(stderr: &str, signal: Option<i32>) -> String {
    let said = COMPLAINTS.iter().find(|(words, _)| stderr.contains(words));
    let ended = SIGNALS.iter().find(|(number, _)| Some(*number) == signal);
    let key = said.map(|(_, key)| key).or(ended.map(|(_, key)| key));
    key.map_or_else(String::new, |key| {
        format!("; the tool's `sandbox` may be why: see {key} there")
    })
}

/// The output with what people have to know of the sandbox.
fn told(output: ToolOutput, gaps: &[String]) -> ToolOutput {
    match unapplied(gaps) {
        Some(gaps) => {
            let text = output.text.clone();
            output
                .with(View::Text(text))
                .with(View::Text(format!("[{gaps}]")))
        }
        None => output,
    }
}

fn unapplied(gaps: &[String]) -> Option<String> {
    let gaps = gaps.join("; ");
    (!gaps.is_empty()).then(|| format!("not applied of the sandbox: {gaps}"))
}

fn printed(stdout: &str, stderr: &str, is_cut: bool) -> String {
    let complaint = if stderr.is_empty() {
        String::new()
    } else {
        format!("\n[standard error]\n{stderr}")
    };
    let cut = if is_cut {
        "\n[cut: the output is longer]"
    } else {
        ""
    };
    format!("{stdout}{complaint}{cut}")
}

/// A program that is not there is named by the arguments: a model can name another one.
pub(super) fn not_run(error: &HostError) -> ToolOutcome {
    if let HostError::NotStarted { source, .. } = error
        && source.kind() == io::ErrorKind::NotFound
    {
        return ToolOutcome::failed(ToolErrorCode::NotFound, with_causes(error));
    }
    failed(error)
}
