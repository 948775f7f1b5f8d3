//! The mounts of a program: all is there to be read, and only its own places can be changed.
//!
//! Landlock guards what files hold and what they are called. It does not guard their modes, owners, times and attributes.

use std::ffi::{CString, OsString};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change,
    mount_remount, move_mount, open_tree,
};

use super::super::StepOrder;
use super::super::step::USUAL_TMPDIR;
use super::places::{Place, Places};

/// The folders that can become the program's own one for passing files.
const SCRATCH: [&str; 3] = [USUAL_TMPDIR, "/var/tmp", "/dev/shm"];
/// The most files in it.
const SCRATCH_FILES: u64 = 65_536;

/// The mounts as they are now.
pub(super) struct Mounted {
    /// The folder for the program's passing files, if it has one to itself.
    pub(super) scratch: Option<&'static str>,
    /// What could not be arranged.
    pub(super) gaps: Vec<String>,
}

/// Makes everything read-only but the places to write to, and gives the program its own processes to see and its own folder
/// for passing files.
pub(super) fn arrange(order: &StepOrder, places: &Places) -> Mounted {
    match try_arrange(order, places) {
        Ok(scratch) => Mounted {
            scratch,
            gaps: Vec::new(),
        },
        Err(error) => Mounted {
            scratch: None,
            gaps: vec![format!(
                "mounts: {error}; modes, owners and times of files outside can be changed"
            )],
        },
    }
}

fn try_arrange(order: &StepOrder, places: &Places) -> io::Result<Option<&'static str>> {
    mount_change(
        "/",
        MountPropagationFlags::REC | MountPropagationFlags::PRIVATE,
    )?;
    // Before all is read-only: these stay as they are.
    let written: Vec<_> = places
        .written()
        .filter(|place| !is_inside(place, places))
        .map(|place| Ok((place, tree_of(place)?)))
        .collect::<io::Result<_>>()?;
    // With the old one the program sees the names of others. A container may forbid a new one.
    let proc = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", proc, None).ok();
    make_read_only()?;
    for (place, tree) in written {
        let flags =
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
        move_mount(tree, "", &place.handle, "", flags)?;
    }
    Ok(make_scratch(order, places))
}

/// Tells whether `place` lies beneath another one to write to: a mount of its own could not be moved or deleted.
fn is_inside(place: &Place, places: &Places) -> bool {
    let holds = |other: &Place, place: &Path| {
        other
            .path()
            .is_ok_and(|other| place != other && place.starts_with(other))
    };
    place
        .path()
        .is_ok_and(|place| places.written().any(|other| holds(other, &place)))
}

fn tree_of(place: &Place) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(&place.handle, "", flags)?)
}

/// Makes every mount read-only that the program can come to.
fn make_read_only() -> io::Result<()> {
    let mounts = fs::read("/proc/self/mountinfo")?;
    for line in mounts.split(|byte| *byte == b'\n') {
        let Some((place, flags)) = parse(line) else {
            continue;
        };
        if flags.contains(MountFlags::RDONLY) {
            continue;
        }
        let flags = flags | MountFlags::BIND | MountFlags::RDONLY;
        match mount_remount(&place, flags, "") {
            // Another mount hides it, or a folder that the user cannot enter.
            Ok(()) | Err(Errno::ACCESS | Errno::NOENT | Errno::INVAL) => {}
            Err(error) => {
                let why = format!("{}: {error}", place.display());
                return Err(io::Error::new(io::Error::from(error).kind(), why));
            }
        }
    }
    Ok(())
}

/// Reads the place and the flags of a mount, as proc_pid_mountinfo(5) has them.
fn parse(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(|byte| *byte == b' ');
    let place = unescaped(fields.nth(4)?);
    let options = std::str::from_utf8(fields.next()?).ok()?;
    let flags = options.split(',').map(|option| match option {
        "ro" => MountFlags::RDONLY,
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "nosymfollow" => MountFlags::from_bits_retain(1 << 8),
        // Those about times stay as they are where none is named.
        _ => MountFlags::empty(),
    });
    Some((
        PathBuf::from(OsString::from_vec(place)),
        flags.fold(MountFlags::empty(), |all, flag| all | flag),
    ))
}

/// The kernel writes blanks and the like as a backslash and three octal digits.
fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((first, others)) = rest.split_first() {
        let digits = others.get(..3).filter(|_| *first == b'\\');
        let number = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match number {
            Some(byte) => {
                plain.push(byte);
                rest = others.get(3..).unwrap_or_default();
            }
            None => {
                plain.push(*first);
                rest = others;
            }
        }
    }
    plain
}

/// Mounts a folder in memory over one that the program does not need, if there is one.
fn make_scratch(order: &StepOrder, places: &Places) -> Option<&'static str> {
    let own = std::env::current_dir().ok();
    let named: Vec<PathBuf> = places
        .iter()
        .filter_map(|place| place.path().ok())
        .chain(own)
        .collect();
    let usual = Path::new(USUAL_TMPDIR);
    if places
        .written()
        .any(|place| place.path().is_ok_and(|place| usual.starts_with(place)))
    {
        return None;
    }
    let touches = |folder: &Path| {
        named
            .iter()
            .any(|place| place.starts_with(folder) || folder.starts_with(place))
    };
    let size = order.sandbox.memory_bytes;
    let options = format!("size={size},nr_inodes={SCRATCH_FILES},mode=1777");
    let options = CString::new(options).ok()?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    SCRATCH.into_iter().find(|folder| {
        let path = Path::new(folder);
        let is_there = fs::symlink_metadata(path).is_ok_and(|there| there.is_dir());
        is_there
            && !touches(path)
            && mount("tmpfs", path, "tmpfs", flags, Some(options.as_c_str())).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_read_with_its_name_and_flags() {
        let line = br"36 35 98:0 / /mnt/a\040b\134c ro,nosuid,relatime shared:1 - ext4 /dev/sda rw";
        let (place, flags) = parse(line).unwrap();
        assert_eq!(place, Path::new("/mnt/a b\\c"));
        assert_eq!(flags, MountFlags::RDONLY | MountFlags::NOSUID);
        assert_eq!(parse(b"36 35"), None);
    }
}
