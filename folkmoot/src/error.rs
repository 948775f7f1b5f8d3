//! One error for whole programs.

use folkmoot_agents::{FoldError, OpenError, SeatError};
use folkmoot_core::ids::NameError;
use folkmoot_core::port::{AppendError, ReadError};
use folkmoot_providers::ReplyError;
use folkmoot_store::OpenError as StoreError;

use crate::room::RoomError;
use crate::run::{RunError, told};
use crate::script::ScriptError;

folkmoot_core::debug_in_words!(Error);

/// Whatever a program can run into. As the error of `main` it is printed in words, with its causes.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), folkmoot::Error> {
/// use folkmoot::{OpenError, Opening, Runtime, Store, WorldName};
///
/// let runtime = Runtime::builder(&Store::memory()).build();
/// let opened = runtime.open(Opening::recorded(WorldName::new("nowhere")?)).await;
/// let error = folkmoot::Error::from(opened.unwrap_err());
/// assert_eq!(format!("{error:?}"), "there is no world called nowhere");
/// # Ok(())
/// # }
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing can be called so.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A room cannot be put together.
    #[error(transparent)]
    Room(#[from] RoomError),
    /// A script is wrong.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// Scripted replies are wrong.
    #[error(transparent)]
    Replies(#[from] ReplyError),
    /// A store does not open.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A world does not open.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A world refused something.
    #[error("refused: {0}")]
    Refused(String),
    /// A world has ended.
    #[error(transparent)]
    Seat(SeatError),
    /// A script's run ended early.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A world cannot be read as it was.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// A log does not read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A log cannot be written.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The machine refused something.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl From<SeatError> for Error {
    fn from(error: SeatError) -> Self {
        match error {
            SeatError::Refused(refusal) => Self::Refused(told(&refusal)),
            error @ (SeatError::KeyReused(_)
            | SeatError::LongKey { .. }
            | SeatError::Stopped(_)
            | SeatError::Full
            | SeatError::TenureLost
            | SeatError::Busy { .. }
            | SeatError::TooLarge { .. }
            | SeatError::Unanswered { .. }
            | SeatError::Elsewhere(_)
            | SeatError::Closed
            | SeatError::Blob(_)
            | _) => Self::Seat(error),
        }
    }
}
