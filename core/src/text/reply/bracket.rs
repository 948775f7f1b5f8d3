//! `<world>` and `</world>`, character by character: in any case, with blanks where nobody would
//! see a difference.

/// As much of a bracket as was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bracket {
    closes: bool,
    letters: usize,
}

/// The state of a bracket with one more character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BracketState {
    Further(Bracket),
    Opening,
    Closing,
    Neither,
}

const NAME: &[u8] = b"world";

impl Bracket {
    /// `<`.
    pub(crate) const START: Self = Self {
        closes: false,
        letters: 0,
    };

    pub(crate) fn then(self, c: char) -> BracketState {
        let letter = NAME.get(self.letters).map(|letter| char::from(*letter));
        match c {
            ' ' | '\t' if self.letters == 0 || letter.is_none() => BracketState::Further(self),
            '/' if self.letters == 0 && !self.closes => BracketState::Further(Self {
                closes: true,
                ..self
            }),
            '>' if letter.is_none() && self.closes => BracketState::Closing,
            '>' if letter.is_none() => BracketState::Opening,
            _ if letter == Some(c.to_ascii_lowercase()) => BracketState::Further(Self {
                letters: self.letters.saturating_add(1),
                ..self
            }),
            _ => BracketState::Neither,
        }
    }
}
