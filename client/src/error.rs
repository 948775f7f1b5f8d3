//! The errors of a client.

use std::time::Duration;

use crate::problem::Problem;

/// The reason that a client did not do something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server's address cannot be used.
    #[error("{url:?} is no address of a server: write one like http://127.0.0.1:7077")]
    BadUrl {
        /// The address, as it was given.
        url: String,
    },
    /// The token cannot be sent. Its text is not repeated.
    #[error("the token has characters that no token has: copy it anew")]
    BadToken,
    /// The key of a command is empty, or has characters that no header has.
    #[error("the key of a command has 1 to 255 visible ASCII characters")]
    BadKey,
    /// The HTTP client cannot be made, e.g. because the roots of the system cannot be read.
    #[error("the HTTP client cannot be made")]
    Setup(#[source] reqwest::Error),
    /// The server did not do it, and says why.
    #[error("{0}")]
    Problem(Box<Problem>),
    /// The server could not be reached, or was not ready, for as long as the client is patient. A
    /// command may have been done: repeat it under the same key.
    #[error("the server was not reached within {} s", waited.as_secs_f32())]
    GaveUp {
        /// The time that the client was patient for.
        waited: Duration,
        /// The last fault; `None` if the server answered each time that it is not ready.
        #[source]
        last: Option<reqwest::Error>,
    },
    /// The answer is none of a Folkmoot server that this client knows.
    #[error("the server's answer cannot be read: {why}")]
    Unreadable {
        /// The fault.
        why: String,
    },
}

impl ClientError {
    /// The server's problem, if it said one.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            Self::BadUrl { .. }
            | Self::BadToken
            | Self::BadKey
            | Self::Setup(_)
            | Self::GaveUp { .. }
            | Self::Unreadable { .. } => None,
        }
    }

    /// The code of the server's problem; empty if it said none.
    #[must_use]
    pub fn code(&self) -> &str {
        self.problem().map_or("", |problem| &problem.code)
    }

    pub(crate) fn unreadable(why: impl Into<String>) -> Self {
        Self::Unreadable { why: why.into() }
    }
}
