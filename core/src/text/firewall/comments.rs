//! The places from which comments are known not to end, so that one within a comment costs nothing
//! to whoever begins to read there.
//!
//! A value can begin at each bracket, also at one that an earlier value had in a comment. Without
//! this each of them would read to the end of that comment anew.

use super::value::LEVELS_MAX;

/// A comment that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comment {
    /// To the end of the line.
    Line,
    /// To `*/`, of which the star may just have been read.
    Block { is_star: bool },
}

/// The knowledge of the comments of a text, by how many times they were written into texts.
#[derive(Debug, Default)]
pub(super) struct Comments {
    lines: [CommentStretch; LEVELS_MAX + 1],
    blocks: [CommentStretch; LEVELS_MAX + 1],
}

/// Bytes of a text that are inside of a comment: those that were read last.
#[derive(Debug, Clone, Copy)]
struct CommentStretch {
    from: usize,
    to: usize,
    /// The state of the comment behind them.
    behind: Comment,
}

impl Default for CommentStretch {
    fn default() -> Self {
        Self {
            from: 0,
            to: 0,
            behind: Comment::Line,
        }
    }
}

impl Comments {
    /// Returns how many of the bytes from `place` on can be skipped in `comment`, at most `max`,
    /// and how it stands behind them.
    ///
    /// A comment that begins later ends no sooner: at most its own star is none to it.
    pub(super) fn skip(
        &mut self,
        comment: Comment,
        level: usize,
        place: usize,
        max: usize,
    ) -> Option<(usize, Comment)> {
        let CommentStretch { from, to, behind } = *self.stretch(comment, level)?;
        let count = to.saturating_sub(place);
        (from <= place && (1..=max).contains(&count)).then_some((count, behind))
    }

    /// Takes note that a comment that stood like `before` at `place` stands like `behind` after
    /// `count` bytes.
    pub(super) fn note(
        &mut self,
        before: Comment,
        behind: Comment,
        level: usize,
        place: usize,
        count: usize,
    ) {
        let Some(stretch) = self.stretch(behind, level) else {
            return;
        };
        // In `/*/` the star that a comment begins with does not end it, but it ends the one around
        // that.
        if stretch.to != place || stretch.behind != before {
            stretch.from = place;
        }
        (stretch.to, stretch.behind) = (place + count, behind);
    }

    fn stretch(&mut self, comment: Comment, level: usize) -> Option<&mut CommentStretch> {
        match comment {
            Comment::Line => self.lines.get_mut(level),
            Comment::Block { .. } => self.blocks.get_mut(level),
        }
    }
}
