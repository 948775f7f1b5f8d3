//! Stands between the runtime and its store, and tells what is asked and what is answered.

use std::sync::Arc;
use std::task::Poll;

use async_trait::async_trait;
use folkmoot::Store;
use folkmoot::core::command::commit::{CommandKey, Commit};
use folkmoot::core::ids::{Incarnation, Position, WorldId, WorldName};
use folkmoot::core::port::{
    AppendError, Appended, CommitStream, EventLog, Labels, ReadError, StoredCommit, WorldEntry,
};
use futures::FutureExt as _;

use super::outside::Outside;
use super::process::Pulse;
use crate::law::{Law, Violation};

/// The log of one process, with somebody beside it who writes down.
#[derive(Debug, Clone)]
pub(crate) struct Witness {
    pub(crate) store: Store,
    pub(crate) outside: Arc<Outside>,
    pub(crate) pulse: Arc<Pulse>,
}

impl Witness {
    fn answered(&self, commit: &Commit, answer: &Result<Appended, AppendError>) {
        let checked = {
            let mut books = self.outside.books();
            if let Ok(Appended::Committed { .. }) = answer {
                books.counts.commits = books.counts.commits.saturating_add(1);
                books.counts.events = books
                    .counts
                    .events
                    .saturating_add(commit.events.len() as u64);
            }
            books.checker.answered(commit, answer)
        };
        self.outside.hold(checked);
        let Err(error) = answer else { return };
        if matches!(
            error,
            AppendError::Full(_) | AppendError::Io(_) | AppendError::Stopped(_)
        ) {
            self.pulse.stop();
        } else if !self.pulse.is_taken_over() {
            let what = format!("a world decided on what is not its log: {error}");
            let world = WorldName::new(commit.header.world.to_string()).ok();
            self.outside.hold(Err(Violation {
                world,
                ..Violation::of(Law::StateIsTheFold, what)
            }));
        }
    }
}

#[async_trait]
impl EventLog for Witness {
    async fn append(
        &self,
        incarnation: Incarnation,
        commit: Commit,
    ) -> Result<Appended, AppendError> {
        self.outside.books().checker.asked(&commit);
        let mut append = self.store.append(incarnation, commit.clone()).fuse();
        let first =
            futures::future::poll_fn(|context| Poll::Ready(append.poll_unpin(context))).await;
        let answer = match first {
            Poll::Ready(answer) => answer,
            Poll::Pending => {
                self.pulse.appended.notify_one();
                append.await
            }
        };
        self.answered(&commit, &answer);
        answer
    }

    async fn read(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        self.store.read(world, from).await
    }

    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        limit: usize,
    ) -> Result<Vec<StoredCommit>, ReadError> {
        self.store.read_back(world, before, limit).await
    }

    async fn gone(
        &self,
        world: WorldId,
        from: Position,
        to: Position,
    ) -> Result<Vec<Position>, ReadError> {
        self.store.gone(world, from, to).await
    }

    async fn subscribe(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        self.store.subscribe(world, from).await
    }

    async fn find_key(
        &self,
        world: WorldId,
        key: &CommandKey,
    ) -> Result<Option<StoredCommit>, ReadError> {
        self.store.find_key(world, key).await
    }

    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<WorldEntry>, ReadError> {
        self.store.worlds(labels, after, limit).await
    }

    async fn find(&self, name: &WorldName) -> Result<Option<WorldEntry>, ReadError> {
        self.store.find(name).await
    }
}
