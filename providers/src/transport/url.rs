//! The address of a request.

#[cfg(test)]
mod tests;

/// A key that goes along, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyUse {
    /// A key goes along.
    Yes,
    /// No key goes along.
    No,
}

/// `base` and `path` as one URL. Slashes may meet, as variables often end with one. Without a
/// scheme `base` is a host as `OLLAMA_HOST` has it, spoken to in clear: never with a key.
pub(super) fn url(base: &str, path: &str, keyed: KeyUse) -> String {
    let (scheme, rest) = match base.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None if keyed == KeyUse::No => ("http://".to_owned(), base),
        None => (String::new(), base),
    };
    let pieces: Vec<&str> = rest.split('/').filter(|piece| !piece.is_empty()).collect();
    format!("{scheme}{}{path}", pieces.join("/"))
}
