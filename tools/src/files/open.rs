use std::io;

use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt};
use folkmoot_core::tool::{ToolErrorCode, ToolFailure};
use rustix::fs::OFlags;

use super::{failed, io_failure};

/// What a path names.
pub(super) enum Opened {
    File(File),
    Folder(Dir),
}

/// Opens what `path` names, if it is a file or a folder. A pipe or a device is refused and never waited for.
pub(super) fn open(dir: &Dir, path: &str, options: &mut OpenOptions) -> Result<Opened, ToolFailure> {
    let failure = |error: io::Error| io_failure(path, &error);
    // The flag has no meaning for files; for a pipe it makes opening return at once.
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).map_err(|e| failure(io::Error::other(e)))?;
    let file = dir.open_with(path, options.custom_flags(flags)).map_err(failure)?;
    let metadata = file.metadata().map_err(failure)?;
    if metadata.is_dir() {
        return Ok(Opened::Folder(Dir::from_std_file(file.into_std())));
    }
    if metadata.is_file() {
        return Ok(Opened::File(file));
    }
    Err(failed(ToolErrorCode::BadArguments, format!("{path} is neither a file nor a folder")))
}
