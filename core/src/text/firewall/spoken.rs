//! Calls as code: `search(query="x")`, `print(default_api.search(query="x"))`,
//! `call:search{query: "x"}`, and messages to a tool, `commentary to=functions.search json{…}`.

use super::arguments::{self, Strength};
use super::before::{BEFORE_MAX, is_name, split_word};
use super::candidate::FoundArtifact;
use super::cursor::{Cursor, Stop};
use super::skim::skip_value;
use super::vocabulary::{Known, ToolId};
use super::word::canonical;
use crate::text::firewall::ArtifactFamily;

/// The longest name of a tool, with what qualifies it, in bytes.
const NAME_MAX: usize = 128;

/// The most blanks between two words.
const WORD_MAX: usize = 32;

/// The most words that are held back because a call may begin with them.
const HELD_WORDS: usize = 4;

/// The functions that are called around a call.
const AROUND: [&[u8]; 4] = [b"print(", b"str(", b"json.dumps(", b"repr("];

/// The beginnings of a message to a tool: how models call their channels.
const CHANNELS: [&[u8]; 5] = [
    b"assistantcommentary",
    b"assistantanalysis",
    b"assistant",
    b"commentary",
    b"analysis",
];

/// The words that declare the function that they stand before.
const DECLARES: [&[u8]; 16] = [
    b"def",
    b"fn",
    b"fun",
    b"func",
    b"function",
    b"function*",
    b"class",
    b"sub",
    b"proc",
    b"void",
    b"new",
    b"type",
    b"macro",
    b"interface",
    b"struct",
    b"static",
];

/// Returns where a call begins that has the mark at `mark`, at `from` or behind it.
pub(super) fn begins(
    bytes: &[u8],
    from: usize,
    mark: usize,
    is_whole: bool,
    known: &Known,
) -> Option<usize> {
    let from = from.max(mark.saturating_sub(BEFORE_MAX));
    let lead = bytes.get(from..mark)?;
    let starts = match bytes.get(mark)? {
        b'=' => {
            let head = lead
                .strip_suffix(b"to")
                .filter(|head| !head.last().is_some_and(|b| is_name(*b)))?;
            let (before, _) = split_word(head.trim_ascii_end());
            [before.len(), head.len()]
        }
        b'(' | b'{' | b'[' => {
            let (head, word) = split_word(lead);
            if word.is_empty() {
                return None;
            }
            let awaited = head.strip_suffix(b"await ").unwrap_or(head);
            [awaited.len(), head.len()]
        }
        _ => return None,
    };
    let is_begun = |at: &usize| {
        let (before, rest) = bytes.split_at_checked(*at).unwrap_or_default();
        !matches!(
            find(
                Cursor {
                    bytes: rest,
                    at: 0,
                    is_whole
                },
                near(before),
                known
            ),
            Err(Stop::No)
        )
    };
    starts.into_iter().map(|at| from + at).find(is_begun)
}

/// As much of what stands before a place as is looked at.
fn near(before: &[u8]) -> &[u8] {
    before
        .get(before.len().saturating_sub(BEFORE_MAX)..)
        .unwrap_or_default()
}

/// From where on the end of `bytes` is held back, because a call may begin there: none begins
/// before.
pub(super) fn held_from(bytes: &[u8], from: usize, known: &Known) -> usize {
    let tail = from.max(bytes.len().saturating_sub(BEFORE_MAX));
    let is_start = |at: &usize| {
        let is_in = |at: usize| bytes.get(at).is_some_and(|b| is_name(*b));
        is_in(*at) && at.checked_sub(1).is_none_or(|before| !is_in(before))
    };
    let starts = (tail..bytes.len()).rev().filter(is_start).take(HELD_WORDS);
    let held = starts.filter(|at| {
        let (before, rest) = bytes.split_at_checked(*at).unwrap_or_default();
        find(
            Cursor {
                bytes: rest,
                at: 0,
                is_whole: false,
            },
            near(before),
            known,
        )
        .is_err_and(|stop| stop == Stop::More)
    });
    held.last().unwrap_or(bytes.len())
}

/// The call that begins at `cursor`, behind `before`.
pub(super) fn find(
    cursor: Cursor<'_>,
    before: &[u8],
    known: &Known,
) -> Result<FoundArtifact, Stop> {
    if before.last().is_some_and(|b| is_name(*b)) {
        return Err(Stop::No);
    }
    match message(cursor, known) {
        Err(Stop::No) => statement(cursor, before, known),
        other => other,
    }
}

const fn found(to: usize, family: ArtifactFamily) -> FoundArtifact {
    FoundArtifact {
        from: 0,
        to,
        family,
        is_encoded: false,
        is_own: true,
    }
}

/// `commentary to=functions.search <|constrain|>json<|message|>{…}`, also without its tokens.
fn message(mut cursor: Cursor<'_>, known: &Known) -> Result<FoundArtifact, Stop> {
    for channel in CHANNELS {
        if cursor.eat_word(channel)? {
            cursor.take_while(WORD_MAX, |b| b == b' ')?;
        }
    }
    if !cursor.eat_word(b"to=")? {
        return Err(Stop::No);
    }
    let name = cursor.take_while(NAME_MAX, is_name)?;
    if !known.is_tool(&canonical(name)) {
        return Err(Stop::No);
    }
    for word in [
        &b"<|channel|>"[..],
        b"commentary",
        b"<|constrain|>",
        b"json",
        b"code",
        b"<|message|>",
    ] {
        cursor.skip_white()?;
        cursor.eat_word(word)?;
    }
    cursor.skip_white()?;
    if cursor.peek()? != Some(b'{') {
        return Err(Stop::No);
    }
    skip_value(&mut cursor, known)?;
    cursor.eat_word(b"<|call|>").map_or_else(
        |stop| if cursor.is_whole { Ok(()) } else { Err(stop) },
        |_| Ok(()),
    )?;
    Ok(found(cursor.at, ArtifactFamily::CallTag))
}

/// `await print(search(query="x"))`.
fn statement(mut cursor: Cursor<'_>, before: &[u8], known: &Known) -> Result<FoundArtifact, Stop> {
    if matches!(
        before.last(),
        Some(b'.' | b'$' | b'@' | b'#' | b'/' | b'\\' | b'&')
    ) || before.ends_with(b"->")
        || declares(before)
    {
        return Err(Stop::No);
    }
    cursor.eat_word(b"await ")?;
    let mut around = 0_usize;
    for word in AROUND {
        around += usize::from(cursor.eat_word(word)?);
    }
    let (tool, is_qualified) = name(&mut cursor, known)?;
    let strength = match (is_qualified, known.is_plain(tool)) {
        (true, _) => Strength::Told,
        (false, true) if around == 0 => Strength::Plain {
            is_alone: is_line_start(before),
        },
        (false, true) => Strength::Plain { is_alone: false },
        (false, false) => Strength::Named,
    };
    match cursor.peek()? {
        Some(b'(') => arguments::call(&mut cursor, tool, strength, known)?,
        Some(b'{') => arguments::given(&mut cursor, tool, known)?,
        Some(b'[') => tokens(&mut cursor, known)?,
        Some(_) | None => return Err(Stop::No),
    }
    while around > 0 && cursor.peek().is_ok_and(|b| b == Some(b')')) {
        cursor.skip(1);
        around = around.saturating_sub(1);
    }
    if around > 0 && cursor.peek().is_err() {
        return Err(Stop::More);
    }
    Ok(found(
        cursor.at,
        if is_qualified {
            ArtifactFamily::GeminiCall
        } else {
            ArtifactFamily::LlamaCall
        },
    ))
}

/// The name of a tool.
fn name(cursor: &mut Cursor<'_>, known: &Known) -> Result<(ToolId, bool), Stop> {
    match cursor.take_while(NAME_MAX, is_name) {
        Ok(name) => known.called(&canonical(name)).ok_or(Stop::No),
        Err(_) => {
            let begun = cursor.bytes.get(..cursor.at).unwrap_or_default();
            let (_, begun) = split_word(begun);
            if known.may_be_called(&canonical(begun)) {
                Err(Stop::More)
            } else {
                Err(Stop::No)
            }
        }
    }
}

/// `[CALL_ID]…[ARGS]{…}` behind a name.
fn tokens(cursor: &mut Cursor<'_>, known: &Known) -> Result<(), Stop> {
    if cursor.eat_word(b"[CALL_ID]")? {
        cursor.take_while(NAME_MAX, is_name)?;
    }
    if !cursor.eat_word(b"[ARGS]")? || cursor.peek()? != Some(b'{') {
        return Err(Stop::No);
    }
    skip_value(cursor, known).map(drop)
}

/// Tells whether nothing but blanks, marks of quotes and lists, and those of code stand before in
/// the line.
fn is_line_start(before: &[u8]) -> bool {
    let line = before.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    line.iter()
        .all(|b| matches!(b, b' ' | b'\t' | b'>' | b'`' | b'*' | b'-' | b'.') || b.is_ascii_digit())
}

/// Tells whether the last word declares what follows.
fn declares(before: &[u8]) -> bool {
    let text = before.trim_ascii_end();
    let (_, word) = split_word(text);
    text.len() < before.len() && DECLARES.contains(&word)
}
