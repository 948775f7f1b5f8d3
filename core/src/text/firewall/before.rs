//! The text before a place: the name of a tool that a value is for, and what makes it code.

use super::vocabulary::{Known, ToolId};
use super::word::canonical;
use super::work;

/// The most bytes before a place that are looked at.
pub(super) const BEFORE_MAX: usize = 192;

/// The most marks and blanks between a name and what it is given.
const MARKS_MAX: usize = 24;

/// The most words and tokens between a name and what it is given.
const WORDS_MAX: usize = 3;

/// The tool that is named directly before a value: `search: {…}`, `to=functions.search json{…}`.
pub(super) fn tool(before: &[u8], known: &Known) -> Option<ToolId> {
    work::note(1);
    let mut rest = before;
    for _ in 0..WORDS_MAX {
        rest = without_marks(rest)?;
        rest = without_token(rest);
        let (head, word) = split_word(
            rest.strip_suffix("→".as_bytes())
                .map_or(rest, <[u8]>::trim_ascii_end),
        );
        if word.is_empty() {
            continue;
        }
        let name = canonical(word);
        if let Some((tool, _)) = known.called(name.trim_start_matches(['.', ':'])) {
            return Some(tool);
        }
        let is_filling = matches!(
            name.as_str(),
            "json"
                | "code"
                | "with"
                | "arguments"
                | "args"
                | "parameters"
                | "input"
                | "toolinput"
                | "actioninput"
                | "content"
        );
        rest = head;
        if !is_filling {
            return None;
        }
    }
    None
}

/// Tells whether a value with keys that have no quotes is code: it is given to something.
pub(super) fn is_code(before: &[u8]) -> bool {
    let text = before.trim_ascii_end();
    let is_called = |head: &[u8]| {
        head.last()
            .is_some_and(|b| is_name(*b) || matches!(b, b')' | b'>' | b'!'))
    };
    let is_given = text.strip_suffix(b"(").is_some_and(is_called);
    is_given
        || matches!(text.last(), Some(b'=' | b',' | b'?' | b'$'))
        || text.ends_with(b"=>")
        || text.ends_with(b"return")
}

/// Blanks and marks at the end are left out; `None` if there are too many.
fn without_marks(text: &[u8]) -> Option<&[u8]> {
    let is_mark = |b: &u8| {
        b.is_ascii_whitespace()
            || matches!(
                b,
                b':' | b']' | b'*' | b'`' | b'"' | b'\'' | b'-' | b'>' | b'=' | b'(' | b'~'
            )
    };
    let len = text.iter().rev().take_while(|b| is_mark(b)).count();
    let is_token = text
        .get(..text.len().saturating_sub(len))
        .is_some_and(|rest| rest.ends_with(b"|"));
    // The bracket that ends a token belongs to that.
    let len = if is_token { 0 } else { len };
    (len <= MARKS_MAX).then(|| {
        text.get(..text.len().saturating_sub(len))
            .unwrap_or_default()
    })
}

/// `<|…|>` at the end is left out.
fn without_token(text: &[u8]) -> &[u8] {
    let Some(inner) = text.trim_ascii_end().strip_suffix(b"|>") else {
        return text;
    };
    match inner.windows(2).rposition(|pair| pair == b"<|") {
        Some(at) => text.get(..at).unwrap_or_default(),
        None => text,
    }
}

/// The word at the end, and what is before it.
pub(super) fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    let len = text.iter().rev().take_while(|b| is_name(**b)).count();
    work::note(len);
    text.split_at_checked(text.len().saturating_sub(len))
        .unwrap_or((text, &[]))
}

pub(super) const fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':') || b >= 0x80
}
