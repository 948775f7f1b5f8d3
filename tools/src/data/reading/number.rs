//! Numbers, and texts of digits that are none.

use super::{Mark, Read, Readings};

/// The most digits of a number. Longer ones are codes, and lose digits in other programs.
const DIGITS_MAX: usize = 15;

/// The most digits behind a leading plus. Longer ones are numbers of telephones.
const PLUS_DIGITS_MAX: usize = 6;

/// The thing that stands between thousands, or before decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) enum Style {
    /// `1,234.5`
    Point,
    /// `1.234,5`
    Comma,
}

impl Style {
    const fn decimal(self) -> u8 {
        match self {
            Self::Point => b'.',
            Self::Comma => b',',
        }
    }

    const fn group(self) -> u8 {
        match self {
            Self::Point => b',',
            Self::Comma => b'.',
        }
    }
}

/// Reads digits between delimiters; `None`: they are no number.
pub(super) fn loose(text: &str) -> Option<Read> {
    let (has_plus, unsigned) = match text.as_bytes() {
        [b'+', rest @ ..] => (true, rest),
        [b'-', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let digits = unsigned.iter().filter(|byte| byte.is_ascii_digit()).count();
    if has_plus && digits > PLUS_DIGITS_MAX {
        return None;
    }
    if unsigned.len() == digits {
        let is_code = digits > DIGITS_MAX || unsigned.starts_with(b"0") && text != "0";
        return (!is_code).then_some(Read::value(Readings::WHOLE, Mark::None));
    }
    if let Some(place) = unsigned.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        return exponent(text, unsigned, place);
    }
    let point = form(unsigned, Style::Point);
    let comma = form(unsigned, Style::Comma);
    let mut readings = Readings::NONE;
    if fits(text, digits, point, Style::Point) {
        readings = readings | Readings::POINT;
        if point == Form::Whole {
            readings = readings | Readings::POINT_WHOLE;
        }
    }
    if fits(text, digits, comma, Style::Comma) {
        readings = readings | Readings::COMMA;
        if comma == Form::Whole {
            readings = readings | Readings::COMMA_WHOLE;
        }
    }
    let mark = match (readings.has(Readings::POINT), readings.has(Readings::COMMA)) {
        (false, false) => return None,
        (true, true) if unsigned.contains(&b',') => Mark::CommaOrGroup,
        (true, true) => Mark::PointOrGroup,
        (true, false) | (false, true) => Mark::None,
    };
    Some(Read::value(readings, mark))
}

/// The form of a text that has at least one separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    None,
    Whole,
    Decimal,
}

/// The form of unsigned digits, if they are written in `style`.
fn form(unsigned: &[u8], style: Style) -> Form {
    let mut parts = unsigned.splitn(2, |byte| *byte == style.decimal());
    let whole = parts.next().unwrap_or_default();
    let decimals = parts.next();
    let are_digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    if !is_whole(whole, style.group(), decimals.is_some()) {
        return Form::None;
    }
    match decimals {
        None => Form::Whole,
        Some(decimals) if !decimals.is_empty() && are_digits(decimals) => Form::Decimal,
        Some(_) => Form::None,
    }
}

/// Tells whether the part before the decimals is one: digits, or one to three digits and then groups of three.
fn is_whole(whole: &[u8], group: u8, has_decimals: bool) -> bool {
    let mut groups = whole.split(|byte| *byte == group);
    let first = groups.next().unwrap_or_default();
    let are_digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    let is_grouped = whole.len() > first.len();
    let has_zero = first.len() > 1 && first.starts_with(b"0");
    match (first, is_grouped) {
        ([], true) | ([b'0', ..], true) => false,
        ([], false) => has_decimals,
        (first, _) if has_zero || !are_digits(first) => false,
        (first, true) => first.len() <= 3 && groups.all(|part| part.len() == 3 && are_digits(part)),
        (_, false) => true,
    }
}

/// Tells whether no digit would be lost.
fn fits(text: &str, digits: usize, form: Form, style: Style) -> bool {
    match form {
        Form::None => false,
        Form::Whole => digits <= DIGITS_MAX,
        Form::Decimal => digits <= DIGITS_MAX || is_exact(&plain(text, style)),
    }
}

fn exponent(text: &str, unsigned: &[u8], place: usize) -> Option<Read> {
    let (mantissa, exponent) = unsigned.split_at_checked(place)?;
    let exponent = exponent.get(1..)?;
    let (has_sign, digits) = match exponent {
        [b'+' | b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let is_mantissa = match form(mantissa, Style::Point) {
        Form::None => false,
        Form::Whole => !mantissa.contains(&b','),
        Form::Decimal => !mantissa.contains(&b','),
    };
    if !is_mantissa
        || digits.is_empty()
        || !digits.iter().all(u8::is_ascii_digit)
        || !is_exact(text)
    {
        return None;
    }
    let is_sure = has_sign || mantissa.contains(&b'.');
    let mark = if is_sure {
        Mark::None
    } else {
        Mark::BareExponent
    };
    Some(Read::value(Readings::POINT, mark))
}

/// Reads a number of JSON's grammar. Its author says that it is one, whatever its digits.
pub(super) fn marked(text: &str) -> Read {
    if text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-')
    {
        return match text.parse::<i64>() {
            Ok(_) if text != "-0" => Read::value(Readings::WHOLE, Mark::None),
            Ok(_) => Read::value(Readings::POINT, Mark::None),
            Err(_) => Read::TEXT,
        };
    }
    if matches!(text, "inf" | "-inf") || is_exact(text) {
        Read::value(Readings::POINT, Mark::None)
    } else {
        Read::TEXT
    }
}

/// Tells whether a decimal number is still the same when it has become a double.
fn is_exact(text: &str) -> bool {
    let Ok(value) = text.parse::<f64>() else {
        return false;
    };
    let (digits, point) = significant(text);
    if digits.is_empty() {
        return true;
    }
    if !value.is_finite() || value == 0.0 {
        return false;
    }
    digits.len() <= DIGITS_MAX || significant(&format!("{value:e}")) == (digits, point)
}

/// The digits of a number without zeros around them, and the power of ten of the first.
fn significant(text: &str) -> (Vec<u8>, i64) {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().unwrap_or_default()),
        None => (text, 0),
    };
    let mantissa = mantissa.trim_start_matches(['+', '-']);
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all: Vec<u8> = whole.bytes().chain(decimals.bytes()).collect();
    let zeros = all.iter().take_while(|digit| **digit == b'0').count();
    let digits = all.get(zeros..).unwrap_or_default();
    let ending = digits
        .iter()
        .rev()
        .take_while(|digit| **digit == b'0')
        .count();
    let kept = digits.get(..digits.len() - ending).unwrap_or_default();
    let place = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    (
        kept.to_vec(),
        exponent.saturating_add(place(whole.len()) - place(zeros)),
    )
}

/// A number as Rust reads it.
fn plain(text: &str, style: Style) -> String {
    text.bytes()
        .filter(|byte| *byte != style.group())
        .map(|byte| char::from(if byte == style.decimal() { b'.' } else { byte }))
        .collect()
}

/// The value of a whole number in `style`.
pub(in crate::data) fn integer(text: &str, style: Style) -> Option<i64> {
    let text = text.trim();
    match text.parse() {
        Ok(value) => Some(value),
        Err(_) if text.as_bytes().contains(&style.group()) => plain(text, style)
            .parse()
            .ok()
            .filter(|value: &i64| value.unsigned_abs() < 10_u64.pow(15)),
        Err(_) => None,
    }
}

/// The value of a number in `style`.
pub(in crate::data) fn real(text: &str, style: Style) -> Option<f64> {
    let text = text.trim();
    let is_plain = style == Style::Point && !text.as_bytes().contains(&b',');
    if is_plain {
        text.parse().ok()
    } else {
        plain(text, style).parse().ok()
    }
}
