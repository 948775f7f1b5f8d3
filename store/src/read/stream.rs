//! Streams over a [`Reader`]: to a fixed end, or following the head.

use std::collections::VecDeque;

use folkmoot_core::ids::Position;
use folkmoot_core::port::{CommitStream, ReadError, StoredCommit};
use futures::StreamExt as _;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::read::reader::Reader;
use crate::state::shared::{Phase, Shared};
use crate::sync::threads::threads;
use std::sync::Arc;

type Read = (Reader, Result<Vec<StoredCommit>, ReadError>);

/// The end of a stream.
#[derive(Debug)]
enum StreamEnd {
    /// With the commit that holds this event.
    At(Position),
    /// With the store. The receiver tells of new heads.
    Never(watch::Receiver<Position>),
}

/// A stream's state. At most two pieces are in memory: the one being handed out, and the one being
/// read.
#[derive(Debug)]
struct Feed {
    shared: Arc<Shared>,
    ready: VecDeque<StoredCommit>,
    source: PieceSource,
    end: StreamEnd,
}

#[derive(Debug)]
enum PieceSource {
    /// The reader rests: nobody reads.
    Idle(Reader),
    /// A thread reads ahead.
    Reading(JoinHandle<Read>),
    /// The stream is over.
    Over,
}

/// Reads up to the event `end`.
pub(crate) fn read(shared: Arc<Shared>, reader: Reader, end: Position) -> CommitStream {
    feed(Feed {
        shared,
        ready: VecDeque::new(),
        source: PieceSource::Idle(reader),
        end: StreamEnd::At(end),
    })
}

/// Reads, and goes on as commits become durable.
pub(crate) fn follow(
    shared: Arc<Shared>,
    reader: Reader,
    news: watch::Receiver<Position>,
) -> CommitStream {
    feed(Feed {
        shared,
        ready: VecDeque::new(),
        source: PieceSource::Idle(reader),
        end: StreamEnd::Never(news),
    })
}

fn feed(feed: Feed) -> CommitStream {
    futures::stream::unfold(
        feed,
        |mut feed| async move { Some((feed.next().await?, feed)) },
    )
    .boxed()
}

impl Feed {
    async fn next(&mut self) -> Option<Result<StoredCommit, ReadError>> {
        loop {
            if let Some(commit) = self.ready.pop_front() {
                return self.take(commit);
            }
            match self.fetch().await? {
                Ok((reader, commits)) => self.accept(reader, commits),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Gets the next piece. Until it is accepted the stream counts as over.
    async fn fetch(&mut self) -> Option<Result<(Reader, Vec<StoredCommit>), ReadError>> {
        let read = match std::mem::replace(&mut self.source, PieceSource::Over) {
            PieceSource::Over => return None,
            PieceSource::Idle(reader) if self.is_at_end(&reader) => return None,
            PieceSource::Idle(reader) => match self.wait(&reader).await? {
                Ok(()) => start(reader).await,
                Err(error) => Err(error),
            },
            PieceSource::Reading(handle) => joined(handle.await),
        };
        Some(read.and_then(|(reader, piece)| piece.map(|commits| (reader, commits))))
    }

    /// Takes a piece in, and has the next one read while this one is handed out.
    fn accept(&mut self, reader: Reader, commits: Vec<StoredCommit>) {
        // Nothing is ready when more is fetched.
        self.ready = commits.into();
        let goes_on = !self.ready.is_empty() && !self.is_at_end(&reader) && self.has_more(&reader);
        self.source = match threads() {
            Some(runtime) if goes_on => {
                PieceSource::Reading(runtime.spawn_blocking(move || read_piece(reader)))
            }
            Some(_) | None => PieceSource::Idle(reader),
        };
    }

    /// Hands a commit out, unless the stream ends before it.
    fn take(&mut self, commit: StoredCommit) -> Option<Result<StoredCommit, ReadError>> {
        if let StreamEnd::At(end) = self.end
            && commit.commit.header.first > end
        {
            self.source = PieceSource::Over;
            self.ready.clear();
            return None;
        }
        Some(Ok(commit))
    }

    fn is_at_end(&self, reader: &Reader) -> bool {
        match &self.end {
            StreamEnd::At(end) => reader.next() > *end,
            StreamEnd::Never(_) => false,
        }
    }

    fn has_more(&self, reader: &Reader) -> bool {
        match &self.end {
            StreamEnd::At(_) => true,
            StreamEnd::Never(news) => *news.borrow() >= reader.next(),
        }
    }

    /// Waits until there is something to read: `None` once the store is closed.
    async fn wait(&mut self, reader: &Reader) -> Option<Result<(), ReadError>> {
        let StreamEnd::Never(news) = &mut self.end else {
            return Some(Ok(()));
        };
        loop {
            if *news.borrow_and_update() >= reader.next() {
                return Some(Ok(()));
            }
            match self.shared.phase() {
                Phase::Open | Phase::Reading => news.changed().await.ok()?,
                Phase::Stopped(why) => return Some(Err(ReadError::Stopped(why))),
                Phase::Closed => return None,
            }
        }
    }
}

/// Reads on a thread that may block, if there is a runtime and more than a little to read; else
/// here.
async fn start(reader: Reader) -> Result<Read, ReadError> {
    match threads() {
        Some(runtime) if !reader.is_short() => {
            joined(runtime.spawn_blocking(move || read_piece(reader)).await)
        }
        Some(_) | None => Ok(read_piece(reader)),
    }
}

fn read_piece(mut reader: Reader) -> Read {
    let piece = reader.piece();
    (reader, piece)
}

/// A reading thread ends early only if the runtime shuts down.
fn joined(read: Result<Read, tokio::task::JoinError>) -> Result<Read, ReadError> {
    read.map_err(|error| ReadError::Stopped(format!("reading ended early: {error}")))
}
