//! Keeping output within its limit.

#[cfg(test)]
mod tests;

/// The note behind a text that was cut.
const CUT: &str = "\n[cut: the output is longer]";

/// `text`, cut to `max` bytes together with the last line that says so.
pub(crate) fn cut(mut text: String, max: u64) -> String {
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max.saturating_sub(CUT.len())));
        text.push_str(CUT);
    }
    text
}
