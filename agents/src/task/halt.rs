//! The reasons that a world stops.

use folkmoot_core::ids::WorldName;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{AppendError, BlobError, ReadError};
use folkmoot_core::world::effect::Effect;

use super::erase::EraseError;
use crate::error::SeatError;

/// The reason that a world stops: its log cannot go on, or does not agree with the state.
#[derive(Debug, thiserror::Error)]
pub(super) enum Halt {
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Erase(#[from] EraseError),
    #[error("what was derived of files that are gone cannot be removed")]
    Derived(#[from] BlobError),
    #[error("this process has lost the right to act for it")]
    TenureLost,
    #[error("its log has a commit that this process did not make")]
    UnknownCommit,
    #[error("its log has other events than this process knows")]
    OtherEvents,
    #[error("the key that signs heads of its log is gone")]
    NoSigner,
    #[error("the world refused the outcome of its own work: {0:?}")]
    Stuck(Effect),
    #[error(
        "the call of {tool} that was about to start is not the one in the log, which {why}: the saved state is of \
         another world, or somebody changed it; remove the folder `checkpoints` of the store"
    )]
    OtherCall {
        /// The name of the tool; empty if the call names none that the room has.
        tool: String,
        /// The word of the log instead.
        why: &'static str,
    },
}

impl Halt {
    /// The answer to whoever asks something of the world that stops.
    pub(super) fn as_answer(&self) -> SeatError {
        if let Self::Append(AppendError::Full(_)) = self {
            SeatError::Full
        } else if self.is_lost() {
            SeatError::TenureLost
        } else {
            SeatError::Stopped(with_causes(self))
        }
    }

    /// Tells whether somebody else may act for the world by now.
    pub(super) const fn is_lost(&self) -> bool {
        matches!(self, Self::TenureLost)
    }

    /// Logs that a world stops. It is no fault if its log plays the death of the process.
    pub(super) fn log(&self, world: Option<&WorldName>) {
        let why = with_causes(self);
        if matches!(self, Self::Append(AppendError::Crash)) {
            tracing::info!(?world, "the world stopped, as it was told to");
        } else if self.is_lost() {
            tracing::warn!(?world, why, "the world stopped");
        } else {
            tracing::error!(?world, why, "the world stopped");
        }
    }
}
