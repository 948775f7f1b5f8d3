//! Limits of a process: memory, time, files and processes.

use std::io;

use folkmoot_core::port::Sandbox;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The most files that a process has open.
const OPEN_FILES_MAX: u64 = 1024;
/// The stack with which a process begins, where its memory is larger.
const STACK_BYTES: u64 = 8 << 20;
/// The addresses that a process may reserve for each byte of memory: some runtimes reserve far more than they use.
const ADDRESSES: u64 = 32;

/// Sets the limits of `sandbox`. All but the number of processes hold for each process by itself.
pub(super) fn set(sandbox: &Sandbox, counts_processes: bool) -> io::Result<()> {
    limit(Resource::Core, 0, 0)?;
    limit(Resource::Nofile, OPEN_FILES_MAX, OPEN_FILES_MAX)?;
    limit(Resource::Fsize, sandbox.file_bytes, sandbox.file_bytes)?;
    // First a signal that a program may heed, then one that it cannot.
    limit(
        Resource::Cpu,
        sandbox.cpu_s,
        sandbox.cpu_s.saturating_add(1),
    )?;
    if counts_processes {
        limit(Resource::Nproc, sandbox.processes, sandbox.processes)?;
    }
    let memory = sandbox.memory_bytes;
    limit(Resource::Stack, memory.min(STACK_BYTES), memory)?;
    limit(Resource::Data, memory, memory)?;
    let addresses = memory.saturating_mul(ADDRESSES);
    limit(Resource::As, addresses, addresses)
}

/// Lowers the limit: what the runtime itself may not do stays forbidden.
fn limit(resource: Resource, current: u64, maximum: u64) -> io::Result<()> {
    let held = getrlimit(resource).maximum;
    let lower = |wanted: u64| Some(held.map_or(wanted, |held| held.min(wanted)));
    let limit = Rlimit {
        current: lower(current),
        maximum: lower(maximum),
    };
    Ok(setrlimit(resource, limit)?)
}
