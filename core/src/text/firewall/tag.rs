//! Tags and the wires' own tokens: `<tool_call>`, `</invoke>`, `<|python_tag|>`, `[TOOL_CALLS]`.

use super::cursor::{Cursor, Stop};
use super::word::canonical;

/// The longest name of a tag, in bytes.
const NAME_MAX: usize = 96;

/// The most bytes of a tag's attributes.
const ATTRIBUTES_MAX: usize = 256;

/// No tag has more bytes.
pub(super) const TAG_MAX: usize = 512;

/// A tag or a token. Its name is canonical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: String,
    /// What stands behind `=` in the name, or the value of the attribute `name`; canonical.
    pub(super) value: String,
    pub(super) shape: TagShape,
    /// True if it closes itself: `<name/>`.
    pub(super) is_empty: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagShape {
    Opening,
    Closing,
    /// `<|…|>`
    Token,
}

impl Tag {
    /// Reads the tag at `cursor`, if it is one of those that `is_known` names.
    pub(super) fn read(
        cursor: &mut Cursor<'_>,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<Self, Stop> {
        if !cursor.eat(b'<')? {
            return Err(Stop::No);
        }
        cursor.take_while(2, |b| b == b' ')?;
        let shape = if cursor.eat(b'/')? {
            TagShape::Closing
        } else {
            TagShape::Opening
        };
        cursor.take_while(2, |b| b == b' ')?;
        match cursor.peek()? {
            Some(b'|' | 0xef) => Self::token(cursor, shape, is_known),
            Some(b) if b.is_ascii_alphabetic() || b >= 0x80 => Self::named(cursor, shape, is_known),
            Some(_) | None => Err(Stop::No),
        }
    }

    /// `[TOOL_CALLS]`
    pub(super) fn bracketed(cursor: &mut Cursor<'_>) -> Result<Self, Stop> {
        if !cursor.eat(b'[')? || !matches!(cursor.peek()?, Some(b'T')) {
            return Err(Stop::No);
        }
        let name = cursor.take_while(NAME_MAX, |b| b.is_ascii_uppercase() || b == b'_')?;
        let shape = TagShape::Token;
        if cursor.eat(b']')? {
            Ok(Self {
                name: canonical(name),
                value: String::new(),
                shape,
                is_empty: false,
            })
        } else {
            Err(Stop::No)
        }
    }

    /// `<|name|>`, `<|name>`, `<|/name|>`, and tags whose name space stands between bars,
    /// `<｜DSML｜invoke …>`.
    fn token(
        cursor: &mut Cursor<'_>,
        shape: TagShape,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<Self, Stop> {
        bar(cursor)?;
        let closes = shape == TagShape::Closing || cursor.eat(b'/')?;
        let is_name = |b: u8| {
            b != 0xef && (b.is_ascii_alphanumeric() || matches!(b, b'_' | b':') || b >= 0x80)
        };
        let name = canonical(cursor.take_while(NAME_MAX, is_name)?).replace(':', "");
        let is_open = cursor.peek()? == Some(b'>');
        if !is_open {
            bar(cursor)?;
            if cursor.peek()?.is_some_and(|b| b.is_ascii_alphabetic()) {
                return Self::named(
                    cursor,
                    if closes { TagShape::Closing } else { shape },
                    is_known,
                );
            }
        }
        let shape = if closes {
            TagShape::Closing
        } else {
            TagShape::Token
        };
        if cursor.eat(b'>')? && is_known(&name) {
            Ok(Self {
                name,
                value: String::new(),
                shape,
                is_empty: false,
            })
        } else {
            Err(Stop::No)
        }
    }

    fn named(
        cursor: &mut Cursor<'_>,
        shape: TagShape,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<Self, Stop> {
        let is_name = |b: u8| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'=') || b >= 0x80
        };
        let written = cursor.take_while(NAME_MAX, is_name)?;
        if cursor.eat(b'|')? {
            let name = canonical(written);
            let is_closing = cursor.eat(b'>')? && is_known(&name);
            return if is_closing {
                Ok(Self {
                    name,
                    value: String::new(),
                    shape: TagShape::Closing,
                    is_empty: false,
                })
            } else {
                Err(Stop::No)
            };
        }
        // Most of what looks like a tag is code: it is told by what follows.
        if !matches!(cursor.peek()?, Some(b'>' | b' ' | b'\t' | b'/')) {
            return Err(Stop::No);
        }
        let (name, value) = split(written, b'=');
        // A prefix is a name space.
        let name = name
            .rsplit(|b| *b == b':')
            .next()
            .map(canonical)
            .unwrap_or_default();
        if !is_known(&name) {
            return Err(Stop::No);
        }
        let attributes =
            cursor.take_while(ATTRIBUTES_MAX, |b| !matches!(b, b'<' | b'>' | b'\n'))?;
        if !cursor.eat(b'>')?
            || !attributes.iter().all(|b| *b == b' ')
                && !attributes.contains(&b'=')
                && attributes.trim_ascii() != b"/"
        {
            return Err(Stop::No);
        }
        let value = if value.is_empty() {
            attribute(attributes)
        } else {
            canonical(value)
        };
        Ok(Self {
            name,
            value,
            shape,
            is_empty: attributes.ends_with(b"/"),
        })
    }
}

/// `|`, also full-width.
fn bar(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    if cursor.eat(b'|')? || cursor.eat_word("｜".as_bytes())? {
        Ok(())
    } else {
        Err(Stop::No)
    }
}

fn split(text: &[u8], at: u8) -> (&[u8], &[u8]) {
    let at = text.iter().position(|b| *b == at).unwrap_or(text.len());
    (
        text.get(..at).unwrap_or(text),
        text.get(at + 1..).unwrap_or_default(),
    )
}

/// The value of the attribute that names a tool.
fn attribute(attributes: &[u8]) -> String {
    let text = String::from_utf8_lossy(attributes);
    ["name", "tool", "function"]
        .iter()
        .find_map(|name| value_of(&text, name))
        .unwrap_or_default()
}

fn value_of(attributes: &str, name: &str) -> Option<String> {
    let (_, value) = attributes.split_once(name)?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let mut chars = value.chars();
    let quote = chars
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '“' | '”' | '＂'))?;
    let closes = |c: char| c == quote || quote != '\'' && matches!(c, '”' | '＂');
    chars
        .as_str()
        .split(closes)
        .next()
        .map(|value| canonical(value.as_bytes()))
}
