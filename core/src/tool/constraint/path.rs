//! Paths in arguments: one spelling for each place in a tool's folder, and what lies beneath what.
//!
//! Nothing here looks at a disk. A plain path is relative and has no part that leads back or
//! nowhere, so that two plain paths name one place if and only if they are equal, as long as nobody
//! follows a link on the way.

/// The reason that a text is not a plain path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// The path is empty.
    #[error("it is empty; `.` names the folder itself")]
    Empty,
    /// The path begins at the root of the machine.
    #[error("it is absolute; write it relative to the tool's folder, with no `/` in front")]
    Absolute,
    /// The path has a part `.`, and is not `.` alone.
    #[error("it has a part `.`; leave that out")]
    Here,
    /// The path has a part `..`.
    #[error("it has a part `..`; name the place itself")]
    Parent,
    /// The path has two slashes in a row, or one at its end.
    #[error("it has an empty part; write one `/` between two names, and none at the end")]
    EmptyPart,
    /// The path holds a character that no name has.
    #[error("it has a NUL character")]
    Nul,
}

impl PathFault {
    /// The fault in one word, as models are told of it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Empty => "path_is_empty",
            Self::Absolute => "path_is_absolute",
            Self::Here => "path_has_dot",
            Self::Parent => "path_has_dot_dot",
            Self::EmptyPart => "path_has_empty_part",
            Self::Nul => "path_has_nul",
        }
    }
}

/// The names along a plain path, none for `.`.
///
/// # Errors
/// [`PathFault`]: it is no plain path.
pub fn parts(path: &str) -> Result<Vec<&str>, PathFault> {
    let part = |part| match part {
        "" => Err(PathFault::EmptyPart),
        "." => Err(PathFault::Here),
        ".." => Err(PathFault::Parent),
        name if name.contains('\0') => Err(PathFault::Nul),
        name => Ok(name),
    };
    match path {
        "" => Err(PathFault::Empty),
        "." => Ok(Vec::new()),
        path if path.starts_with('/') => Err(PathFault::Absolute),
        path => path.split('/').map(part).collect(),
    }
}

/// Tells whether `path` is the folder `folder` or lies in it. Neither does unless both are plain.
#[must_use]
pub fn is_beneath(path: &str, folder: &str) -> bool {
    parts(path).is_ok_and(|path| parts(folder).is_ok_and(|folder| path.starts_with(&folder)))
}

/// The plain path that somebody meant who wrote `path`; `None` if that cannot be said.
#[must_use]
pub fn plain(path: &str) -> Option<String> {
    let names: Vec<&str> = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    let is_clear = !path.starts_with('/') && !path.contains('\0') && !names.contains(&"..");
    let joined = if names.is_empty() {
        ".".to_owned()
    } else {
        names.join("/")
    };
    is_clear.then_some(joined)
}
