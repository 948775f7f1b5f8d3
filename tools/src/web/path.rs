//! Paths of rules, compared name by name.

use std::fmt;

use percent_encoding::percent_decode_str;

/// A path, or all that lies beneath one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathRule {
    /// The names of the path, without escapes.
    names: Vec<String>,
    /// True if it stands for what lies beneath.
    is_beneath: bool,
}

impl PathRule {
    /// Reads `/status`, this path alone, or `/v1/*`, all that lies beneath `/v1/`; `None` if it is neither.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (path, is_beneath) = match text.strip_suffix("/*") {
            Some(path) => (path, true),
            None => (text, false),
        };
        let is_plain = |c: char| !matches!(c, '*' | '?' | '#') && !c.is_control();
        if !text.starts_with('/') || !path.chars().all(is_plain) {
            return None;
        }
        let names = if path.is_empty() {
            Vec::new()
        } else {
            names(path)?
        };
        Some(Self { names, is_beneath })
    }

    /// Tells whether the path with these names is one of this rule.
    pub(super) fn fits(&self, names: &[String]) -> bool {
        if self.is_beneath {
            names.len() > self.names.len() && names.starts_with(&self.names)
        } else {
            names == self.names
        }
    }
}

impl fmt::Display for PathRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.names
            .iter()
            .try_for_each(|name| write!(f, "/{name}"))?;
        f.write_str(if self.is_beneath { "/*" } else { "" })
    }
}

/// Signs that some servers take for a dot, a slash or a backslash.
const LOOKALIKES: &[char] = &[
    '\u{2024}', '\u{2025}', '\u{2026}', '\u{2044}', '\u{2215}', '\u{29f8}', '\u{fe52}', '\u{fe68}',
    '\u{ff0e}', '\u{ff0f}', '\u{ff3c}',
];

/// The names in a path, without escapes. `None` if a server could take one of them for another path: it has a slash, a
/// backslash, a percent sign, a control character or what looks like one of them behind an escape, is no text, or has nothing
/// but dots and blanks in front of a `;`.
pub(super) fn names(path: &str) -> Option<Vec<String>> {
    path.strip_prefix('/')?.split('/').map(name).collect()
}

fn name(escaped: &str) -> Option<String> {
    let name = percent_decode_str(escaped).decode_utf8().ok()?;
    let is_strange =
        |c: char| c.is_control() || matches!(c, '/' | '\\' | '%') || LOOKALIKES.contains(&c);
    let head = name.split(';').next().unwrap_or_default();
    let is_dots = head.contains('.') && head.chars().all(|c| c == '.' || c.is_whitespace());
    (!name.contains(is_strange) && !is_dots).then(|| name.into_owned())
}
