//! Words as they are compared: wires and models write them in many ways.

use crate::ids::letters::is_blank;

/// `text` without `_`, `▁`, `-`, blanks and characters without a shape, in lower case, its JSON
/// escapes decoded.
pub(super) fn canonical(text: &[u8]) -> String {
    let mut word = String::with_capacity(text.len());
    if text.iter().all(|b| b.is_ascii_graphic() && *b != b'\\') {
        let letters = text.iter().filter(|b| !matches!(b, b'_' | b'-'));
        word.extend(letters.map(|b| char::from(b.to_ascii_lowercase())));
        return word;
    }
    let text = String::from_utf8_lossy(text);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let c = if c == '\\' {
            escaped(&mut chars)
        } else {
            Some(c)
        };
        match c {
            Some(c) if matches!(c, '_' | '-' | '▁') || is_blank(c) => {}
            Some(c) => word.push(c.to_ascii_lowercase()),
            None => return word,
        }
    }
    word
}

/// The character that an escape stands for; `None` at the end.
fn escaped(chars: &mut std::str::Chars<'_>) -> Option<char> {
    match chars.next()? {
        'u' => {
            let digits = chars.as_str().get(..4)?;
            let code = u32::from_str_radix(digits, 16).ok()?;
            *chars = chars.as_str().get(4..)?.chars();
            Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
        }
        'n' | 'r' | 't' | 'b' | 'f' => Some(' '),
        c => Some(c),
    }
}
