//! The things that a cell can be read as.

use std::ops::{BitAnd, BitAndAssign, BitOr};

use super::rows::{Cell, Spelling};

mod date;
mod number;

pub(super) use date::{DateForm, timestamp};
pub(super) use number::{Style, integer, real};

#[cfg(test)]
mod tests;

/// A set of readings. That of a column is what all its cells have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Readings(u32);

impl Readings {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(u32::MAX);
    /// A number whose decimals stand behind a point, with or without commas between thousands.
    pub(super) const POINT: Self = Self(1);
    /// A number whose decimals stand behind a comma, with or without points between thousands.
    pub(super) const COMMA: Self = Self(1 << 1);
    /// The same as `POINT`, without decimals.
    pub(super) const POINT_WHOLE: Self = Self(1 << 2);
    /// The same as `COMMA`, without decimals.
    pub(super) const COMMA_WHOLE: Self = Self(1 << 3);
    pub(super) const WHOLE: Self = Self(0b1111);
    pub(super) const TRUE_FALSE: Self = Self(1 << 4);
    pub(super) const YES_NO: Self = Self(1 << 5);
    pub(super) const JA_NEIN: Self = Self(1 << 6);
    pub(super) const T_F: Self = Self(1 << 7);
    pub(super) const Y_N: Self = Self(1 << 8);
    pub(super) const J_N: Self = Self(1 << 9);
    pub(super) const BOOLEAN: Self = Self(0b11_1111 << 4);
    /// A date or a time without a zone.
    pub(super) const LOCAL: Self = Self(1 << 10);
    /// A time with a zone.
    pub(super) const ZONED: Self = Self(1 << 11);

    /// The reading as a date of one form.
    const fn date(form: DateForm) -> Self {
        Self(1 << (12 + form as u32))
    }

    /// The forms of dates in it.
    pub(super) fn dates(self) -> impl Iterator<Item = DateForm> {
        DateForm::ALL
            .into_iter()
            .filter(move |form| self.has(Self::date(*form)))
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Tells whether nothing but one letter for yes and one for no is left: that is hardly a type.
    pub(super) const fn is_letter(self) -> bool {
        let letters = Self::T_F.0 | Self::Y_N.0 | Self::J_N.0;
        self.0 & !letters == 0
    }

    /// The same without parts that mean nothing alone: a zone needs a date, and a date either way of zones.
    pub(super) fn settled(self) -> Self {
        let zones = Self::LOCAL.0 | Self::ZONED.0;
        let rest = self.0 & (Self::WHOLE.0 | Self::BOOLEAN.0);
        let dates = self.0 & !(Self::WHOLE.0 | Self::BOOLEAN.0 | zones);
        let is_date = dates != 0 && self.0 & zones != 0;
        Self(if is_date { self.0 } else { rest })
    }
}

impl BitAnd for Readings {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitAndAssign for Readings {
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOr for Readings {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// All that one cell says about the type of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// Nothing: there is no value.
    Null,
    /// A word that stands for no value, if the other cells have a type.
    Marker,
    /// A value.
    Value {
        readings: Readings,
        /// The value is `true`, or has a time, or has separators that decide between point and comma.
        mark: Mark,
    },
}

/// A property that counts for a column once one cell has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    True,
    False,
    /// The date has a time of day.
    Time,
    /// A number with a point, read in two ways.
    PointOrGroup,
    /// A number with a comma, read in two ways.
    CommaOrGroup,
    /// A number with an exponent and neither point nor sign, e.g. `12E4`: it may be a code.
    BareExponent,
}

impl Read {
    const TEXT: Self = Self::Value {
        readings: Readings::NONE,
        mark: Mark::None,
    };

    const fn value(readings: Readings, mark: Mark) -> Self {
        Self::Value { readings, mark }
    }
}

/// Words that stand for no value.
const MARKERS: [&str; 10] = [
    "na", "n/a", "#n/a", "null", "none", "nil", "nan", "-", "--", "\\n",
];

/// The longest text that is looked at: no number, date or word has more.
const LENGTH_MAX: usize = 40;

/// Reads a cell in every way that fits.
pub(super) fn read(cell: Cell<'_>) -> Read {
    match cell.spelling {
        Spelling::Null => Read::Null,
        Spelling::Nested => Read::TEXT,
        Spelling::Boolean => boolean(cell.text),
        Spelling::Number => number::marked(cell.text),
        Spelling::Text => date::read(cell.text).unwrap_or(Read::TEXT),
        Spelling::Loose => loose(cell.text),
    }
}

fn loose(text: &str) -> Read {
    if text.is_empty() {
        return Read::Null;
    }
    if text.len() > LENGTH_MAX {
        return if text.trim().is_empty() {
            Read::Null
        } else {
            Read::TEXT
        };
    }
    let text = text.trim();
    match text.as_bytes() {
        [] => Read::Null,
        [b'0'..=b'9' | b'.', ..] => number::loose(text)
            .or_else(|| date::read(text))
            .unwrap_or(Read::TEXT),
        [b'+' | b'-', _, ..] if text != "--" => number::loose(text).unwrap_or(Read::TEXT),
        [_, ..] if is_marker(text) => Read::Marker,
        [..] => boolean(text),
    }
}

/// Tells whether a word stands for no value.
pub(super) fn is_marker(text: &str) -> bool {
    let text = text.trim();
    text.len() <= 4
        && MARKERS
            .iter()
            .any(|marker| text.eq_ignore_ascii_case(marker))
}

fn boolean(text: &str) -> Read {
    const WORDS: [(&str, Readings, Mark); 11] = [
        ("true", Readings::TRUE_FALSE, Mark::True),
        ("false", Readings::TRUE_FALSE, Mark::False),
        ("yes", Readings::YES_NO, Mark::True),
        ("no", Readings::YES_NO, Mark::False),
        ("ja", Readings::JA_NEIN, Mark::True),
        ("nein", Readings::JA_NEIN, Mark::False),
        ("t", Readings::T_F, Mark::True),
        ("f", Readings::T_F, Mark::False),
        ("y", Readings::Y_N, Mark::True),
        ("j", Readings::J_N, Mark::True),
        (
            "n",
            Readings(Readings::Y_N.0 | Readings::J_N.0),
            Mark::False,
        ),
    ];
    if text.len() > 5 {
        return Read::TEXT;
    }
    let word = WORDS
        .iter()
        .find(|(word, _, _)| text.eq_ignore_ascii_case(word));
    word.map_or(Read::TEXT, |(_, readings, mark)| {
        Read::value(*readings, *mark)
    })
}

/// The truth of a cell of a column of booleans.
pub(super) fn truth(text: &str) -> Option<bool> {
    match boolean(text.trim()) {
        Read::Value {
            mark: Mark::True, ..
        } => Some(true),
        Read::Value {
            mark: Mark::False, ..
        } => Some(false),
        Read::Value { .. } | Read::Null | Read::Marker => None,
    }
}
