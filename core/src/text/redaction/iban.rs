//! International bank account numbers (ISO 13616).

use std::ops::Range;

use super::number::{SPACES, begins_word, is_word};

/// The lengths of the numbers of each country, by the registry of SWIFT.
const LENGTHS: [(&str, usize); 88] = [
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("SO", 23),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
    ("YE", 30),
];

/// The next number. It is looked for where two letters and two digits begin a word.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut before = b' ';
    bytes.windows(4).enumerate().find_map(|(start, four)| {
        let begins = match four {
            [a, b, c, d] => {
                let is_edge = !is_word(std::mem::replace(&mut before, *a));
                is_edge
                    && a.is_ascii_alphabetic()
                    && b.is_ascii_alphabetic()
                    && c.is_ascii_digit()
                    && d.is_ascii_digit()
            }
            _ => false,
        };
        if begins {
            Some(start..start + length(text.get(start..)?)?)
        } else {
            None
        }
    })
}

/// Returns how long the number at the beginning of `text` is, in bytes, with the spaces in it.
fn length(text: &str) -> Option<usize> {
    let country = text.get(..2)?.to_ascii_uppercase();
    let (_, length) = LENGTHS.iter().find(|(code, _)| *code == country)?;
    let mut digits = String::new();
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while digits.len() < *length {
        let (at, c) = chars.next()?;
        if c.is_ascii_alphanumeric() {
            digits.push(c);
            end = at + 1;
        } else if !(SPACES.contains(&c) || c == '-')
            || !chars.peek().is_some_and(|(_, c)| c.is_ascii_alphanumeric())
        {
            return None;
        }
    }
    (!begins_word(text.get(end..)?) && has_remainder_one(&digits)).then_some(end)
}

/// ISO 7064, MOD 97-10: the country and check digits go to the end, and letters count from ten.
fn has_remainder_one(number: &str) -> bool {
    let (head, account) = number.split_at_checked(4).unwrap_or_default();
    let digits = account
        .chars()
        .chain(head.chars())
        .filter_map(|c| c.to_digit(36));
    digits.fold(0, |sum, digit| {
        (sum * if digit > 9 { 100 } else { 10 } + digit) % 97
    }) == 1
}
