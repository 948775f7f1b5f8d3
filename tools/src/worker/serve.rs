//! The worker's side: one call, one outcome.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::thread;

use folkmoot_core::ids::ToolName;
use folkmoot_core::spec::limits::CALL_BYTES_MAX;
use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};
use rustix::stdio::{dup2_stdin, dup2_stdout};

use super::{BlockingTool, WorkerCall, Workers};

pub(super) fn serve(workers: &Workers, name: &OsStr) -> ExitCode {
    match take_over().and_then(|(call, out)| send(&answer(workers, name, &call)?, out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if this fails too.
            writeln!(io::stderr(), "{error}").ok();
            ExitCode::FAILURE
        }
    }
}

/// Reads the call, and keeps both standard channels from the tool and from what it starts: what they print is no outcome.
fn take_over() -> io::Result<(String, File)> {
    let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    dup2_stdout(io::stderr())?;
    let mut call = String::new();
    io::stdin()
        .take(CALL_BYTES_MAX as u64)
        .read_to_string(&mut call)?;
    dup2_stdin(File::open("/dev/null")?)?;
    Ok((call, out))
}

fn answer(workers: &Workers, name: &OsStr, call: &str) -> io::Result<Vec<u8>> {
    let Some(tool) = name
        .to_str()
        .and_then(|name| workers.0.get(&ToolName::new(name).ok()?))
    else {
        let why = format!(
            "{} is not among the workers of this program",
            name.display()
        );
        return Ok(serde_json::to_vec(&ToolOutcome::failed(
            ToolErrorCode::Failed,
            why,
        ))?);
    };
    let outcome = match serde_json::from_str(call) {
        Ok(call) => run(tool.as_ref(), &call),
        Err(error) => ToolOutcome::failed(
            ToolErrorCode::Failed,
            format!("the call cannot be read: {error}"),
        ),
    };
    within(tool.spec().output_bytes_max, &outcome)
}

/// Runs the tool on a thread that is neither in a runtime nor ends the process when it panics.
fn run(tool: &dyn BlockingTool, call: &WorkerCall) -> ToolOutcome {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(tool.spec().name.to_string());
        match thread.spawn_scoped(scope, || tool.run(call)) {
            // It may have taken effect before.
            Ok(run) => run
                .join()
                .unwrap_or_else(|_| ToolOutcome::failed(ToolErrorCode::Lost, "it panicked")),
            Err(error) => ToolOutcome::failed(
                ToolErrorCode::Failed,
                format!("cannot start a thread: {error}"),
            ),
        }
    })
}

/// The outcome as JSON, if that has at most `max` bytes.
fn within(max: u64, outcome: &ToolOutcome) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(outcome)?;
    if json.len() as u64 <= max {
        return Ok(json);
    }
    let why = format!(
        "the outcome has {} bytes as JSON, {max} are allowed",
        json.len()
    );
    Ok(serde_json::to_vec(&ToolOutcome::failed(
        ToolErrorCode::TooLarge,
        why,
    ))?)
}

/// Writes the outcome on a line of its own.
fn send(outcome: &[u8], mut out: File) -> io::Result<()> {
    // A line of its own, since the tool may have printed words without a line end.
    out.write_all(&[b"\n", outcome, b"\n"].concat())
}
