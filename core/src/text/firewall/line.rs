//! Artifacts that begin a line: `Action:` blocks, and fences of code that only tools run.

use super::before::{is_name, split_word};
use super::candidate::FoundArtifact;
use super::cursor::{Cursor, Stop};
use super::skim::skip_value;
use super::vocabulary::{Known, ToolId};
use super::word::canonical;
use super::{arguments, labels};
use crate::text::firewall::ArtifactFamily;

/// The most bytes before the first word of a line: blanks, bullets, quotes and emphasis.
const LEAD_MAX: usize = 32;

/// The most mentions and routing tags before the first word of a line, less one.
const ADDRESSED_MAX: usize = 3;

/// The longest name of a tool, in bytes.
const NAME_MAX: usize = 128;

/// The words of a model before the arguments of a call.
const INPUT: &[u8] = b"action input:";

/// The fewest marks of a fence.
const FENCE_MIN: usize = 3;

/// The artifact that begins the line at `cursor`.
///
/// `before` stands before it: a line may end with the action whose input this one is.
pub(super) fn find(
    mut cursor: Cursor<'_>,
    before: &[u8],
    known: &Known,
) -> Result<FoundArtifact, Stop> {
    skip_lead(&mut cursor)?;
    let from = cursor.at;
    let start = cursor;
    let family = match cursor.peek()? {
        Some(b'`' | b'~') => {
            fence(&mut cursor)?;
            ArtifactFamily::GeminiCall
        }
        Some(_) if is_action(before, known) && is_input(&mut cursor, known)? => {
            ArtifactFamily::ReactText
        }
        Some(_) => match action(&mut cursor, known) {
            Err(Stop::No) => {
                cursor = start;
                return labelled(cursor, from, known);
            }
            other => {
                other?;
                ArtifactFamily::ReactText
            }
        },
        None => return Err(Stop::No),
    };
    Ok(FoundArtifact {
        from,
        to: cursor.at,
        family,
        is_encoded: false,
        is_own: true,
    })
}

/// Tells whether the line before ends with `Action: search`.
fn is_action(before: &[u8], known: &Known) -> bool {
    let (head, name) = split_word(before.trim_ascii_end());
    let label = head.trim_ascii_end().strip_suffix(b":").unwrap_or_default();
    split_word(label).1.eq_ignore_ascii_case(b"action") && known.is_tool(&canonical(name))
}

/// Skips `Action Input: …`, if it is next.
fn is_input(cursor: &mut Cursor<'_>, known: &Known) -> Result<bool, Stop> {
    match input(cursor, known) {
        Ok(()) => Ok(true),
        Err(Stop::No) => Ok(false),
        Err(Stop::More) => Err(Stop::More),
    }
}

/// A call in lines with labels, or a name alone in its line with its arguments behind.
fn labelled(cursor: Cursor<'_>, from: usize, known: &Known) -> Result<FoundArtifact, Stop> {
    let found = |from, to, family| FoundArtifact {
        from,
        to,
        family,
        is_encoded: false,
        is_own: true,
    };
    match labels::find(cursor, known) {
        Err(Stop::No) => {}
        other => return other.map(|(from, to, family)| found(from, to, family)),
    }
    let lead = cursor.bytes.get(..from).unwrap_or_default();
    let marks = lead.iter().rev().take_while(|b| **b == b'>').count();
    let from = if marks >= FENCE_MIN {
        from.saturating_sub(marks)
    } else {
        from
    };
    named(cursor, known).map(|to| found(from, to, ArtifactFamily::CallTag))
}

/// The name of a tool alone in its line, and its arguments as JSON on the next. Gives where they
/// end.
fn named(mut cursor: Cursor<'_>, known: &Known) -> Result<usize, Stop> {
    let name = match cursor.take_while(NAME_MAX, is_name) {
        Ok(name) => canonical(name),
        Err(stop) => {
            let begun = cursor.bytes.get(..cursor.at).unwrap_or_default();
            return Err(if known.may_be_called(&canonical(split_word(begun).1)) {
                stop
            } else {
                Stop::No
            });
        }
    };
    let (tool, _) = known.called(&name).ok_or(Stop::No)?;
    cursor.take_while(LEAD_MAX, |b| matches!(b, b' ' | b'\t'))?;
    if !matches!(cursor.peek()?, Some(b'\r' | b'\n')) {
        return Err(Stop::No);
    }
    cursor.take_while(LEAD_MAX, |b| b.is_ascii_whitespace() || b == b'>')?;
    if cursor.peek()? != Some(b'{') || !arguments::has_property(cursor, tool, known)? {
        return Err(Stop::No);
    }
    skip_value(&mut cursor, known)?;
    Ok(cursor.at)
}

/// Skips what may stand before the first word of a line, and what may be cut from there: mentions
/// and routing tags.
fn skip_lead(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let is_lead = |b: u8| {
        matches!(
            b,
            b' ' | b'\t' | b'>' | b'-' | b'#' | b'+' | b'.' | b',' | b':' | b'(' | b')'
        ) || b.is_ascii_digit()
    };
    for _ in 0..ADDRESSED_MAX {
        cursor.take_while(LEAD_MAX, is_lead)?;
        if cursor.eat_word(b"* ")? {
            cursor.take_while(LEAD_MAX, is_lead)?;
        }
        step(cursor)?;
        if cursor.eat_word(b"<world>")? {
            cursor.take_while(LEAD_MAX, |b| !matches!(b, b'<' | b'\n'))?;
            cursor.eat_word(b"</world>")?;
        } else if cursor.eat(b'@')? {
            cursor.take_while(LEAD_MAX, |b| {
                !b.is_ascii_whitespace() && !matches!(b, b',' | b':')
            })?;
        } else {
            return Ok(());
        }
    }
    Ok(())
}

/// `Step 1:`
fn step(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let mut ahead = *cursor;
    if ahead.eat_word(b"step ")?
        && !ahead
            .take_while(LEAD_MAX, |b| b.is_ascii_digit())?
            .is_empty()
    {
        ahead.take_while(LEAD_MAX, |b| matches!(b, b' ' | b':' | b'.' | b')' | b'-'))?;
        *cursor = ahead;
    }
    Ok(())
}

/// Skips the marks before a label that belongs to the one above.
fn skip_marks(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    cursor.skip_white()?;
    cursor.take_while(LEAD_MAX, |b| {
        matches!(b, b' ' | b'>' | b'-' | b'.' | b')' | b'#') || b.is_ascii_digit()
    })?;
    step(cursor)
}

/// A fence of code for tools, with its closing line.
fn fence(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let mark = cursor.peek()?.ok_or(Stop::No)?;
    let marks = cursor.take_while(LEAD_MAX, |b| b == mark)?.len();
    cursor.skip_blanks()?;
    let word = cursor.take_while(LEAD_MAX, |b| b.is_ascii_alphabetic() || b == b'_')?;
    let is_code = matches!(
        canonical(word).as_str(),
        "toolcode" | "toolcall" | "tooloutput" | "tooloutputs"
    );
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
    let tool = tool(cursor, known)?;
    if matches!(cursor.peek()?, Some(b'[' | b'(')) {
        cursor.skip_line()?;
        trim(cursor);
        return observation(cursor);
    }
    decoration(cursor)?;
    if cursor.peek()? == Some(b'{') {
        skip_value(cursor, known)?;
        return observation(cursor);
    }
    let end = *cursor;
    let is_alone = matches!(cursor.peek()?, Some(b'\r' | b'\n') | None);
    let is_told = is_alone && !known.is_plain(tool);
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

/// Tells whether the text ends before it could be told what follows.
fn is_cut(mut cursor: Cursor<'_>) -> Result<bool, Stop> {
    cursor.skip_white()?;
    let rest = cursor.rest();
    let is_beginning = INPUT
        .get(..rest.len())
        .is_some_and(|beginning| beginning.eq_ignore_ascii_case(rest));
    Ok(is_beginning && cursor.is_whole)
}

/// `word:`, also numbered and in bold.
fn label(cursor: &mut Cursor<'_>, word: &[u8]) -> Result<(), Stop> {
    cursor.take_while(2, |b| matches!(b, b'*' | b'_'))?;
    if !cursor.eat_word(word)? {
        return Err(Stop::No);
    }
    cursor.take_while(LEAD_MAX, |b| {
        matches!(b, b' ' | b'*' | b'_') || b.is_ascii_digit()
    })?;
    if !cursor.eat(b':')? && !cursor.eat_word("：".as_bytes())? {
        return Err(Stop::No);
    }
    decoration(cursor)
}

/// Blanks, and marks of emphasis and code.
fn decoration(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    cursor.take_while(LEAD_MAX, |b| {
        matches!(b, b' ' | b'\t' | b'*' | b'`' | b'"' | b'\'')
    })?;
    Ok(())
}

/// The known tool at `cursor`.
fn tool(cursor: &mut Cursor<'_>, known: &Known) -> Result<ToolId, Stop> {
    known
        .tool(&canonical(cursor.take_while(NAME_MAX, is_name)?))
        .ok_or(Stop::No)
}

/// `Action Input: …`, on this line or one of the next.
fn input(cursor: &mut Cursor<'_>, known: &Known) -> Result<(), Stop> {
    let mut ahead = *cursor;
    skip_marks(&mut ahead)?;
    label(&mut ahead, b"action input").or_else(|stop| {
        if stop == Stop::More {
            Err(stop)
        } else {
            label(&mut ahead, b"action_input")
        }
    })?;
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
    let line = cursor.at;
    let read = *cursor;
    cursor.skip_line()?;
    if read
        .bytes
        .get(line..cursor.at)
        .unwrap_or_default()
        .trim_ascii()
        .is_empty()
    {
        below(cursor)?;
    }
    trim(cursor);
    Ok(())
}

/// Skips the line behind a label that stands alone, and those below that which stand further in.
fn below(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let mut is_first = true;
    while cursor.peek()?.is_some() {
        let mut ahead = *cursor;
        ahead.skip(1);
        let is_in = !ahead
            .take_while(LEAD_MAX, |b| matches!(b, b' ' | b'\t'))?
            .is_empty();
        if !is_in && !is_first || matches!(ahead.peek()?, Some(b'\r' | b'\n') | None) {
            return Ok(());
        }
        ahead.skip_line()?;
        (*cursor, is_first) = (ahead, false);
    }
    Ok(())
}

/// `Observation: …`, if it is on the next lines: what the model made up for a result.
fn observation(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let mut ahead = *cursor;
    skip_marks(&mut ahead)?;
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
