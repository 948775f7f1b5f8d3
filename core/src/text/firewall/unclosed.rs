//! The places from which tags are known not to be closed, so that one that stands there costs
//! nothing to whoever looks for its end.
//!
//! A text may have the same opening tag again and again, and close none of them. Without this the
//! rest of the text would be read for each of them anew.

use std::collections::BTreeMap;

/// The unclosed tags of a text, by the names of opening tags.
#[derive(Debug, Default)]
pub(super) struct Unclosed(BTreeMap<&'static str, UntaggedStretch>);

/// Bytes of a text in which no closing tag begins: those that were read last.
#[derive(Debug, Clone, Copy)]
struct UntaggedStretch {
    from: usize,
    to: usize,
}

impl Unclosed {
    /// The first place, at `place` or behind it, at which a tag that closes `name` may begin.
    pub(super) fn skip(&self, name: &str, place: usize) -> usize {
        let stretch = self
            .0
            .get(name)
            .filter(|stretch| (stretch.from..stretch.to).contains(&place));
        stretch.map_or(place, |stretch| stretch.to)
    }

    /// Takes note that nothing between `from` and `to` closes `name`.
    pub(super) fn note(&mut self, name: &'static str, from: usize, to: usize) {
        let stretch = self
            .0
            .entry(name)
            .or_insert(UntaggedStretch { from, to: from });
        if !(stretch.from..=stretch.to).contains(&from) {
            *stretch = UntaggedStretch { from, to: from };
        }
        stretch.to = stretch.to.max(to);
    }
}
