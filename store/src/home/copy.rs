//! The mark of a copy: a store that was made of another one says which copy it is. Nothing removes
//! it: each world remembers the copy that it was opened in last.

use std::io;
use std::path::Path;

use folkmoot_core::ids::CopyId;
use uuid::Uuid;

use super::replace;
use crate::engine::EngineError;
use crate::sync::random;

/// The file that the id stands in.
pub(crate) const FILE: &str = "copy";

/// The text before the id.
const MARK: &str = "folkmoot copy ";

/// Marks the store in `folder` as a copy that nobody has made before.
pub(super) fn mark(folder: &Path) -> io::Result<()> {
    let mut id = [0; 16];
    random::fill(&mut id).map_err(io::Error::other)?;
    let id = uuid::Builder::from_random_bytes(id).into_uuid();
    replace(folder, FILE, format!("{MARK}{}\n", id.simple()).as_bytes())
}

/// The copy that the store in `folder` is; `None` if it is none.
pub(crate) fn read(folder: &Path) -> Result<Option<CopyId>, EngineError> {
    let text = match std::fs::read(folder.join(FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(EngineError::Io)?,
    };
    let id = std::str::from_utf8(&text)
        .ok()
        .and_then(|text| text.strip_prefix(MARK));
    let id = id.and_then(|id| Uuid::try_parse(id.trim_end()).ok());
    let damaged = || {
        EngineError::Damaged(format!(
            "the file `{FILE}`, which says which copy of a store this is, cannot be read"
        ))
    };
    id.map(|id| Some(CopyId(id))).ok_or_else(damaged)
}
