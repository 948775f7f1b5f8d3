//! The calls in a JSON value, and how far what is around them goes with them.

use super::call::Frame;
use crate::text::firewall::ArtifactFamily;

/// A value with less content of its own than this, beside the calls in it, is withheld with them.
/// What has more is a report: it loses its calls alone.
const CONTENT_MIN: usize = 2;

/// A call, at its place in the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) family: ArtifactFamily,
    /// True if it names a tool of this world.
    pub(super) is_own: bool,
    /// The number of its brackets that are open.
    pub(super) depth: usize,
}

/// The calls that were found so far, in order.
#[derive(Debug, Default)]
pub(super) struct FoundCalls {
    found: Vec<Call>,
    /// The content of the values that were closed last, by where they stand: see
    /// [`Frame::content`].
    content: Vec<(usize, usize)>,
}

impl FoundCalls {
    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    pub(super) fn take(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.found)
    }

    /// An object or array ends at `to`: it is a call, or holds some.
    pub(super) fn close(&mut self, frame: &Frame, to: usize, depth: usize) {
        let content = self.content_of(frame);
        let inner = self.found.get(frame.calls_before..).unwrap_or_default();
        let first = inner
            .first()
            .map(|call| call.family)
            .filter(|_| content < CONTENT_MIN);
        let own = frame.family();
        let Some(family) = own.or(first) else {
            self.content.push((frame.from, content));
            return;
        };
        let is_own = frame.is_own() || inner.iter().any(|call| call.is_own);
        self.found.truncate(frame.calls_before);
        self.found.push(Call {
            from: frame.from,
            to,
            family,
            is_own,
            depth,
        });
        // A call is no content of what is around it.
        self.content
            .push((frame.from, if own.is_some() { 0 } else { content }));
    }

    /// Returns what a value holds with all that is in it.
    fn content_of(&mut self, frame: &Frame) -> usize {
        let mut content = frame.content;
        while let Some((_, inner)) = self.content.pop_if(|(from, _)| *from > frame.from) {
            content += inner;
        }
        content
    }
}
