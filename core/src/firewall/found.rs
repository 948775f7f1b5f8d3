//! An artifact that was found, with places relative to where it was looked for.

use crate::event::ArtifactFamily;

#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) family: ArtifactFamily,
    /// What closes it, if it goes on behind what was looked at.
    pub(super) closes: &'static [&'static str],
    /// Whether it was written into a text.
    pub(super) is_encoded: bool,
}
