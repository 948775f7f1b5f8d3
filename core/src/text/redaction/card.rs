//! Numbers of payment cards.

use std::ops::{Range, RangeInclusive};

use super::number::{Number, Prefix, SPACES, begins_word, goes_on, has_begun, starts};

/// The fewest digits of a card's number that is still issued.
const DIGITS_MIN: usize = 13;

/// The most digits of a card's number (ISO/IEC 7812-1).
const DIGITS_MAX: usize = 19;

/// The first four digits that issuers have, and how many digits their numbers have.
const ISSUERS: [(RangeInclusive<u16>, RangeInclusive<usize>); 15] = [
    (2200..=2204, 16..=19), // Mir
    (2221..=2720, 16..=16), // Mastercard
    (3000..=3059, 14..=19), // Diners Club
    (3400..=3499, 15..=15), // American Express
    (3528..=3589, 16..=19), // JCB
    (3600..=3699, 14..=19), // Diners Club
    (3700..=3799, 15..=15), // American Express
    (3800..=3999, 14..=19), // Diners Club
    (4000..=4999, 13..=19), // Visa
    (5000..=5099, 13..=19), // Maestro
    (5100..=5599, 16..=16), // Mastercard
    (5600..=5899, 13..=19), // Maestro
    (6000..=6999, 13..=19), // Discover, UnionPay, RuPay, Maestro
    (8100..=8299, 16..=19), // UnionPay, RuPay
    (9792..=9792, 16..=16), // Troy
];

/// The next number of a card.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let is_fraction = |start: usize| {
        text.get(..start)
            .is_some_and(|before| has_begun(before, &['.']))
    };
    starts(text)
        .filter(|start| !is_fraction(*start))
        .find_map(|start| {
            let number = Number::read(text, start, DIGITS_MAX, separator);
            number
                .prefixes(DIGITS_MIN)
                .find(is_card)
                .map(|card| start..card.end)
        })
}

fn separator(text: &str) -> usize {
    let first = text
        .chars()
        .next()
        .filter(|c| SPACES.contains(c) || *c == '-');
    first.map_or(0, char::len_utf8)
}

fn is_card(number: &Prefix<'_>) -> bool {
    let is_issued = |first: u16| {
        ISSUERS.iter().any(|(firsts, lengths)| {
            firsts.contains(&first) && lengths.contains(&number.digits.len())
        })
    };
    !begins_word(number.rest)
        && !goes_on(number.rest, &['.'])
        && number
            .digits
            .get(..4)
            .and_then(|first| first.parse().ok())
            .is_some_and(is_issued)
        && is_grouped(number.lengths)
        && has_luhn_sum(number.digits)
}

/// Tells whether the groups are those of a card: of four to six digits, the last one shorter.
/// Groups of ids are longer.
fn is_grouped(lengths: &[usize]) -> bool {
    match lengths {
        [] | [_] => true,
        [first @ .., last] => first.iter().all(|length| (4..=6).contains(length)) && *last <= 6,
    }
}

fn has_luhn_sum(digits: &str) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let digits = digits
        .chars()
        .rev()
        .filter_map(|digit| digit.to_digit(10))
        .enumerate();
    digits
        .map(|(place, digit)| {
            if place % 2 == 1 {
                doubled(digit)
            } else {
                digit
            }
        })
        .sum::<u32>()
        % 10
        == 0
}
