//! JSON pointers.

/// Whether `path` is a JSON pointer (RFC 6901).
pub(crate) fn is_pointer(path: &str) -> bool {
    let escapes = path.split('~').skip(1);
    (path.is_empty() || path.starts_with('/'))
        && escapes.into_iter().all(|rest| rest.starts_with(['0', '1']))
}
