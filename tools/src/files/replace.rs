use std::io::{self, Write};

use cap_std::fs::{Dir, OpenOptions};
use folkmoot_core::ids::Digest;
use folkmoot_core::port::ToolCall;
use folkmoot_core::tool::ToolFailure;

use super::io_failure;
use super::open::Spot;

/// Files are written in pieces of this many bytes; between them a dropped run stops.
const PIECE: usize = 64 * 1024;

/// The name of a call's new file: another call cannot take the file away, and the next attempt finds it.
pub(super) fn part_name(call: &ToolCall) -> String {
    let key = Digest::of(&[call.idempotency_key.as_bytes()]);
    format!(".{}.part", key.short())
}

/// Writes beside the file and renames: a reader, or whoever looks after a crash, finds the old file or the new one, whose
/// mode is that of the old one. `check` is asked between pieces and before the rename.
pub(super) fn replace(
    spot: &Spot<'_>,
    content: &[u8],
    part: &str,
    check: impl Fn() -> Result<(), ToolFailure>,
) -> Result<(), ToolFailure> {
    let failure = |error: io::Error| spot.failure(&error);
    let names = spot.to_sync()?;
    let permissions = match spot.folder.symlink_metadata(spot.name) {
        Ok(metadata) => metadata.is_file().then(|| metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failure(error)),
    };
    let written = fill(&spot.folder, part, content, &check).and_then(|file| {
        permissions
            .map_or(Ok(()), |permissions| file.set_permissions(permissions))
            .map_err(failure)?;
        // Before the rename, or a power cut could leave the new name with an empty file.
        file.sync_all().map_err(failure)?;
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

/// A new file `part` that holds `content`. What an earlier attempt left under that name goes.
fn fill(
    folder: &Dir,
    part: &str,
    content: &[u8],
    check: impl Fn() -> Result<(), ToolFailure>,
) -> Result<cap_std::fs::File, ToolFailure> {
    let failure = |error: io::Error| io_failure(part, &error);
    match folder.remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failure(error)),
        Ok(()) | Err(_) => {}
    }
    let mut file = folder
        // A new file, since a link of that name would lead the content elsewhere.
        .open_with(part, OpenOptions::new().write(true).create_new(true))
        .map_err(failure)?;
    // In pieces: work on a thread cannot be stopped but where it asks.
    for piece in content.chunks(PIECE) {
        check()?;
        file.write_all(piece).map_err(failure)?;
    }
    Ok(file)
}
