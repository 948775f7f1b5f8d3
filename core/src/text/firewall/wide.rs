//! Characters of more than one byte that models write for marks of JSON: typographic and full-width
//! ones.

use crate::ids::letters::is_blank;

/// A quote, typographic or full-width. Any of its kind closes it, and so does `"`.
pub(super) const DOUBLE: u8 = 1;

/// The same for `'`.
pub(super) const SINGLE: u8 = 2;

/// The meaning of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wide {
    /// A character that shows nothing.
    Blank,
    /// A character of ASCII, or a quote.
    Ascii(u8),
    Other,
}

/// Returns how many bytes follow the first of a character, if any do.
pub(super) const fn follow(b: u8) -> Option<u8> {
    match b {
        0xc2..=0xdf => Some(1),
        0xe0..=0xef => Some(2),
        0xf0..=0xf4 => Some(3),
        _ => None,
    }
}

/// Returns what the character with these bytes stands for.
pub(super) fn of(bytes: u32) -> Wide {
    let bytes = bytes.to_be_bytes();
    let begin = bytes.iter().position(|b| *b != 0).unwrap_or(bytes.len());
    let text = str::from_utf8(bytes.get(begin..).unwrap_or_default()).unwrap_or_default();
    match text.chars().next() {
        Some(
            '“' | '”' | '„' | '‟' | '＂' | '«' | '»' | '″' | '「' | '」' | '『' | '』' | '〝'
            | '〞',
        ) => Wide::Ascii(DOUBLE),
        Some('‘' | '’' | '‚' | '‛' | '＇' | '′' | '｀') => Wide::Ascii(SINGLE),
        Some('：') => Wide::Ascii(b':'),
        Some('，' | '、') => Wide::Ascii(b','),
        Some('｛') => Wide::Ascii(b'{'),
        Some('｝') => Wide::Ascii(b'}'),
        Some('［') => Wide::Ascii(b'['),
        Some('］') => Wide::Ascii(b']'),
        Some(c) if is_blank(c) => Wide::Blank,
        Some(_) | None => Wide::Other,
    }
}

/// Returns how many bytes long the mark is that closes `quote` and ends with these bytes, if one
/// does.
pub(super) fn closing(tail: u32, quote: u8) -> Option<usize> {
    let last = tail & 0xff;
    if last == u32::from(b'"') && quote == DOUBLE || last == u32::from(b'\'') && quote == SINGLE {
        return Some(1);
    }
    let ends = |mask: u32| of(tail & mask) == Wide::Ascii(quote);
    if last < 0x80 {
        None
    } else if ends(0xff_ffff) && tail & 0xff_0000 >= 0xe0_0000 {
        Some(3)
    } else {
        (ends(0xffff) && tail & 0xff00 >= 0xc200).then_some(2)
    }
}
