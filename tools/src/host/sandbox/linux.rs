//! The sandbox of Linux: namespaces, landlock and a filter of calls.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, RawFd};

use folkmoot_core::port::Network;
use nix::sched::CloneFlags;
use rustix::process::{
    DumpableBehavior, Signal, getegid, geteuid, set_dumpable_behavior,
    set_parent_process_death_signal,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, configure_capability_in_ambient_set, set_capabilities,
    set_no_new_privs,
};

use super::super::image::{Program, StartFault, go_to, id_of};
use super::step::{OPEN_FILES, Prepared, Spaces};
use super::{AppliedSandbox, StepOrder};

mod calls;
mod files;
mod mounts;
mod places;

use calls::Beyond;
use places::Places;

/// From this version on landlock keeps signals in the sandbox, and with it all that is asked of it here.
const LANDLOCK_WHOLE: u32 = 6;
/// The first kernel, as major and minor, that counts the processes of a namespace by themselves.
const COUNTS_FROM: (u32, u32) = (5, 14);

/// Applies as much of the sandbox of `order` to this process as the kernel can.
pub(super) fn apply(
    order: &StepOrder,
    spaces: &Spaces,
    program: Option<&Program>,
) -> Result<Prepared, StartFault> {
    let sandbox = &order.sandbox;
    let mut applied = AppliedSandbox::default();
    set_no_new_privs(true).map_err(io::Error::from)?;
    let places = Places::open(sandbox)?;
    let alone = program.filter(|program| !places.cover(program));
    let mut scratch = None;
    let mut is_read_only = false;
    match spaces {
        Spaces::Shared(why) => applied.gaps.push(format!(
            "namespaces: {why}; modes, owners and times of files outside can be changed, and a flood of processes ends late"
        )),
        Spaces::Own => {
            applied.has_namespaces = true;
            let here = id_of(&File::open(".")?)?;
            let mounted = mounts::arrange(order, &places);
            is_read_only = mounted.gaps.is_empty();
            applied.gaps.extend(mounted.gaps);
            scratch = mounted.scratch;
            // The same folder, on the mount that can be written.
            go_to(&std::env::current_dir()?, Some(here))?;
        }
    }
    // Root has no limit of processes, not in a namespace either.
    applied.counts_processes = applied.has_namespaces && !geteuid().is_root() && is_counting();
    match files::rules(sandbox, &places, scratch, alone).and_then(files::guard) {
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
    set_capabilities(None, NO_CAPABILITIES).map_err(io::Error::from)?;
    let beyond = Beyond {
        network: sandbox.network,
        keeps_group: !applied.has_namespaces,
        // A program that only reads needs none of them.
        keeps_marks: !is_read_only && sandbox.write.is_empty(),
    };
    match calls::filter(&beyond) {
        Ok(()) => applied.filters_calls = true,
        Err(error) => applied.gaps.push(format!("filter of calls: {error}")),
    }
    Ok(Prepared {
        applied,
        is_exact: alone.is_some(),
        scratch,
    })
}

const NO_CAPABILITIES: CapabilitySets = CapabilitySets {
    effective: CapabilitySet::empty(),
    permitted: CapabilitySet::empty(),
    inheritable: CapabilitySet::empty(),
};

/// Moves this process into namespaces of its own, in which its user stays who it is, and what it starts into one of
/// processes. The inner error says why the kernel refuses; then nothing has changed. The outer one is for a process that is
/// stuck between.
pub(super) fn enter_namespaces(network: Network) -> io::Result<Result<(), io::Error>> {
    let user = geteuid().as_raw();
    let group = getegid().as_raw();
    let spaces = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID;
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

/// Lets the kernel kill this process when its parent ends, also if that one is killed.
pub(super) fn die_with_parent() -> io::Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Keeps the open files of this process from the program, which is of the same user.
pub(super) fn hide() -> io::Result<()> {
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
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

/// Leaves the right to mount to the next program of this process, which a user without rights loses otherwise.
pub(super) fn lend_mounting() -> io::Result<()> {
    let mounting = CapabilitySet::SYS_ADMIN;
    let lent = CapabilitySets {
        effective: mounting,
        permitted: mounting,
        inheritable: mounting,
    };
    set_capabilities(None, lent)?;
    Ok(configure_capability_in_ambient_set(mounting, true)?)
}

/// The files that this process was started with, but for the three that a program has, and `kept`.
pub(super) fn strangers(kept: &[&File]) -> io::Result<Vec<RawFd>> {
    let kept: Vec<RawFd> = kept.iter().map(|file| file.as_raw_fd()).collect();
    Ok(fs::read_dir(OPEN_FILES)?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2 && !kept.contains(number))
        .collect())
}

pub(super) fn close_all(files: Vec<RawFd>) {
    for number in files {
        // The folder that was read for them is among them, and closed already.
        nix::unistd::close(number).ok();
    }
}
