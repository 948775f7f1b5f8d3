//! A piece of a reply: a character, or a place where something is gone.

/// A character of the spoken text, or a place where something was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// A character and its place in the spoken text, in bytes.
    Char { at: u32, c: char },
    /// Something is gone here.
    Cut,
}

impl Piece {
    pub(super) const fn char(self) -> Option<char> {
        match self {
            Self::Char { c, .. } => Some(c),
            Self::Cut => None,
        }
    }
}

/// The characters of `pieces`.
pub(super) fn text_of<'p>(pieces: impl IntoIterator<Item = &'p Piece>) -> String {
    pieces
        .into_iter()
        .filter_map(|piece| piece.char())
        .collect()
}
