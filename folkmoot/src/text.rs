//! Texts of others, made safe and short for people: on a terminal, on a page.

use std::fmt::Display;

use folkmoot_core::ids::Time;

#[cfg(test)]
mod tests;

/// A text without what a terminal would obey or a person could not see: control characters, marks that turn the
/// direction of writing, and invisible characters are shown by their code. Line breaks and tabs stay.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) {
            shown.extend(c.escape_unicode())
        } else {
            shown.push(c)
        }
    }
    shown
}

/// The same of JSON, which stays the JSON that it is: each such character becomes an escape, joiners too. All of them stand in
/// strings.
#[must_use]
pub fn clean_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        if is_obeyed(c) || matches!(c, '\u{200c}' | '\u{200d}') {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Tells whether a terminal obeys a character, or nobody sees it. Joiners (U+200C, U+200D) stay: scripts and emoji are written with
/// them.
#[must_use]
pub fn is_obeyed(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Direction of writing.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        // Breaks that are no `\n`.
        '\u{2028}' | '\u{2029}' => true,
        // Nothing to see: text can hide in them, and words can be told apart that look the same.
        '\u{ad}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{2060}'..='\u{2064}'
        | '\u{206a}'..='\u{206f}'
        | '\u{feff}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

/// A text in one line, made safe.
#[must_use]
pub fn one_line(text: &str) -> String {
    clean(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The beginning of a text, with `…` where it was longer than `max` characters.
#[must_use]
pub fn clip(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
    }
}

/// A number of things, each of which is called `thing`: `1 world`, `2 worlds`.
#[must_use]
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, thing: &str) -> String {
    let ending = if number == N::from(1) { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// A time as RFC 3339; the bare number where that cannot be.
#[must_use]
pub fn time(time: Time) -> String {
    let stamp = i64::try_from(time.0)
        .ok()
        .and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    stamp.map_or_else(|| time.0.to_string(), |stamp| stamp.to_string())
}
