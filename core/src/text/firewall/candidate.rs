//! An artifact that was found, with places relative to where it was looked for.

use crate::text::firewall::ArtifactFamily;

#[derive(Debug, Clone, Copy)]
pub(super) struct FoundArtifact {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) family: ArtifactFamily,
    /// True if it was written into a text.
    pub(super) is_encoded: bool,
    /// True if it names a tool of this world, or is made up where only this world can speak.
    pub(super) is_own: bool,
}
