//! The text of references.

/// The meaning of the text of a `$ref`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reference {
    /// A JSON pointer into the same document; empty for the whole.
    Pointer(String),
    /// The name of an anchor.
    Anchor(String),
}

/// Reads the part of a reference behind `#`; `None` if its escapes are broken.
pub(super) fn read(fragment: &str) -> Option<Reference> {
    let text = unescaped(fragment)?;
    let is_pointer = text.is_empty() || text.starts_with('/');
    Some(if is_pointer {
        Reference::Pointer(text)
    } else {
        Reference::Anchor(text)
    })
}

/// Returns one token of a JSON pointer, as it is written.
pub(super) fn token(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Takes `%20` for a blank, and so on.
fn unescaped(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut left = fragment.as_bytes();
    while let [first, rest @ ..] = left {
        left = rest;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, rest @ ..] = rest else {
            return None;
        };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push(u8::try_from(digit(*high)?.checked_mul(16)?.checked_add(digit(*low)?)?).ok()?);
        left = rest;
    }
    String::from_utf8(bytes).ok()
}
