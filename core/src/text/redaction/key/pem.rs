//! Private keys in PEM (RFC 7468).

use std::ops::Range;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// The most bytes of a label, e.g. of `OPENSSH PRIVATE KEY`.
const LABEL_BYTES_MAX: usize = 64;

/// The next private key, to its last line; to the end of the text if that is missing.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    text.match_indices(BEGIN).find_map(|(start, begin)| {
        let body = start + begin.len() + private_label(text.get(start + begin.len()..)?)?;
        let end = text
            .get(body..)?
            .find(END)
            .map_or(text.len(), |end| body + end + END.len());
        let rest = text.get(end..)?;
        let line = private_label(rest).map_or(0, |label| label + DASHES.len());
        Some(start..end + line)
    })
}

/// Returns how long the label at the beginning of `text` is, if it is that of a private key.
fn private_label(text: &str) -> Option<usize> {
    let text = text.get(..text.floor_char_boundary(LABEL_BYTES_MAX))?;
    let label = text.get(..text.find(DASHES)?)?;
    let is_label = label
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    (is_label && label.contains("PRIVATE KEY")).then_some(label.len())
}
