use std::io::{self, Write};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use folkmoot_core::ids::Digest;
use folkmoot_core::port::ToolCall;
use folkmoot_core::tool::ToolFailure;
use rustix::fs::{AtFlags, FileType, Gid, Mode, Stat, Uid, fchmod, fchown, fstat, statat};
use rustix::io::Errno;

use super::io_failure;
use super::open::Spot;
use super::turn::{turn_at, turn_in};

/// Files are written in pieces of this many bytes; between them a dropped run stops.
const PIECE: usize = 64 * 1024;

/// The name of a call's new file: another call cannot take the file away, and the next attempt finds it.
pub(super) fn part_name(call: &ToolCall) -> String {
    let key = Digest::of(&[call.idempotency_key.as_bytes()]);
    format!(".{}.part", key.short())
}

/// Writes beside the file and renames: a reader, or whoever looks after a crash, finds the old file or the new one, whose
/// rights are those of the old one. `check` is asked between pieces and before the rename.
pub(super) fn replace(
    spot: &Spot<'_>,
    content: &[u8],
    part: &str,
    check: impl Fn() -> Result<(), ToolFailure>,
) -> Result<(), ToolFailure> {
    let failure = |error: io::Error| spot.failure(&error);
    let names = spot.to_sync()?;
    let old = match statat(&spot.folder, spot.name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => {
            (FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile).then_some(stat)
        }
        Err(Errno::NOENT) => None,
        Err(error) => return Err(failure(error.into())),
    };
    // Nobody else may read what the old file kept from them, not even before it has its name.
    let mode = if old.is_some() { 0o600 } else { 0o666 };
    let written = fill(&spot.folder, part, mode, content, &check).and_then(|file| {
        old.map_or(Ok(()), |old| resemble(&file, &old))
            .map_err(|error| failure(error.into()))?;
        // Before the rename, or a power cut could leave the new name with an empty file.
        file.sync_all().map_err(failure)?;
        // What is added to the old file meanwhile would be lost, and so would another new one.
        let _names = turn_in(&spot.folder).map_err(failure)?;
        let stat = statat(&spot.folder, spot.name, AtFlags::SYMLINK_NOFOLLOW);
        let _file = stat.as_ref().map(turn_at);
        check()?;
        let renamed = spot.folder.rename(part, &spot.folder, spot.name);
        renamed.map_err(failure)
    });
    if let Err(error) = written {
        // What cannot be removed is overwritten by the next attempt; the first failure is the one to tell.
        spot.folder.remove_file(part).ok();
        return Err(error);
    }
    names.sync_all().map_err(failure)
}

/// Gives the new file the rights of the old one, and its group and owner where the system lets us. A program that ran with the
/// rights of another does so no more: its content is a new one.
fn resemble(file: &cap_std::fs::File, old: &Stat) -> Result<(), Errno> {
    let new = fstat(file)?;
    let group = Gid::from_raw(old.st_gid);
    let is_same_group = new.st_gid == old.st_gid || fchown(file, None, Some(group)).is_ok();
    // What the old group might do is nothing that another one may.
    let kept = if is_same_group { 0o777 } else { 0o707 };
    fchmod(file, Mode::from_raw_mode(old.st_mode & kept))?;
    if new.st_uid != old.st_uid {
        // Only an administrator may; for others the file becomes their own.
        fchown(file, Some(Uid::from_raw(old.st_uid)), None).ok();
    }
    Ok(())
}

/// A new file `part` that holds `content`. What an earlier attempt left under that name goes.
fn fill(
    folder: &Dir,
    part: &str,
    mode: u32,
    content: &[u8],
    check: impl Fn() -> Result<(), ToolFailure>,
) -> Result<cap_std::fs::File, ToolFailure> {
    let failure = |error: io::Error| io_failure(part, &error);
    match folder.remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failure(error)),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    // A new file, since a link of that name would lead the content elsewhere.
    options.write(true).create_new(true).mode(mode);
    let mut file = folder.open_with(part, &options).map_err(failure)?;
    // In pieces: work on a thread cannot be stopped but where it asks.
    for piece in content.chunks(PIECE) {
        check()?;
        file.write_all(piece).map_err(failure)?;
    }
    Ok(file)
}
