//! Lines, fences, and where in a line its address can begin.

use crate::ids::letters::{is_at, is_blank, is_break, is_comma, is_white, is_wrap};

/// The lines of `text`, without their ends.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_break)
}

/// The fewest marks of a fence.
const FENCE_MIN: usize = 3;

/// The longest number of a list, in digits.
const DIGITS_MAX: u8 = 9;

/// The lines that are code, fed character by character.
#[derive(Debug, Default)]
pub(crate) struct Fences {
    open: Option<(char, usize)>,
    line: LineShape,
}

/// The line up to now, and what it may become.
#[derive(Debug, Default)]
enum LineShape {
    /// A line that shows nothing yet.
    #[default]
    Blank,
    /// A line that began with a run of one mark.
    Marks {
        mark: char,
        count: usize,
        behind: Behind,
    },
    /// No fence.
    Prose,
}

/// The text behind a run of marks.
#[derive(Debug, PartialEq, Eq)]
enum Behind {
    Nothing,
    Blanks,
    Words,
    /// Another backtick: a span of code, no fence.
    Backtick,
}

impl Fences {
    /// Tells whether the line that begins now is code.
    pub(crate) const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(crate) fn feed(&mut self, c: char) {
        if is_break(c) {
            self.end_line();
            return;
        }
        match &mut self.line {
            LineShape::Blank if is_blank(c) => {}
            LineShape::Blank if matches!(c, '`' | '~') => {
                self.line = LineShape::Marks {
                    mark: c,
                    count: 1,
                    behind: Behind::Nothing,
                };
            }
            LineShape::Blank => self.line = LineShape::Prose,
            LineShape::Marks {
                mark,
                count,
                behind: Behind::Nothing,
            } if *mark == c => *count = count.saturating_add(1),
            LineShape::Marks { mark, behind, .. } if *mark == '`' && c == '`' => {
                *behind = Behind::Backtick
            }
            LineShape::Marks {
                behind: behind @ Behind::Nothing,
                ..
            } if is_blank(c) => *behind = Behind::Blanks,
            LineShape::Marks {
                behind: behind @ (Behind::Nothing | Behind::Blanks),
                ..
            } if !is_blank(c) => {
                *behind = Behind::Words;
            }
            LineShape::Marks { .. } | LineShape::Prose => {}
        }
    }

    /// Ends the line: it may have opened or closed a fence.
    pub(crate) fn end_line(&mut self) {
        let LineShape::Marks {
            mark,
            count,
            behind,
        } = std::mem::take(&mut self.line)
        else {
            return;
        };
        match self.open {
            None if count >= FENCE_MIN && behind != Behind::Backtick => {
                self.open = Some((mark, count))
            }
            Some((open, least))
                if open == mark
                    && count >= least
                    && matches!(behind, Behind::Nothing | Behind::Blanks) =>
            {
                self.open = None;
            }
            Some(_) | None => {}
        }
    }
}

/// How a line begins, fed character by character: blanks and comments, a list bullet, a greeting,
/// emphasis or brackets, and then mentions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lead {
    /// Blanks.
    Blank { has_bullet: bool },
    /// The digits of a list's number.
    Number { digits: u8 },
    /// A bullet, if a blank follows.
    Bullet,
    /// A bullet, if a blank follows, else emphasis.
    Star,
    /// Emphasis and brackets before a mention, or before a greeting.
    Wraps,
    /// As many characters of `<!--`.
    Comment { seen: u8, has_bullet: bool },
    /// Within a comment, behind as many dashes.
    Hidden { dashes: u8, has_bullet: bool },
    /// As many letters of these greetings.
    Letters { count: usize, word: [u8; 5] },
    /// A greeting.
    Greeted { has_comma: bool },
    /// The line addresses nobody.
    Prose,
    /// The mentions begin with this character.
    Mentions,
}

const GREETINGS: [&[u8]; 4] = [b"hey", b"hi", b"hello", b"to"];

impl Lead {
    /// Before the first character.
    pub(crate) const START: Self = Self::Blank { has_bullet: false };

    /// The lead with `c` behind it.
    pub(crate) fn then(self, c: char) -> Self {
        match self {
            Self::Blank { has_bullet } => Self::begin(c, has_bullet),
            Self::Number { digits } if c.is_ascii_digit() && digits < DIGITS_MAX => Self::Number {
                digits: digits.saturating_add(1),
            },
            Self::Number { .. } if matches!(c, '.' | ')') => Self::Bullet,
            Self::Bullet | Self::Star if is_white(c) => Self::Blank { has_bullet: true },
            Self::Star | Self::Wraps => Self::wrapped(c),
            Self::Comment { seen, has_bullet } => Self::open_comment(c, seen, has_bullet),
            Self::Hidden {
                dashes: 2..,
                has_bullet,
            } if c == '>' => Self::Blank { has_bullet },
            Self::Hidden { dashes, has_bullet } if c == '-' => Self::Hidden {
                dashes: dashes.saturating_add(1),
                has_bullet,
            },
            Self::Hidden { has_bullet, .. } => Self::Hidden {
                dashes: 0,
                has_bullet,
            },
            Self::Letters { count, word } => Self::spell(count, word, c),
            Self::Greeted { .. } if is_at(c) => Self::Mentions,
            Self::Greeted { .. } if is_wrap(c) => Self::Wraps,
            Self::Greeted { has_comma } if is_blank(c) => Self::Greeted { has_comma },
            Self::Greeted { has_comma: false } if is_comma(c) => Self::Greeted { has_comma: true },
            Self::Number { .. }
            | Self::Bullet
            | Self::Greeted { .. }
            | Self::Prose
            | Self::Mentions => Self::Prose,
        }
    }

    fn begin(c: char, has_bullet: bool) -> Self {
        match c {
            _ if is_at(c) => Self::Mentions,
            _ if is_blank(c) => Self::Blank { has_bullet },
            '-' | '+' if !has_bullet => Self::Bullet,
            '*' if !has_bullet => Self::Star,
            '0'..='9' if !has_bullet => Self::Number { digits: 1 },
            '<' => Self::Comment {
                seen: 1,
                has_bullet,
            },
            _ if is_wrap(c) => Self::Wraps,
            _ => Self::spell(0, [0; 5], c),
        }
    }

    fn wrapped(c: char) -> Self {
        match c {
            _ if is_at(c) => Self::Mentions,
            _ if is_wrap(c) => Self::Wraps,
            _ => Self::spell(0, [0; 5], c),
        }
    }

    fn open_comment(c: char, seen: u8, has_bullet: bool) -> Self {
        match (seen, c) {
            (1, '!') | (2, '-') => Self::Comment {
                seen: seen.saturating_add(1),
                has_bullet,
            },
            (3, '-') => Self::Hidden {
                dashes: 0,
                has_bullet,
            },
            (_, _) => Self::Prose,
        }
    }

    /// Tells whether its last character belongs to the mention that may follow.
    pub(crate) const fn is_wrap(self) -> bool {
        matches!(self, Self::Star | Self::Wraps)
    }

    fn spell(count: usize, mut word: [u8; 5], c: char) -> Self {
        let spelt = word.get(..count).unwrap_or_default();
        let is_greeting = GREETINGS.contains(&spelt);
        match (word.get_mut(count), u8::try_from(c)) {
            _ if is_greeting && is_white(c) => Self::Greeted { has_comma: false },
            _ if is_greeting && is_comma(c) => Self::Greeted { has_comma: true },
            (Some(place), Ok(letter)) if letter.is_ascii_alphabetic() => {
                *place = letter.to_ascii_lowercase();
                let count = count.saturating_add(1);
                let begins = |greeting: &&[u8]| {
                    word.get(..count)
                        .is_some_and(|spelt| greeting.starts_with(spelt))
                };
                if GREETINGS.iter().any(begins) {
                    Self::Letters { count, word }
                } else {
                    Self::Prose
                }
            }
            _ => Self::Prose,
        }
    }
}
