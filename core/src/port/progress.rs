//! Reports of a tool while it runs.

use std::fmt::Debug;

use crate::event;
use crate::ids::Digest;

/// The most bytes of one report; what is longer is cut.
pub const REPORT_BYTES_MAX: usize = 512;

/// Where a tool's reports go: to whoever watches, at once. A report changes nothing, and no model
/// reads it. The log keeps how many there were and their digest, if the run has a result.
pub trait Progress: Send + Sync + Debug {
    /// Tells how far the run has come, in one line of at most [`REPORT_BYTES_MAX`]. Never waits.
    /// Behind the end of the run nobody hears it.
    fn report(&self, text: &str);
}

/// Takes reports that nobody hears.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unheard;

impl Progress for Unheard {
    fn report(&self, _text: &str) {}
}

impl event::Progress {
    /// The progress of a run with one more report behind `before`. Its digest is [`Digest::of`] the
    /// digest before it (of zeros at first) and the text. The count stops at the largest number.
    #[must_use]
    pub fn after(before: Option<Self>, text: &str) -> Self {
        let Self { reports, digest } = before.unwrap_or(Self {
            reports: 0,
            digest: Digest::default(),
        });
        let digest = Digest::of(&[digest.as_bytes(), text.as_bytes()]);
        Self {
            reports: reports.saturating_add(1),
            digest,
        }
    }
}
