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
/// The processes that count and are not the program's: the step and the first process.
const OWN_PROCESSES: u64 = 2;

/// Sets the limits of `sandbox`, and tells which the system refuses. All but the number of processes hold for each
/// process by itself.
pub(super) fn set(sandbox: &Sandbox, counts_processes: bool) -> Vec<String> {
    let memory = sandbox.memory_bytes;
    let addresses = memory.saturating_mul(ADDRESSES);
    let processes = sandbox.processes.saturating_add(OWN_PROCESSES);
    // First a signal that a program may heed, then one that it cannot.
    let (cpu, cpu_max) = (sandbox.cpu_s, sandbox.cpu_s.saturating_add(1));
    let limits = [
        ("core files", Resource::Core, 0, 0),
        (
            "open files",
            Resource::Nofile,
            OPEN_FILES_MAX,
            OPEN_FILES_MAX,
        ),
        (
            "files",
            Resource::Fsize,
            sandbox.file_bytes,
            sandbox.file_bytes,
        ),
        ("cpu", Resource::Cpu, cpu, cpu_max),
        ("processes", Resource::Nproc, processes, processes),
        ("stack", Resource::Stack, memory.min(STACK_BYTES), memory),
        ("memory", Resource::Data, memory, memory),
        ("addresses", Resource::As, addresses, addresses),
    ];
    limits
        .into_iter()
        .filter(|(_, resource, ..)| counts_processes || *resource != Resource::Nproc)
        .filter_map(|(name, resource, current, maximum)| {
            let error = limit(resource, current, maximum).err()?;
            Some(format!("limit of {name}: {error}"))
        })
        .collect()
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
