//! The words of a server: data, whatever they say. A text with unseen characters is not what it looks like.

use folkmoot_core::ids::is_unseen;

/// The most bytes of a server's words in the detail of a failure.
pub(super) const DETAIL_MAX: usize = 2000;

/// `text` on one line of at most `max` bytes, without characters that nobody sees.
pub(super) fn line(text: &str, max: usize) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let line = text.chars().filter(|c| !is_unseen(*c)).map(shown);
    let mut line: String = line.take(max.saturating_add(1)).collect();
    if line.len() > max {
        line.truncate(line.floor_char_boundary(max));
        line.push('…');
    }
    line.trim().to_owned()
}

/// `text` with its lines, without characters that nobody sees.
pub(super) fn clean(text: &str) -> String {
    let stays = |c: &char| matches!(c, '\n' | '\t') || !c.is_control() && !is_unseen(*c);
    text.chars().filter(stays).collect()
}

/// Tells whether a text has no character that [`clean`] takes out.
pub(super) fn is_clean(text: &str) -> bool {
    text.chars()
        .all(|c| matches!(c, '\n' | '\t') || !c.is_control() && !is_unseen(c))
}
