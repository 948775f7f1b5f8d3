//! The ancestors of a process: a program that a tool started must not approve the tool's calls.

use std::io;
use std::path::Path;

use super::stat::{self, Stat};
use super::{HELPER_ARGUMENT, TOOL_VARIABLE};

/// More ancestors than this are not believed.
const ANCESTORS_MAX: usize = 4096;

/// Tells whether process `pid` is the process `runtime`, or descends from it, or from a tool of any
/// runtime.
///
/// For the control socket: `pid` is the peer's, `runtime` its own.
///
/// # Errors
/// When the ancestry of `pid` cannot be read, e.g. because the process has ended. Such a peer must be refused.
pub fn descends_from_runtime_or_tool(pid: u32, runtime: u32) -> io::Result<bool> {
    any_ancestor(pid, |process| {
        Ok(process.pid == runtime || is_of_tool(process.pid)?)
    })
}

/// Tells whether process `pid` is, or descends from, a helper or a program that a tool runs.
///
/// For commands that open a store themselves: `pid` is their own.
///
/// # Errors
/// When the ancestry of `pid` cannot be read. Such a process must be refused.
pub fn descends_from_tool(pid: u32) -> io::Result<bool> {
    any_ancestor(pid, |process| is_of_tool(process.pid))
}

fn any_ancestor(pid: u32, mut is_it: impl FnMut(Stat) -> io::Result<bool>) -> io::Result<bool> {
    let mut process = stat::read(pid)?;
    for _ in 0..ANCESTORS_MAX {
        if is_it(process)? {
            return Ok(true);
        }
        // Process 0 is the kernel, or a parent in another process namespace: the tools of this one end here.
        if process.parent == 0 || process.pid == 1 {
            return Ok(false);
        }
        let parent = stat::read(process.parent)?;
        if parent.started > process.started {
            // That id belongs to a later process: the parent has ended meanwhile.
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("the parent of {} has ended", process.pid),
            ));
        }
        process = parent;
    }
    Err(io::Error::other(format!(
        "process {pid} has more than {ANCESTORS_MAX} ancestors"
    )))
}

/// Tells whether `pid` is a helper, or has the mark that helpers give to their programs.
///
/// A program can wipe off its mark; it cannot change its ancestors. The mark covers a program whose helper was killed.
fn is_of_tool(pid: u32) -> io::Result<bool> {
    let command = read(pid, "cmdline")?;
    if command.is_empty() {
        // Dead, or just becoming another program.
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("process {pid} has no command line"),
        ));
    }
    Ok(
        command.split(|byte| *byte == 0).nth(1) == Some(HELPER_ARGUMENT.as_bytes())
            || is_marked(pid)?,
    )
}

fn is_marked(pid: u32) -> io::Result<bool> {
    let mark = format!("{TOOL_VARIABLE}=1").into_bytes();
    match read(pid, "environ") {
        Ok(variables) => Ok(variables
            .split(|byte| *byte == 0)
            .any(|variable| variable == mark)),
        // Another user's, like a login service: tools keep their user.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(false),
        Err(error) => Err(error),
    }
}

fn read(pid: u32, file: &str) -> io::Result<Vec<u8>> {
    std::fs::read(Path::new("/proc").join(pid.to_string()).join(file))
}
