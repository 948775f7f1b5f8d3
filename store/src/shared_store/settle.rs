//! Requests to a ledger, sent again until it is known what became of them.
//!
//! All that is asked of a ledger may be asked again. So a ledger that was lost, or is away for a while, is no error of the
//! world that waits for it.

use std::future::Future;
use std::io;
use std::time::Duration;

use folkmoot_core::ids::Position;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{AppendError, BlobError, ReadError};

use super::Inner;
use tokio::time::Instant;

use crate::ledger::LedgerError;
use crate::state::shared::{CLOSED, Phase};
use crate::sync::threads::threads;

/// The first wait between two tries, and the longest.
const WAIT_MIN: Duration = Duration::from_millis(20);
const WAIT_MAX: Duration = Duration::from_secs(1);

/// How often work is tried that would have to begin anew.
const TRIES_MAX: u32 = 24;

/// How long something is tried that somebody waits for who can ask again, and who gives up soon.
const READ_FOR: Duration = Duration::from_secs(8);

/// The longest time until they have an answer, or hear that there is none: sooner than a server ends their request.
const READ_MOST: Duration = Duration::from_secs(20);

/// When to give up.
#[derive(Debug, Clone, Copy)]
enum Patience {
    /// After a time; where nobody has a clock, after some tries.
    For(Duration),
    /// After some tries.
    Tries(u32),
    /// Never.
    Endless,
}

/// The tries so far.
#[derive(Debug)]
struct Tries {
    count: u32,
    /// `None`: nobody has a clock.
    began: Option<Instant>,
}

impl Tries {
    fn begin() -> Self {
        Self {
            count: 0,
            began: threads().map(|_| Instant::now()),
        }
    }

    /// Counts one that failed, and tells whether it was the last.
    fn is_over(&mut self, patience: Patience) -> bool {
        self.count = self.count.saturating_add(1);
        match patience {
            Patience::Endless => false,
            Patience::Tries(most) => self.count >= most,
            Patience::For(most) => match self.began {
                Some(began) => began.elapsed() >= most,
                None => self.count >= TRIES_MAX,
            },
        }
    }
}

impl Inner {
    /// Reads for somebody who waits; gives up after some seconds.
    pub(super) async fn read<T, F>(&self, call: impl Fn() -> F) -> Result<T, LedgerError>
    where
        F: Future<Output = Result<T, LedgerError>>,
    {
        let read = self.again(Patience::For(READ_FOR), call);
        let read = if threads().is_some() {
            tokio::time::timeout(READ_MOST, read)
                .await
                .unwrap_or_else(|late| Err((LedgerError::Unreachable(late.into()), false)))
        } else {
            read.await
        };
        read.map_err(|(error, _)| error)
    }

    /// Reads, or writes what may be written twice, as part of work that would have to begin anew; gives up after some tries.
    pub(super) async fn work<T, F>(&self, call: impl Fn() -> F) -> Result<T, LedgerError>
    where
        F: Future<Output = Result<T, LedgerError>>,
    {
        let done = self.again(Patience::Tries(TRIES_MAX), call).await;
        done.map_err(|(error, _)| error)
    }

    /// Appends: tries until it is known what became of it, or the store ends. Where the answer to a try was lost, no later
    /// error tells that nothing is kept: that try may have happened, or may happen yet.
    pub(super) async fn settle<T, F>(&self, call: impl Fn() -> F) -> Result<T, LedgerError>
    where
        F: Future<Output = Result<T, LedgerError>>,
    {
        let settled = self.again(Patience::Endless, call).await;
        settled.map_err(|(error, is_in_doubt)| {
            if is_in_doubt && !matches!(error, LedgerError::Unknown(_)) {
                LedgerError::Unknown(error.into())
            } else {
                error
            }
        })
    }

    /// Asks until there is an answer; an error comes with whether the answer to a try was lost.
    async fn again<T, F>(
        &self,
        patience: Patience,
        call: impl Fn() -> F,
    ) -> Result<T, (LedgerError, bool)>
    where
        F: Future<Output = Result<T, LedgerError>>,
    {
        let mut wait = WAIT_MIN;
        let mut tries = Tries::begin();
        let mut is_in_doubt = false;
        loop {
            let error = match call().await {
                Err(error @ (LedgerError::Unknown(_) | LedgerError::Unreachable(_))) => error,
                settled => return settled.map_err(|error| (error, is_in_doubt)),
            };
            is_in_doubt |= matches!(error, LedgerError::Unknown(_));
            if tries.is_over(patience) || !matches!(self.phase(), Phase::Open | Phase::Reading) {
                return Err((error, is_in_doubt));
            }
            tracing::warn!(
                error = with_causes(&error),
                tries = tries.count,
                "the ledger is asked again"
            );
            pause(wait).await;
            wait = (wait * 2).min(WAIT_MAX);
        }
    }
}

/// Waits, if there is a runtime with a clock; else lets others go on.
async fn pause(wait: Duration) {
    if threads().is_some() {
        tokio::time::sleep(wait).await;
        return;
    }
    let mut is_again = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut is_again, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

/// Says what a ledger's error means to a reader of the log behind `at`.
pub(super) fn read_error(error: LedgerError, at: Position) -> ReadError {
    match error {
        LedgerError::Damaged(what) => ReadError::Damaged { at, what },
        LedgerError::Closed => ReadError::Stopped(CLOSED.to_owned()),
        error @ (LedgerError::Full(_)
        | LedgerError::Invalid(_)
        | LedgerError::Refused(_)
        | LedgerError::Unknown(_)
        | LedgerError::Unreachable(_)) => ReadError::Io(io::Error::other(with_causes(&error))),
    }
}

/// Says what it means to one of several who append.
pub(super) fn append_error(error: &LedgerError) -> AppendError {
    match error {
        LedgerError::Full(_) => AppendError::Full(io::Error::new(
            io::ErrorKind::StorageFull,
            with_causes(error),
        )),
        LedgerError::Invalid(why) => AppendError::Invalid(why.clone()),
        LedgerError::Closed => AppendError::Stopped(CLOSED.to_owned()),
        LedgerError::Unknown(_) | LedgerError::Unreachable(_) => {
            AppendError::Stopped(with_causes(error))
        }
        LedgerError::Refused(_) | LedgerError::Damaged(_) => {
            AppendError::Io(io::Error::other(with_causes(error)))
        }
    }
}

/// Says what a failed read means to who appends for it.
pub(super) fn unread(error: ReadError) -> AppendError {
    match error {
        ReadError::NoSuchWorld(world) => AppendError::NoSuchWorld(world),
        ReadError::Stopped(why) => AppendError::Stopped(why),
        error @ (ReadError::Damaged { .. } | ReadError::Newer { .. } | ReadError::Io(_) | _) => {
            AppendError::Io(io::Error::other(error))
        }
    }
}

/// Says what a ledger's error means to who keeps or reads a blob.
pub(super) fn blob_error(error: &LedgerError) -> BlobError {
    match error {
        LedgerError::Full(_) => BlobError::Full(io::Error::new(
            io::ErrorKind::StorageFull,
            with_causes(error),
        )),
        LedgerError::Closed => BlobError::Stopped(CLOSED.to_owned()),
        error @ (LedgerError::Invalid(_)
        | LedgerError::Refused(_)
        | LedgerError::Damaged(_)
        | LedgerError::Unknown(_)
        | LedgerError::Unreachable(_)) => BlobError::Io(io::Error::other(with_causes(error))),
    }
}
