//! Artifacts that begin a line: `Action:` blocks, and fences of code that only tools run.

use super::cursor::{Cursor, Stop};
use super::found::Found;
use super::known::Known;
use super::skim::skip_value;
use super::word::canonical;
use crate::event::ArtifactFamily;

/// The most bytes of a block that are looked at. What is longer is withheld to the end of the text.
pub(super) const BLOCK_MAX: usize = 64 * 1024;

/// The most bytes before the first word of a line: blanks, bullets, quotes and emphasis.
const LEAD_MAX: usize = 32;

/// The most mentions and routing tags before the first word of a line, less one.
const ADDRESSED_MAX: usize = 3;

/// The longest name of a tool, in bytes.
const NAME_MAX: usize = 128;

/// What a model writes before the arguments of a call.
const INPUT: &[u8] = b"action input:";

/// The fewest marks of a fence.
const FENCE_MIN: usize = 3;

/// The artifact that begins the line at `cursor`.
pub(super) fn find(mut cursor: Cursor<'_>, known: &Known) -> Result<Found, Stop> {
    skip_lead(&mut cursor)?;
    let from = cursor.at;
    match cursor.peek()? {
        Some(b'`' | b'~') => fence(&mut cursor)?,
        Some(b'*' | b'_' | b'a' | b'A') => action(&mut cursor, known)?,
        Some(_) | None => return Err(Stop::No),
    }
    let family = if matches!(cursor.bytes.get(from), Some(b'`' | b'~')) {
        ArtifactFamily::GeminiCall
    } else {
        ArtifactFamily::ReactText
    };
    Ok(Found { from, to: cursor.at, family, closes: &[], is_encoded: false })
}

/// Skips what may stand before the first word of a line, and what may be cut from there: mentions and routing tags.
fn skip_lead(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let is_lead =
        |b: u8| matches!(b, b' ' | b'\t' | b'>' | b'-' | b'#' | b'+' | b'.' | b',' | b':') || b.is_ascii_digit();
    for _ in 0..ADDRESSED_MAX {
        cursor.take_while(LEAD_MAX, is_lead)?;
        if cursor.eat_word(b"<world>")? {
            cursor.take_while(LEAD_MAX, |b| !matches!(b, b'<' | b'\n'))?;
            cursor.eat_word(b"</world>")?;
        } else if cursor.eat(b'@')? {
            cursor.take_while(LEAD_MAX, |b| !b.is_ascii_whitespace() && !matches!(b, b',' | b':'))?;
        } else {
            return Ok(());
        }
    }
    Ok(())
}

/// A fence of code for tools, with its closing line.
fn fence(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let mark = cursor.peek()?.ok_or(Stop::No)?;
    let marks = cursor.take_while(LEAD_MAX, |b| b == mark)?.len();
    cursor.skip_blanks()?;
    let word = cursor.take_while(LEAD_MAX, |b| b.is_ascii_alphabetic() || b == b'_')?;
    let is_code = matches!(canonical(word).as_str(), "toolcode" | "toolcall" | "tooloutput" | "tooloutputs");
    cursor.skip_blanks()?;
    if marks < FENCE_MIN || !is_code || !matches!(cursor.peek()?, Some(b'\r' | b'\n') | None) {
        return Err(Stop::No);
    }
    loop {
        cursor.skip_line()?;
        if cursor.peek()?.is_none() {
            return Ok(());
        }
        cursor.skip(1);
        cursor.take_while(LEAD_MAX, |b| matches!(b, b' ' | b'\t' | b'>'))?;
        if cursor.take_while(usize::MAX, |b| b == mark)?.len() >= marks {
            return Ok(());
        }
    }
}

/// `Action: search`, with the lines that belong to it.
fn action(cursor: &mut Cursor<'_>, known: &Known) -> Result<(), Stop> {
    label(cursor, b"action")?;
    let name = tool(cursor, known)?;
    if matches!(cursor.peek()?, Some(b'[' | b'(')) {
        cursor.skip_line()?;
        trim(cursor);
        return observation(cursor);
    }
    decoration(cursor)?;
    let end = *cursor;
    let is_alone = matches!(cursor.peek()?, Some(b'\r' | b'\n') | None);
    let is_told = is_alone && !known.is_plain(&name);
    match input(cursor, known) {
        Ok(()) => observation(cursor),
        Err(Stop::No) if is_told || is_alone && is_cut(*cursor)? => {
            if !is_cut(*cursor)? {
                *cursor = end;
            } else {
                cursor.at = cursor.bytes.len();
            }
            Ok(())
        }
        Err(stop) => Err(stop),
    }
}

/// Whether the text ends before it could be told what follows.
fn is_cut(mut cursor: Cursor<'_>) -> Result<bool, Stop> {
    cursor.skip_white()?;
    let rest = cursor.rest();
    let is_beginning = INPUT.get(..rest.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(rest));
    Ok(is_beginning && cursor.is_whole)
}

/// `word:`, also numbered and in bold.
fn label(cursor: &mut Cursor<'_>, word: &[u8]) -> Result<(), Stop> {
    cursor.take_while(2, |b| matches!(b, b'*' | b'_'))?;
    if !cursor.eat_word(word)? {
        return Err(Stop::No);
    }
    cursor.take_while(LEAD_MAX, |b| matches!(b, b' ' | b'*' | b'_') || b.is_ascii_digit())?;
    if !cursor.eat(b':')? && !cursor.eat_word("：".as_bytes())? {
        return Err(Stop::No);
    }
    decoration(cursor)
}

/// Blanks, and marks of emphasis and code.
fn decoration(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    cursor.take_while(LEAD_MAX, |b| matches!(b, b' ' | b'\t' | b'*' | b'`' | b'"' | b'\''))?;
    Ok(())
}

/// The known tool at `cursor`.
fn tool(cursor: &mut Cursor<'_>, known: &Known) -> Result<String, Stop> {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':') || b >= 0x80;
    let name = canonical(cursor.take_while(NAME_MAX, is_name)?);
    if known.is_tool(&name) { Ok(name) } else { Err(Stop::No) }
}

/// `Action Input: …`, on this line or one of the next.
fn input(cursor: &mut Cursor<'_>, known: &Known) -> Result<(), Stop> {
    let mut ahead = *cursor;
    ahead.skip_white()?;
    ahead.take_while(LEAD_MAX, |b| matches!(b, b' ' | b'>' | b'-'))?;
    label(&mut ahead, b"action input")
        .or_else(|stop| if stop == Stop::More { Err(stop) } else { label(&mut ahead, b"action_input") })?;
    *cursor = ahead;
    content(cursor, known)
}

/// A JSON value, a fence with one, or the rest of the line.
fn content(cursor: &mut Cursor<'_>, known: &Known) -> Result<(), Stop> {
    let mut ahead = *cursor;
    ahead.skip_white()?;
    let is_fenced = ahead.eat_word(b"```")?;
    if is_fenced {
        ahead.take_while(LEAD_MAX, |b| b.is_ascii_alphabetic())?;
        ahead.skip_white()?;
    }
    if matches!(ahead.peek()?, Some(b'{' | b'[')) {
        skip_value(&mut ahead, known)?;
        *cursor = ahead;
        ahead.skip_white()?;
        if is_fenced && ahead.eat_word(b"```")? {
            *cursor = ahead;
        }
        return Ok(());
    }
    cursor.skip_line()?;
    trim(cursor);
    Ok(())
}

/// `Observation: …`, if it is on the next lines: what the model made up for a result.
fn observation(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let mut ahead = *cursor;
    ahead.skip_white()?;
    match label(&mut ahead, b"observation") {
        Ok(()) => {
            ahead.skip_line()?;
            trim(&mut ahead);
            *cursor = ahead;
            Ok(())
        }
        Err(Stop::No) => Ok(()),
        Err(Stop::More) => Err(Stop::More),
    }
}

/// Goes back before the white space that ends a line.
fn trim(cursor: &mut Cursor<'_>) {
    let read = cursor.bytes.get(..cursor.at).unwrap_or_default();
    cursor.at = read.trim_ascii_end().len();
}
