//! Telephone numbers.

use std::ops::Range;

use super::number::{Number, Prefix, SPACES, begins_word, ends_word, goes_on, has_begun, starts};

/// The fewest digits of a number, which only a label tells from others.
const DIGITS_MIN: usize = 7;

/// The most digits of an international number (ITU-T E.164), and two for the `00` that may stand
/// for the `+`.
const DIGITS_MAX: usize = 15 + 2;

/// The most characters between two groups, as in `+49 (0) 30`.
const SEPARATOR_CHARS_MAX: usize = 3;

/// The characters that join digits to something else than a telephone number: a date, a time, an
/// address, a version, a price.
const JOINERS: [char; 5] = ['.', ',', ':', '/', '-'];

/// Words before a number that make it one to call.
const LABELS: [&str; 12] = [
    "call",
    "cell",
    "fax",
    "handy",
    "mobil",
    "mobile",
    "phone",
    "tel",
    "telefon",
    "telephone",
    "telefono",
    "whatsapp",
];

/// The next telephone number.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    starts(text).find_map(|digit| {
        let before = Before::of(text, digit);
        let number = Number::read(text, digit, DIGITS_MAX, separator);
        number
            .prefixes(DIGITS_MIN)
            .find(|number| before.begins(number))
            .map(|number| before.start..number.end)
    })
}

/// Up to three different characters that stand between groups.
fn separator(text: &str) -> usize {
    let is_separator = |c: &char| SPACES.contains(c) || "-\u{2011}./()".contains(*c);
    let mut last = None;
    let chars = text
        .chars()
        .take(SEPARATOR_CHARS_MAX)
        .take_while(|c| is_separator(c) && last.replace(*c) != Some(*c));
    chars.map(char::len_utf8).sum()
}

/// The text before the first digit.
struct Before<'a> {
    /// The first byte of the number: its `+` or its bracket belong to it.
    start: usize,
    is_bracketed: bool,
    is_international: bool,
    text: &'a str,
}

impl<'a> Before<'a> {
    fn of(text: &'a str, digit: usize) -> Self {
        let (before, digits) = text.split_at_checked(digit).unwrap_or_default();
        let is_closed = digits
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .starts_with(')');
        let unbracketed = before.strip_suffix('(').filter(|_| is_closed);
        let text = unbracketed.unwrap_or(before);
        let unsigned = text.strip_suffix('+').filter(|text| !ends_word(text));
        let text = unsigned.unwrap_or(text);
        Self {
            start: text.len(),
            is_bracketed: unbracketed.is_some(),
            is_international: unsigned.is_some(),
            text,
        }
    }

    fn begins(&self, number: &Prefix<'_>) -> bool {
        let digits = number.digits;
        let lengths = number.lengths;
        if self.is_international {
            return is_international(digits, lengths);
        }
        let is_dialled = is_national(digits, lengths)
            || (self.is_bracketed && is_bracketed(digits, lengths))
            || (is_labelled(digits, lengths) && self.is_label());
        is_dialled
            && !self.goes_before()
            && !ends_inside(number.rest)
            && !self.is_inside_id(number.rest)
    }

    /// Tells whether the digits belong to what stands before them.
    fn goes_before(&self) -> bool {
        has_begun(self.text, &JOINERS)
            || self
                .text
                .ends_with(['#', '$', '€', '£', '¥', '+', '.', '='])
    }

    /// Tells whether this is a group of a hyphenated id, e.g. of a UUID.
    fn is_inside_id(&self, rest: &str) -> bool {
        let is_hex = |c: char| c.is_ascii_hexdigit();
        self.text
            .strip_suffix('-')
            .is_some_and(|text| text.ends_with(is_hex))
            && rest
                .strip_prefix('-')
                .is_some_and(|rest| rest.starts_with(is_hex))
    }

    fn is_label(&self) -> bool {
        let text = self.text.trim_end_matches([' ', ':', '.', '"', '\'', '\t']);
        let word = text
            .rfind(|c: char| !c.is_ascii_alphabetic())
            .map_or(text, |at| text.get(at + 1..).unwrap_or(""));
        LABELS.iter().any(|label| label.eq_ignore_ascii_case(word))
    }
}

/// Tells whether a number cannot end before `rest`. An extension may follow, as in `x12`.
fn ends_inside(rest: &str) -> bool {
    goes_on(rest, &JOINERS) || (begins_word(rest) && !goes_on(rest, &['x', 'X']))
}

/// Of 8 to 15 digits; not a signed amount, whose groups have three.
fn is_international(digits: &str, lengths: &[usize]) -> bool {
    let is_amount =
        digits.len() < 10 && lengths.len() > 1 && lengths.iter().skip(1).all(|length| *length == 3);
    (8..=15).contains(&digits.len()) && !digits.starts_with('0') && !is_amount
}

fn is_national(digits: &str, lengths: &[usize]) -> bool {
    match digits.as_bytes() {
        [b'0', b'0', b'1'..=b'9', ..] => is_dialled_abroad(digits, lengths),
        [b'0', b'1'..=b'9', ..] => is_dialled_with_zero(digits, lengths),
        [b'1', b'3'..=b'9', ..] if lengths == [3, 4, 4] => true, // a mobile in China
        [b'6'..=b'9', ..] if lengths == [5, 5] => true,          // a mobile in India
        [b'6'..=b'9', ..] if lengths == [3, 2, 2, 2] => true,    // Spain
        [b'1', rest @ ..] if lengths == [1, 3, 3, 4] => is_north_american(rest),
        all if lengths == [3, 3, 4] => is_north_american(all),
        _ => false,
    }
}

/// Neither the area code nor the office code begins with 0 or 1.
fn is_north_american(digits: &[u8]) -> bool {
    matches!(digits, [b'2'..=b'9', _, _, b'2'..=b'9', ..])
}

/// `00` and the country. Without separators it must be long: order numbers begin with zeros as
/// well.
fn is_dialled_abroad(digits: &str, lengths: &[usize]) -> bool {
    let digits_min = if lengths.len() > 1 { 10 } else { 12 };
    digits.len() >= digits_min
}

/// `0` and the area. Two groups of two begin a date, unless all groups are pairs, as in France.
fn is_dialled_with_zero(digits: &str, lengths: &[usize]) -> bool {
    match lengths {
        [_] => (10..=11).contains(&digits.len()),
        [2, 2, 2, 2, 2] => true,
        [2, 2, ..] | [3, 3, 3, 3] => false, // the latter may be an IP address
        [2..=6, ..] => (9..=12).contains(&digits.len()),
        _ => false,
    }
}

/// `(11) 91234-5678`: the area in brackets.
fn is_bracketed(digits: &str, lengths: &[usize]) -> bool {
    matches!(lengths, [2..=5, _, ..]) && (9..=12).contains(&digits.len())
}

/// Tells whether a label may announce the digits: any number that is no date.
fn is_labelled(digits: &str, lengths: &[usize]) -> bool {
    let is_date = matches!(lengths, [2, 2, 2 | 4, ..] | [4, 2, 2, ..]);
    digits.len() <= 15 && !is_date
}
