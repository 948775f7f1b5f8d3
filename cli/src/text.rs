//! Texts of others, made safe and short for a terminal.

pub(crate) mod gutter;

pub(crate) use folkmoot::text::{clean, clean_json, clip, counted, is_obeyed, one_line, time};

#[cfg(test)]
mod tests;

/// A text with a stand-in for each character that [`clean`] would spell out, as many bytes long:
/// places in it stay.
pub(crate) fn masked(text: &str) -> String {
    text.chars()
        .map(|c| {
            if is_obeyed(c) {
                stand_in(c)
            } else {
                String::from(c)
            }
        })
        .collect()
}

/// A time in seconds, or in minutes if it is long.
pub(crate) fn seconds(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        10_000..300_000 => format!("{} s", ms / 1_000),
        _ => format!("{} min", ms / 60_000),
    }
}

fn stand_in(c: char) -> String {
    match c.len_utf8() {
        1 => "?".to_owned(),
        2 => "\u{bf}".to_owned(),
        3 => "\u{fffd}".to_owned(),
        _ => "\u{fffd}?".to_owned(),
    }
}
