//! Problems: the reasons that a server gives for not doing something (RFC 9457).

use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value};

/// The reason that the server did not do something.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Problem {
    /// The HTTP status.
    pub status: u16,
    /// The stable word for the kind of problem, e.g. `not_found`.
    pub code: String,
    /// The fault: what is wrong, where, and what to do.
    pub detail: String,
    /// The field of the request that is wrong; `None` if none is.
    #[serde(default)]
    pub field: Option<String>,
    /// Further members: who decided and how, when a limit ends.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Problem {
    /// Reads the body of an answer; `None` if it is no problem.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)?;
        match &self.field {
            Some(field) => write!(f, " ({}, {field})", self.code),
            None => write!(f, " ({})", self.code),
        }
    }
}
