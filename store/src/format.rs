//! The bytes on disk. `docs/decisions/0001-store-layout.md` shows them as a picture.

pub(crate) mod bytes;
pub(crate) mod event;
pub(crate) mod frame;
pub(crate) mod header;
pub(crate) mod record;
#[cfg(test)]
mod tests;

/// The version of the whole layout, as it stands in the `format` file and in every frame.
pub(crate) const FORMAT: u8 = 1;

/// The most bytes a frame has. Twenty of them still fit a leaf page of sled, the most that a merge of pages can bring
/// together; a larger page would leave the log file.
pub(crate) const FRAME_MAX: usize = 6_500;

/// The most bytes a commit may have when it is stored.
pub(crate) const COMMIT_MAX: usize = 512 * 1024;

/// Bytes that are not what the format promises.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub(crate) String);

impl Malformed {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}
