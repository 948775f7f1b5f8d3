//! An embedder's program in its other parts: as the helper under which tools run programs, and as a worker.

use std::process::ExitCode;

use folkmoot_tools::{HELPER_ARGUMENT, WORKER_ARGUMENT, Workers, helper_main};

/// Makes this program its own tool helper: [`tool_helper_main_with`] without workers.
pub fn tool_helper_main() {
    tool_helper_main_with(&Workers::new());
}

/// Makes this program its own tool helper, and the worker that runs its blocking tools: called first in `main`, it returns
/// at once, unless the program was started as one of those. Then it serves as that and ends the process.
pub fn tool_helper_main_with(workers: &Workers) {
    let mut arguments = std::env::args_os().skip(1);
    let code = match arguments.next() {
        Some(part) if part == HELPER_ARGUMENT => helper_main(),
        Some(part) if part == WORKER_ARGUMENT => workers.serve(arguments.next()),
        Some(_) | None => return,
    };
    std::process::exit(if code == ExitCode::SUCCESS { 0 } else { 1 });
}
