//! Failures of a statement: whether it happened, did not, or nobody knows.

use folkmoot_core::port::MemberError;
use folkmoot_core::port::causes::with_causes;
use tokio_postgres::Error;
use tokio_postgres::error::{Severity, SqlState};

use super::error::{Cause, POOLED, PostgresError};
use crate::ledger::LedgerError;

/// The failure of a statement.
#[derive(Debug)]
pub(super) enum Fault {
    /// The server said no; nothing happened.
    Refused(Error),
    /// Nothing happened: there was no connection, or it was lost before anything could have.
    Undone(Cause),
    /// The connection was lost, or no answer came in time. It may have happened, or may happen yet.
    Lost(Cause),
    /// The ledger was closed.
    Closed,
}

impl Fault {
    /// Takes it as one of something that changes nothing before it ends, so that a lost answer is no doubt.
    pub(super) fn undone(self) -> Self {
        match self {
            Self::Lost(cause) => Self::Undone(cause),
            Self::Refused(_) | Self::Undone(_) | Self::Closed => self,
        }
    }

    /// Tells whether the same may succeed at once: somebody else stood in the way.
    pub(super) fn is_passing(&self) -> bool {
        let codes = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::LOCK_NOT_AVAILABLE,
        ];
        matches!(self.code(), Some(code) if codes.contains(code))
    }

    /// Tells whether a row's place was taken.
    pub(super) fn is_taken(&self) -> bool {
        self.code() == Some(&SqlState::UNIQUE_VIOLATION)
    }

    /// Tells whether the server refused a row because another one that it needs is not there.
    pub(super) fn is_orphan(&self) -> bool {
        self.code() == Some(&SqlState::FOREIGN_KEY_VIOLATION)
    }

    fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Refused(error) => error.code(),
            Self::Undone(_) | Self::Lost(_) | Self::Closed => None,
        }
    }
}

impl From<Error> for Fault {
    /// An error of the server's undoes what it was asked. One that ends the connection may come after it was done.
    fn from(error: Error) -> Self {
        let severity = error
            .as_db_error()
            .and_then(|error| error.parsed_severity());
        match severity {
            Some(Severity::Error) => Self::Refused(error),
            Some(_) | None => Self::Lost(error.into()),
        }
    }
}

impl From<PostgresError> for Fault {
    fn from(error: PostgresError) -> Self {
        if matches!(error, PostgresError::Closed) {
            Self::Closed
        } else {
            Self::Undone(error.into())
        }
    }
}

/// Tells whether a server knows nothing of a statement that was prepared, or has another one under its name. To a client that
/// has its connection alone, neither happens.
pub(super) fn is_of_a_pool(code: &SqlState) -> bool {
    [
        SqlState::INVALID_SQL_STATEMENT_NAME,
        SqlState::DUPLICATE_PSTATEMENT,
    ]
    .contains(code)
}

/// The meanings of a refusal.
enum Meaning {
    Full,
    Pooled,
    Invalid,
    NotAllowed,
    Damaged,
    Later,
}

fn meaning(error: &Error) -> Meaning {
    let Some(code) = error.code() else {
        return Meaning::Later;
    };
    match code.code().get(..2) {
        _ if *code == SqlState::DISK_FULL => Meaning::Full,
        _ if is_of_a_pool(code) => Meaning::Pooled,
        _ if *code == SqlState::INSUFFICIENT_PRIVILEGE => Meaning::NotAllowed,
        // Values that no column takes, and statements that are too large.
        Some("22" | "54") => Meaning::Invalid,
        // Rows that contradict one another, tables that are missing, broken pages.
        Some("23" | "3F" | "42" | "XX") => Meaning::Damaged,
        // Resources, locks, a server that shuts down or has become a standby.
        Some(_) | None => Meaning::Later,
    }
}

fn pooled(error: &Error) -> String {
    format!(
        "the database server is behind a pool, and {POOLED} ({})",
        with_causes(error)
    )
}

impl From<Fault> for LedgerError {
    fn from(fault: Fault) -> Self {
        let error = match fault {
            Fault::Refused(error) => error,
            Fault::Undone(cause) => return Self::Unreachable(cause),
            Fault::Lost(cause) => return Self::Unknown(cause),
            Fault::Closed => return Self::Closed,
        };
        match meaning(&error) {
            Meaning::Full => Self::Full(error.into()),
            Meaning::Pooled => Self::Refused(pooled(&error)),
            Meaning::Invalid => Self::Invalid(with_causes(&error)),
            Meaning::NotAllowed => Self::Refused(with_causes(&error)),
            Meaning::Damaged => Self::Damaged(with_causes(&error)),
            Meaning::Later => Self::Unreachable(error.into()),
        }
    }
}

impl From<Fault> for MemberError {
    fn from(fault: Fault) -> Self {
        let error = match fault {
            Fault::Refused(error) => error,
            Fault::Undone(cause) => return Self::Unreachable(cause),
            Fault::Lost(cause) => return Self::Unknown(cause),
            Fault::Closed => return Self::Closed,
        };
        match meaning(&error) {
            Meaning::Invalid => Self::Invalid(with_causes(&error)),
            Meaning::Pooled => Self::Refused(pooled(&error)),
            Meaning::NotAllowed => Self::Refused(with_causes(&error)),
            Meaning::Full | Meaning::Damaged | Meaning::Later => Self::Unreachable(error.into()),
        }
    }
}
