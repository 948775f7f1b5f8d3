//! The arguments of a call that is written as code, and where they end.

use super::before::is_name;
use super::cursor::{Cursor, Stop};
use super::vocabulary::{Known, ToolId};
use super::word::canonical;

/// The longest name of an argument, in bytes.
const NAME_MAX: usize = 64;

/// How much is known of a call before its arguments are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// Only wires write it so: any arguments will do.
    Told,
    /// The name is no word of prose.
    Named,
    /// The name could be a word of prose, or a function of any program.
    Plain {
        /// Nothing stands before it in its line.
        is_alone: bool,
    },
}

/// What the first argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    None,
    /// A property of the tool with a value, or an object with one.
    Property,
    /// A text or a number.
    Literal,
    Other,
}

/// Skips `(…)`, if these can be the arguments of `tool`.
pub(super) fn call(
    cursor: &mut Cursor<'_>,
    tool: ToolId,
    strength: Strength,
    known: &Known,
) -> Result<(), Stop> {
    let first = first(*cursor, tool, known)?;
    let is_call = match (strength, first) {
        (Strength::Told, First::None | First::Property | First::Literal) | (_, First::Property) => {
            true
        }
        (Strength::Named, First::Literal) => true,
        (Strength::Plain { is_alone }, First::Literal) => is_alone,
        (_, First::None | First::Other) => false,
    };
    if !is_call || !skip_bracketed(cursor)? {
        return if is_call { Ok(()) } else { Err(Stop::No) };
    }
    let mut behind = *cursor;
    behind.take_while(NAME_MAX, |b| b == b' ')?;
    let next = behind.peek()?;
    let declares =
        matches!(next, Some(b'{')) || behind.eat_word(b"->")? || behind.eat_word(b"=>")?;
    let is_alone = matches!(next, Some(b'\r' | b'\n' | b';' | b'`') | None);
    let needs_line = matches!(strength, Strength::Plain { .. }) && first == First::Literal;
    if strength != Strength::Told && (declares || needs_line && !is_alone) {
        Err(Stop::No)
    } else {
        Ok(())
    }
}

/// Skips `{…}` with a property of `tool` in it.
pub(super) fn given(cursor: &mut Cursor<'_>, tool: ToolId, known: &Known) -> Result<(), Stop> {
    if has_property(*cursor, tool, known)? {
        skip_bracketed(cursor).map(drop)
    } else {
        Err(Stop::No)
    }
}

fn first(mut cursor: Cursor<'_>, tool: ToolId, known: &Known) -> Result<First, Stop> {
    cursor.skip(1);
    cursor.skip_white()?;
    match cursor.peek()? {
        Some(b')') | None => Ok(First::None),
        Some(b'{') => Ok(if has_property(cursor, tool, known)? {
            First::Property
        } else {
            First::Other
        }),
        Some(b'"' | b'\'' | b'0'..=b'9' | b'[' | b'-' | 0xe2 | 0xef) => Ok(First::Literal),
        Some(b) if b.is_ascii_alphabetic() || b == b'_' => named(cursor, tool, known),
        Some(_) => Ok(First::Other),
    }
}

/// `query="x"`.
fn named(mut cursor: Cursor<'_>, tool: ToolId, known: &Known) -> Result<First, Stop> {
    let name = cursor.take_while(NAME_MAX, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
    })?;
    let is_property = known.property_of(tool, &canonical(name)).is_some();
    cursor.skip_white()?;
    if !cursor.eat(b'=')? && !cursor.eat(b':')? {
        return Ok(First::Other);
    }
    cursor.skip_white()?;
    let is_literal = match cursor.peek()? {
        Some(b'"' | b'\'' | b'`' | b'0'..=b'9' | b'[' | b'{' | b'-' | b'<' | 0xe2 | 0xef)
        | None => true,
        Some(_) => {
            let word = cursor.take_while(NAME_MAX, is_name)?;
            matches!(
                word,
                b"true" | b"false" | b"null" | b"True" | b"False" | b"None" | b"f" | b"r" | b"b"
            )
        }
    };
    Ok(if is_property && is_literal {
        First::Property
    } else {
        First::Other
    })
}

/// Tells whether the first key of the object at `cursor` is a property of `tool`.
pub(super) fn has_property(
    mut cursor: Cursor<'_>,
    tool: ToolId,
    known: &Known,
) -> Result<bool, Stop> {
    cursor.skip(1);
    cursor.take_while(usize::MAX, |b| {
        b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'>' | 0xe2 | 0x80 | 0x98..=0x9f)
    })?;
    let name = cursor.take_while(NAME_MAX, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
    })?;
    if known.property_of(tool, &canonical(name)).is_none() {
        return Ok(false);
    }
    cursor.take_while(NAME_MAX, |b| {
        b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | 0xe2 | 0x80 | 0x98..=0x9f)
    })?;
    cursor.eat(b':')
}

/// Skips what the bracket at `cursor` opens, texts and brackets in it included. Gives whether
/// something closes it; if nothing does, it ends before an empty line, or with the text.
pub(super) fn skip_bracketed(cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
    let mut depth = 0_usize;
    loop {
        let Some(b) = cursor.peek()? else {
            return Ok(false);
        };
        match b {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' | b'\'' | b'`' => skip_text(cursor, b)?,
            b'<' => skip_escape(cursor)?,
            b'\n' if is_empty_line(*cursor)? => return Ok(false),
            _ => {}
        }
        cursor.skip(1);
        if depth == 0 {
            return Ok(true);
        }
    }
}

/// Goes to the end of a text, before its quote. One that is not closed in its line is an
/// apostrophe.
fn skip_text(cursor: &mut Cursor<'_>, quote: u8) -> Result<(), Stop> {
    let mut ahead = *cursor;
    ahead.skip(1);
    loop {
        ahead.take_while(usize::MAX, |b| b != quote && b != b'\\' && b != b'\n')?;
        match ahead.peek()? {
            Some(b'\\') => ahead.skip(2),
            Some(b) if b == quote => {
                *cursor = ahead;
                return Ok(());
            }
            Some(b'\n') if quote != b'\'' && !is_empty_line(ahead)? => ahead.skip(1),
            Some(_) | None => return Ok(()),
        }
    }
}

/// Texts between tokens: `<escape>Paris<escape>`, `<|"|>Paris<|"|>`.
fn skip_escape(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    for mark in [&b"<escape>"[..], b"<|\"|>"] {
        if cursor.eat_word(mark)? {
            while !cursor.eat_word(mark)? {
                if cursor.peek()?.is_none() {
                    return Ok(());
                }
                cursor.skip(1);
            }
            // The last byte of the mark is left to the caller.
            cursor.at = cursor.at.saturating_sub(1);
            return Ok(());
        }
    }
    Ok(())
}

/// Tells whether the line behind the break at `cursor` is empty.
fn is_empty_line(mut cursor: Cursor<'_>) -> Result<bool, Stop> {
    cursor.skip(1);
    cursor.skip_blanks()?;
    Ok(matches!(cursor.peek()?, Some(b'\r' | b'\n')))
}
