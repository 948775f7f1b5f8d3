//! Streams over a [`LedgerReader`]: to a fixed end, or following the head.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;

use folkmoot_core::ids::Position;
use folkmoot_core::port::{CommitStream, ReadError, StoredCommit};
use futures::{StreamExt as _, poll};
use tokio::sync::watch;

use super::Inner;
use super::reader::LedgerReader;
use crate::state::shared::Phase;
use crate::sync::threads::threads;

/// The end of a stream.
#[derive(Debug)]
pub(super) enum StreamEnd {
    /// With the commit that holds this event.
    At(Position),
    /// With the store. The receiver tells of new heads.
    Never(watch::Receiver<Position>),
}

/// A stream's state. At most one piece is in memory.
#[derive(Debug)]
struct Feed {
    inner: Arc<Inner>,
    /// `None` while it reads; it does not come back from a read that broke off.
    reader: Option<LedgerReader>,
    /// The position of the next event that is to be read.
    next: Position,
    ready: VecDeque<StoredCommit>,
    end: StreamEnd,
    /// True behind the last commit, and behind an error.
    is_over: bool,
}

/// The commits from where `reader` is up to the end.
pub(super) fn stream(inner: &Arc<Inner>, reader: LedgerReader, end: StreamEnd) -> CommitStream {
    let feed = Feed {
        inner: Arc::clone(inner),
        next: reader.next(),
        reader: Some(reader),
        ready: VecDeque::new(),
        end,
        is_over: false,
    };
    futures::stream::unfold(
        feed,
        |mut feed| async move { Some((feed.next().await?, feed)) },
    )
    .boxed()
}

impl Feed {
    async fn next(&mut self) -> Option<Result<StoredCommit, ReadError>> {
        loop {
            if self.is_over {
                return None;
            }
            if let Some(commit) = self.ready.pop_front() {
                return self.hand_out(commit);
            }
            if let Err(error) = self.wait().await? {
                self.is_over = true;
                return Some(Err(error));
            }
            match self.read().await {
                Ok(commits) => self.ready = commits.into(),
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(error));
                }
            }
        }
    }

    /// Reads the next piece. If it has to be waited for, a task of its own does: whoever has a stream may turn to something
    /// else in the midst of this, and would keep its connection from all others for as long.
    async fn read(&mut self) -> Result<Vec<StoredCommit>, ReadError> {
        let broken = || ReadError::Stopped("a read broke off".to_owned());
        let mut reader = self.reader.take().ok_or_else(broken)?;
        let mut work = Box::pin(async move { (reader.piece().await, reader) });
        let (piece, reader) = match (poll!(work.as_mut()), threads()) {
            (Poll::Ready(done), _) => done,
            (Poll::Pending, Some(runtime)) => runtime.spawn(work).await.map_err(|_| broken())?,
            (Poll::Pending, None) => work.await,
        };
        self.next = reader.next();
        self.reader = Some(reader);
        piece
    }

    /// Hands a commit out, unless the stream ends before it.
    fn hand_out(&mut self, commit: StoredCommit) -> Option<Result<StoredCommit, ReadError>> {
        if let StreamEnd::At(end) = self.end
            && commit.commit.header.first > end
        {
            self.is_over = true;
            return None;
        }
        Some(Ok(commit))
    }

    /// Waits until there is something to read: `None` at the end.
    async fn wait(&mut self) -> Option<Result<(), ReadError>> {
        let news = match &mut self.end {
            StreamEnd::At(end) => return (self.next <= *end).then_some(Ok(())),
            StreamEnd::Never(news) => news,
        };
        loop {
            if *news.borrow_and_update() >= self.next {
                return Some(Ok(()));
            }
            match self.inner.phase() {
                Phase::Open | Phase::Reading => news.changed().await.ok()?,
                Phase::Stopped(why) => return Some(Err(ReadError::Stopped(why))),
                Phase::Closed => return None,
            }
        }
    }
}
