//! Reading `/proc/<pid>/stat`.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The identity of a process, which tells it from a later one with the same id, and its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) pid: u32,
    pub(super) parent: u32,
    /// The process group.
    pub(super) group: u32,
    /// In clock ticks after boot.
    pub(super) started: u64,
    /// Dead, and waiting to be reaped.
    pub(super) is_zombie: bool,
}

/// Reads about process `pid`.
pub(super) fn read(pid: u32) -> io::Result<Stat> {
    // A process's name may be any bytes.
    let text = std::fs::read(Path::new("/proc").join(pid.to_string()).join("stat"))?;
    parse(pid, &String::from_utf8_lossy(&text)).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("/proc/{pid}/stat has an unknown format"),
        )
    })
}

/// All processes that can be seen. Those that end meanwhile are left out.
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "there is no subreaper to sweep from")
)]
pub(super) fn all() -> io::Result<Vec<Stat>> {
    let entries = std::fs::read_dir("/proc")?;
    Ok(entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| read(pid).ok())
        .collect())
}

/// proc_pid_stat(5): `pid (name) state ppid pgrp …`, and the start time as field 22. The name may hold anything, `)` too.
pub(super) fn parse(pid: u32, text: &str) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let started = fields.nth(16)?.parse().ok()?;
    Some(Stat {
        pid,
        parent,
        group,
        started,
        is_zombie: matches!(state, "Z" | "X"),
    })
}

/// Returns those of `all` that descend from `root` and still live, parents before children.
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "there is no subreaper to sweep from")
)]
pub(super) fn descendants(all: &[Stat], root: u32) -> Vec<Stat> {
    let mut known = BTreeSet::from([root]);
    let mut found = Vec::new();
    loop {
        let generation: Vec<Stat> = all
            .iter()
            .filter(|p| known.contains(&p.parent) && !known.contains(&p.pid))
            .copied()
            .collect();
        if generation.is_empty() {
            return found;
        }
        known.extend(generation.iter().map(|process| process.pid));
        found.extend(generation.into_iter().filter(|process| !process.is_zombie));
    }
}
