//! The sandbox of Linux: namespaces, landlock and a filter of calls.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;

use folkmoot_core::port::{Network, Sandbox};
use nix::sched::CloneFlags;
use rustix::process::{getegid, geteuid};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};

use super::{AppliedSandbox, OPEN_FILES};

mod calls;
mod files;

/// From this version on landlock keeps signals in the sandbox, and with it all that is asked of it here.
const LANDLOCK_WHOLE: u32 = 6;
/// The first kernel, as major and minor, that counts the processes of a namespace by themselves.
const COUNTS_FROM: (u32, u32) = (5, 14);

/// Applies as much of `sandbox` to this process as the kernel can.
pub(super) fn apply(sandbox: &Sandbox, program: Option<&Path>) -> io::Result<AppliedSandbox> {
    let mut applied = AppliedSandbox::default();
    set_no_new_privs(true)?;
    // Opened before there are namespaces, in which some of them may look like another's.
    let rules = files::rules(sandbox, program);
    match enter_namespaces(sandbox.network)? {
        Ok(()) => applied.has_namespaces = true,
        Err(why) => applied.gaps.push(format!("namespaces: {why}")),
    }
    // Root has no limit of processes, not in a namespace either.
    applied.counts_processes = applied.has_namespaces && !geteuid().is_root() && is_counting();
    match rules.and_then(files::guard) {
        Ok(version) => {
            applied.landlock = version;
            if version < LANDLOCK_WHOLE {
                applied.gaps.push(format!(
                    "landlock has version {version} of {LANDLOCK_WHOLE}: {}",
                    files::kept_by(version)
                ));
            }
        }
        Err(error) => applied.gaps.push(format!("landlock: {error}")),
    }
    set_capabilities(None, NO_CAPABILITIES)?;
    match calls::filter(sandbox.network) {
        Ok(()) => applied.filters_calls = true,
        Err(error) => applied.gaps.push(format!("filter of calls: {error}")),
    }
    Ok(applied)
}

const NO_CAPABILITIES: CapabilitySets = CapabilitySets {
    effective: CapabilitySet::empty(),
    permitted: CapabilitySet::empty(),
    inheritable: CapabilitySet::empty(),
};

/// Moves this process into namespaces of its own, in which its user stays who it is. The inner error says why the kernel
/// refuses; then nothing has changed. The outer one is for a process that is stuck between.
fn enter_namespaces(network: Network) -> io::Result<Result<(), io::Error>> {
    let user = geteuid().as_raw();
    let group = getegid().as_raw();
    let spaces = CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWIPC;
    let spaces = match network {
        Network::None => spaces | CloneFlags::CLONE_NEWNET,
        Network::Any => spaces,
    };
    if let Err(error) = nix::sched::unshare(spaces) {
        return Ok(Err(error.into()));
    }
    write("/proc/self/setgroups", "deny")?;
    write("/proc/self/uid_map", &format!("{user} {user} 1"))?;
    write("/proc/self/gid_map", &format!("{group} {group} 1"))?;
    Ok(Ok(()))
}

fn write(path: &str, text: &str) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{path}: {error}"));
    let mut file = OpenOptions::new().write(true).open(path).map_err(named)?;
    file.write_all(text.as_bytes()).map_err(named)
}

/// Tells whether the kernel counts processes by namespace. An older one counts all of the user's.
fn is_counting() -> bool {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy();
    let mut parts = release.split('.').map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= COUNTS_FROM,
        _ => false,
    }
}

/// Closes every file that this process was started with, but for the three that a program has, and `kept`.
pub(super) fn close_strangers(kept: &File) -> io::Result<()> {
    let open: Vec<RawFd> = fs::read_dir(OPEN_FILES)?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2 && *number != kept.as_raw_fd())
        .collect();
    for number in open {
        // The folder that was just read is among them, and closed already.
        nix::unistd::close(number).ok();
    }
    Ok(())
}
