//! The answer to a command, as it is told elsewhere.

use folkmoot_core::event::refusal::Refusal;
use folkmoot_core::ids::{MessageId, Position};
use folkmoot_core::world::Accepted;
use serde::{Deserialize, Serialize};

use crate::error::SeatError;

/// The answer to a command, as far as it can be told elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Told {
    /// It was accepted: [`Accepted`].
    Accepted {
        message: Option<MessageId>,
        last: Option<Position>,
    },
    /// As [`SeatError::Refused`].
    Refused(Refusal),
    /// As [`SeatError::KeyReused`].
    KeyReused(String),
    /// As [`SeatError::Stopped`].
    Stopped(String),
    /// As [`SeatError::Full`].
    Full,
    /// As [`SeatError::Blob`].
    Blob(String),
    /// As [`SeatError::Elsewhere`].
    Elsewhere(String),
}

impl From<Result<Accepted, SeatError>> for Told {
    fn from(answer: Result<Accepted, SeatError>) -> Self {
        match answer {
            Ok(Accepted { message, last }) => Self::Accepted { message, last },
            Err(SeatError::Refused(refusal)) => Self::Refused(refusal),
            Err(SeatError::KeyReused(key)) => Self::KeyReused(key),
            Err(SeatError::Stopped(why)) => Self::Stopped(why),
            Err(SeatError::Full) => Self::Full,
            Err(SeatError::Blob(why)) => Self::Blob(why),
            Err(SeatError::Elsewhere(why)) => Self::Elsewhere(why),
            Err(
                error @ (SeatError::Closed
                | SeatError::LongKey { .. }
                | SeatError::TenureLost
                | SeatError::BehindHead { .. }
                | SeatError::Busy { .. }
                | SeatError::TooLarge { .. }
                | SeatError::Unanswered { .. }),
            ) => Self::Elsewhere(error.to_string()),
        }
    }
}

impl From<Told> for Result<Accepted, SeatError> {
    fn from(told: Told) -> Self {
        Err(match told {
            Told::Accepted { message, last } => return Ok(Accepted { message, last }),
            Told::Refused(refusal) => SeatError::Refused(refusal),
            Told::KeyReused(key) => SeatError::KeyReused(key),
            Told::Stopped(why) => SeatError::Stopped(why),
            Told::Full => SeatError::Full,
            Told::Blob(why) => SeatError::Blob(why),
            Told::Elsewhere(why) => SeatError::Elsewhere(why),
        })
    }
}
