//! Values that are secret by what stands before them: `password=…`, `"api_key": "…"`, `Bearer …`,
//! `://user:…@host`.

use std::ops::Range;

/// The ends of the names of secrets, in small letters.
const NAMES: [&str; 11] = [
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "credential",
    "credentials",
    "authorization",
    "signature",
];

/// The words that may stand between `authorization:` and the value.
const SCHEMES: [&str; 3] = ["bearer ", "basic ", "token "];

/// The most bytes of a name that are looked at.
const NAME_BYTES_MAX: usize = 64;

/// The number of bytes of a value that are looked at to tell whether it is random.
const SEEN_BYTES_MAX: usize = 64;

/// A random value has, somewhere within this many characters ...
const WINDOW: usize = 16;

/// ... at least this many changes between small letters, capitals and digits. A capital that begins
/// a word is one change, so that names in code are not random.
const CHANGES_MIN: usize = 5;

/// The next value after `NAME=`, `NAME:` or `Bearer`, if it looks random. The name stays.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    text.match_indices(['=', ':', ' ']).find_map(|(at, sign)| {
        let before = text.get(..at)?;
        let behind = text.get(at + sign.len()..)?;
        let is_announced = if sign == " " {
            is_bearer(before)
        } else {
            is_name(name(before))
        };
        let value = is_announced.then(|| unwrapped(behind))?;
        let start = text.len() - value.len();
        is_random(value).then(|| start..start + value.find(ends_value).unwrap_or(value.len()))
    })
}

/// The next password in the address of a server.
pub(super) fn find_in_url(text: &str) -> Option<Range<usize>> {
    text.match_indices("://").find_map(|(at, sign)| {
        let start = at + sign.len();
        let ends = |c: char| c.is_whitespace() || "/?#\"'<>".contains(c);
        let authority = text.get(start..)?.split(ends).next()?;
        let (user, _host) = authority.rsplit_once('@')?;
        let (name, password) = user.split_once(':')?;
        let start = start + name.len() + 1;
        // A bracket is not allowed there, unless it is a marker's.
        (!password.is_empty() && !password.contains('[')).then(|| start..start + password.len())
    })
}

/// Tells whether the field `name` with the string `value` is a secret.
pub(in super::super) fn is_secret(name: &str, value: &str) -> bool {
    is_name(name) && !value.contains(char::is_whitespace) && is_random(value)
}

fn is_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|ending| name.ends_with(ending))
}

/// The name that `text` ends with, quoted or not.
fn name(text: &str) -> &str {
    let text = text.trim_end_matches([' ', '"', '\'', '\\']);
    let text = text
        .get(text.ceil_char_boundary(text.len().saturating_sub(NAME_BYTES_MAX))..)
        .unwrap_or_default();
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-');
    text.rfind(is_other).map_or(text, |at| {
        text.get(text.ceil_char_boundary(at + 1)..)
            .unwrap_or_default()
    })
}

fn is_bearer(text: &str) -> bool {
    text.get(text.len().saturating_sub("bearer".len())..)
        .is_some_and(|word| word.eq_ignore_ascii_case("bearer"))
}

/// `text` from where a value begins: behind further signs, quotation marks and the scheme.
fn unwrapped(text: &str) -> &str {
    let text = text.trim_start_matches([' ', '\t', '"', '\'', '`', '\\', '=', ':', '>']);
    let begins_with = |word: &&str| {
        text.get(..word.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(word))
    };
    SCHEMES
        .into_iter()
        .find(begins_with)
        .and_then(|scheme| text.get(scheme.len()..))
        .unwrap_or(text)
}

fn ends_value(c: char) -> bool {
    !c.is_ascii_graphic() || "\"'`,;()[]{}<>&\\".contains(c)
}

/// Tells whether the value that `text` begins with looks random.
fn is_random(text: &str) -> bool {
    let seen = text
        .get(..text.floor_char_boundary(SEEN_BYTES_MAX))
        .unwrap_or_default();
    let value = seen.split(ends_value).next().unwrap_or_default();
    value
        .as_bytes()
        .windows(WINDOW)
        .any(|window| changes(window) >= CHANGES_MIN)
}

/// Kinds of characters that random values mix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Small,
    Capital,
    Digit,
}

fn changes(text: &[u8]) -> usize {
    let class = |byte: &u8| match byte {
        b'a'..=b'z' => Some(Class::Small),
        b'A'..=b'Z' => Some(Class::Capital),
        b'0'..=b'9' => Some(Class::Digit),
        _ => None,
    };
    let classes = text.iter().filter_map(class);
    let changes = |(a, b): &(Class, Class)| a != b && (*a, *b) != (Class::Capital, Class::Small);
    classes.clone().zip(classes.skip(1)).filter(changes).count()
}
