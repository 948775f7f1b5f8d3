//! Characters that people cannot see, or that move what they see.

use serde_json::Value;

use crate::tool::{ArgumentFinding, Severity};

/// Returns what the texts in `value`, keys included, hold that a person who reads them does not
/// see. Hidden characters are an error always: whoever allows a call must see all of it. Control
/// characters are shown escaped, and a warning.
pub(super) fn findings(value: &Value) -> Vec<ArgumentFinding> {
    let mut found = Vec::new();
    walk(value, &mut String::new(), &mut found);
    found
}

/// The depth of `value` is bounded by then.
fn walk(value: &Value, path: &mut String, found: &mut Vec<ArgumentFinding>) {
    match value {
        Value::String(text) => found.extend(finding(text, path)),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                step(&index.to_string(), item, path, found);
            }
        }
        Value::Object(entries) => {
            for (key, item) in entries {
                match finding(key, path) {
                    // The path would hold what is hidden.
                    Some(fault) => found.push(fault),
                    None => step(
                        &key.replace('~', "~0").replace('/', "~1"),
                        item,
                        path,
                        found,
                    ),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn step(key: &str, item: &Value, path: &mut String, found: &mut Vec<ArgumentFinding>) {
    let before = path.len();
    path.push('/');
    path.push_str(key);
    walk(item, path, found);
    path.truncate(before);
}

fn finding(text: &str, path: &str) -> Option<ArgumentFinding> {
    if text.is_ascii() && !text.contains(is_control) {
        return None;
    }
    if has_hidden(text) {
        return Some(ArgumentFinding::error(path, "hidden_characters"));
    }
    let warning = ArgumentFinding {
        severity: Severity::Warning,
        ..ArgumentFinding::error(path, "control_characters")
    };
    text.contains(is_control).then_some(warning)
}

fn has_hidden(text: &str) -> bool {
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(one) = rest.next() {
        let between = (before, rest.peek().copied());
        if is_hidden(one) || (is_joiner(one) && !joins(between)) {
            return true;
        }
        before = Some(one);
    }
    false
}

/// Marks, overrides and isolates of direction; what has no width; tags, which spell words that
/// nobody sees.
fn is_hidden(one: char) -> bool {
    matches!(
        one,
        '\u{00ad}'
            | '\u{061c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// The joiner and the non-joiner have no width either, but scripts and emoji are written with them.
fn is_joiner(one: char) -> bool {
    matches!(one, '\u{200c}' | '\u{200d}')
}

/// Tells whether a joiner between these has something to join: two characters that are neither
/// ASCII nor joiners.
fn joins(between: (Option<char>, Option<char>)) -> bool {
    let is_one = |one: char| !one.is_ascii() && !is_joiner(one);
    between.0.is_some_and(is_one) && between.1.is_some_and(is_one)
}

/// Control characters but line breaks and tabs.
fn is_control(one: char) -> bool {
    one.is_control() && !matches!(one, '\n' | '\r' | '\t')
}
