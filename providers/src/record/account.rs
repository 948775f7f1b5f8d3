//! Ids of accounts and keys in what providers write, known by their form.

use std::borrow::Cow;
use std::collections::BTreeSet;

use folkmoot_core::text::redaction::{RedactionKind, redact_text};
use serde_json::Value;

#[cfg(test)]
mod tests;

/// The beginnings of the ids of accounts, and of keys that providers repeat in errors; and the
/// fewest characters behind that. The ids are those of OpenAI, Anthropic and OpenRouter, the keys
/// those of the providers that have presets.
const BEGINNINGS: [(&str, usize); 15] = [
    ("org-", 12),
    ("org_", 12),
    ("proj_", 12),
    ("user-", 16),
    ("user_", 16),
    ("acct_", 8),
    ("wrkspc_", 8),
    ("apikey_", 8),
    ("svcacct-", 8),
    ("sk-", 12),
    ("gsk_", 12),
    ("xai-", 12),
    ("pplx-", 12),
    ("AIza", 30),
    ("AQ.", 30),
];

/// The text in the place of an id.
const MARKER: &str = "[account]";

/// `text` without ids of accounts and keys. Doing it twice changes nothing more.
pub(crate) fn hidden(text: &str) -> Cow<'_, str> {
    let mut hidden = String::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let word = rest.find(|c| !is_inside(c)).unwrap_or(rest.len());
        if is_id(rest.get(..word).unwrap_or_default()) {
            hidden.push_str(text.get(done..at).unwrap_or_default());
            hidden.push_str(MARKER);
            done = at + word;
        }
        at += word + rest.get(word..).map_or(1, border);
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    hidden.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(hidden)
}

/// `text` without what [`hidden`] takes out, and without mail addresses: errors name whom a key
/// belongs to.
pub(crate) fn without_people(text: &str) -> Cow<'_, str> {
    let people = BTreeSet::from([RedactionKind::Email]);
    match hidden(text) {
        Cow::Borrowed(text) => redact_text(&people, text),
        Cow::Owned(text) => Cow::Owned(redact_text(&people, &text).into_owned()),
    }
}

/// Hides what [`hidden`] hides in the texts of a value. The names of fields stay: they are the
/// wire's.
pub(crate) fn hide_in(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(hidden) = hidden(text) {
                *text = hidden;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_in),
        Value::Object(fields) => fields.values_mut().for_each(hide_in),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

const fn is_inside(c: char) -> bool {
    // A star: providers show a key as `sk-ab***yz`.
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '*')
}

/// Returns the number of bytes that end a word. Within a JSON text `\n` is two characters, the
/// second of which begins no word.
fn border(text: &str) -> usize {
    let chars = if text.starts_with('\\') { 2 } else { 1 };
    text.chars()
        .take(chars)
        .map(char::len_utf8)
        .sum::<usize>()
        .max(1)
}

/// An id has a digit, a star or both cases in it: `user-defined-function` is a word.
fn is_id(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    let has = |is: fn(char) -> bool| word.contains(is);
    let looks_random = |rest: &str| {
        rest.contains('*')
            || rest.contains(|c: char| c.is_ascii_digit())
            || rest.contains(|c: char| c.is_ascii_lowercase())
                && rest.contains(|c: char| c.is_ascii_uppercase())
    };
    let begins = |(start, chars_min): &(&str, usize)| {
        word.strip_prefix(start)
            .is_some_and(|rest| rest.len() >= *chars_min && looks_random(rest))
    };
    has(|c| c.is_ascii_alphabetic()) && BEGINNINGS.iter().any(begins)
}
