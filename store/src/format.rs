//! The bytes on disk. `docs/decisions/0001-store-layout.md` shows them as a picture.

use folkmoot_core::spec::limits::FACTS_BYTES_MAX;

pub(crate) mod bytes;
pub(crate) mod chain;
pub(crate) mod event;
pub(crate) mod frame;
pub(crate) mod header;
pub(crate) mod record;
#[cfg(test)]
mod tests;
pub(crate) mod upcast;

/// The version of frames, as it stands in each of them.
pub(crate) const FORMAT: u8 = 1;

/// The version of the whole layout, as it stands in the `format` file. From 2 on content can stand
/// beside the frames; 1 is read as well, and becomes 2 when the first content does.
pub(crate) const STORE_FORMAT: u8 = 2;

/// The most bytes a frame has. Twenty of them still fit a leaf page of sled, the most that a merge
/// of pages can bring together; a larger page would leave the log file.
pub(crate) const FRAME_MAX: usize = 6_500;

/// The most bytes a commit may have when it is stored, without the content that stands beside the
/// frames.
pub(crate) const COMMIT_MAX: usize = 960 * 1024;

/// Content with more bytes stands beside the frames.
pub(crate) const INLINE_MAX: usize = 56 * 1024;

/// Content that would bring a commit beyond this stands beside the frames, too: many small ones
/// must not make it too large.
pub(crate) const INLINE_ALL_MAX: usize = 256 * 1024;

/// The most bytes of a commit's header: its length has two bytes.
const HEADER_MAX: usize = 64 * 1024;

const _: () = assert!(
    FACTS_BYTES_MAX + INLINE_ALL_MAX + HEADER_MAX <= COMMIT_MAX,
    "what may be decided can be stored"
);

/// Bytes that are not what the format promises.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub(crate) String);

impl Malformed {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}
