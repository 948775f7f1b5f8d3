//! Mail addresses.

use std::ops::Range;

/// The next address. What stands around an `@` is read up to its edges, and neither side can hold
/// another `@`, so that no byte is read more than twice.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    text.match_indices('@').find_map(|(at, _)| {
        let local = text.get(..at)?;
        let domain = text.get(at + 1..)?;
        let start = local_start(local);
        let end = domain_end(domain)?;
        (start < at).then_some(start..at + 1 + end)
    })
}

/// Returns where the part before the `@` begins; a quotation mark or a full stop in front does not
/// belong to it.
fn local_start(before: &str) -> usize {
    let others = before
        .trim_end_matches(|c| is_letter(c) || ".!#$%&'*+-_~".contains(c))
        .len();
    let local = before.get(others..).unwrap_or_default();
    before.len()
        - local
            .trim_start_matches(|c: char| !is_letter(c) && c != '_' && c != '+')
            .len()
}

/// Returns how long the domain at the beginning of `text` is: labels up to the last one that can be
/// a top-level domain.
fn domain_end(text: &str) -> Option<usize> {
    let run = text
        .find(|c| !is_letter(c) && c != '.' && c != '-')
        .unwrap_or(text.len());
    let labels = text.get(..run)?.split('.');
    let mut end = 0;
    let mut domain = None;
    for (position, label) in labels
        .take_while(|label| !label.is_empty() && !label.starts_with('-'))
        .enumerate()
    {
        let start = end;
        end = start + label.len() + 1;
        if position > 0 && is_top_level(label) {
            domain = Some(start + label.trim_end_matches('-').len());
        }
    }
    domain
}

fn is_top_level(label: &str) -> bool {
    label.chars().take_while(|c| c.is_alphabetic()).count() >= 2
}

/// Letters and digits of scripts that put spaces between words. Others would draw the sentence
/// before into the address.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (matches!(c, '\u{80}'..'\u{600}' | '\u{1e00}'..'\u{2000}') && c.is_alphanumeric())
}
