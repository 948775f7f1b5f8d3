//! The event log port.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::command::commit::{CommandKey, Commit};
use folkmoot_core::ids::{Incarnation, Position, WorldId, WorldName};
use folkmoot_core::port::{
    AppendError, Appended, CommitStream, EventLog, Labels, ReadError, StoredCommit, WorldEntry,
};
use futures::StreamExt as _;
use tokio::sync::oneshot;

use super::{LocalStore, look};
use crate::engine::Pair;
use crate::format::Malformed;
use crate::read::reader::Reader;
use crate::read::{back, reader, runs, stream};
use crate::state::content::Put;
use crate::state::shared::{CLOSED, Phase, read_error};
use crate::state::summary::{Origin, Summary};
use crate::sync::threads::blocking;
use crate::write::committer::append_error;
use crate::write::encode::Unlinked;
use crate::write::queue::{AppendRequest, EncodedCommit};
use crate::write::{group, lineage};

#[async_trait]
impl EventLog for LocalStore {
    async fn append(
        &self,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        group::check(&commits).map_err(|why| AppendError::Invalid(why.to_owned()))?;
        let mut encoded = Vec::with_capacity(commits.len());
        let mut beside = Vec::new();
        for commit in commits {
            let (commit, pairs) = self.encode(&commit).await?;
            encoded.push(commit);
            beside.extend(pairs);
        }
        let mut encoded = encoded.into_iter();
        let Some(first) = encoded.next() else {
            return Err(AppendError::Invalid(group::EMPTY.to_owned()));
        };
        // Durable before the record that names it: what no record names is removed (decision 0022).
        let beside = self.put_beside(beside).await?;
        let (reply, answer) = oneshot::channel();
        self.inner.put(AppendRequest {
            incarnation,
            first,
            rest: encoded.collect(),
            beside,
            reply,
        })?;
        answer
            .await
            .unwrap_or_else(|_| Err(AppendError::Stopped("its committer ended".to_owned())))
    }

    async fn read(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        self.check_open()?;
        let end = self.head(world)?;
        let shared = Arc::clone(&self.inner.shared);
        let read = stream::read(shared, self.reader(world, from), end);
        // What was written behind it is an error and no end.
        Ok(match self.lost(world) {
            Some(lost) => read
                .chain(futures::stream::iter([Err(look::damaged(lost))]))
                .boxed(),
            None => read,
        })
    }

    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        limit: usize,
    ) -> Result<Vec<StoredCommit>, ReadError> {
        self.check_open()?;
        let head = self.head(world)?;
        if let Some(lost) = self.lost(world).filter(|_| before > head) {
            return Err(look::damaged(lost));
        }
        let shared = Arc::clone(&self.inner.shared);
        let lost = self.lost.clone();
        blocking(move || back::back((&shared, lost.as_ref()), world, before, limit)).await
    }

    async fn gone(
        &self,
        world: WorldId,
        from: Position,
        to: Position,
    ) -> Result<Vec<Position>, ReadError> {
        self.check_open()?;
        if from >= to {
            return self.head(world).map(|_| Vec::new());
        }
        let shared = Arc::clone(&self.inner.shared);
        let (sources, in_tail) = {
            let index = shared.index();
            let sources = lineage::sources(&index, world).ok_or(ReadError::NoSuchWorld(world))?;
            let in_tail = lineage::gone_in_tail(&index, &sources, from, to);
            (sources, in_tail)
        };
        // A sweep writes the table before it takes a message from the tail.
        let in_runs = blocking(move || {
            let lease = shared.lease();
            let of_one = |engine, source: &lineage::SharedRecords| {
                runs::gone(engine, source.world, from, to, source.until)
            };
            let all = |engine| {
                sources
                    .iter()
                    .map(|source| of_one(engine, source))
                    .collect::<Result<Vec<_>, _>>()
            };
            lease.engine().and_then(all).map(|gone| gone.concat())
        });
        let in_runs = in_runs.await.map_err(|error| read_error(error, from))?;
        Ok(in_tail
            .into_iter()
            .chain(in_runs)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect())
    }

    async fn subscribe(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        self.check_open()?;
        if self.lost(world).is_some() {
            return self.read(world, from).await;
        }
        let shared = Arc::clone(&self.inner.shared);
        let news = {
            let index = shared.index();
            index
                .worlds
                .get(&world)
                .ok_or(ReadError::NoSuchWorld(world))?
                .follow()
        };
        Ok(stream::follow(shared, self.reader(world, from), news))
    }

    async fn find_key(
        &self,
        world: WorldId,
        key: &CommandKey,
    ) -> Result<Option<StoredCommit>, ReadError> {
        self.check_open()?;
        let Some(position) = self.key_position(world, key)? else {
            return Ok(None);
        };
        let reader = self.reader(world, position);
        blocking(move || reader::commit_at(reader)).await.map(Some)
    }

    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<WorldEntry>, ReadError> {
        self.check_open()?;
        Ok(self.inner.shared.index().entries(labels, after, limit))
    }

    async fn find(&self, name: &WorldName) -> Result<Option<WorldEntry>, ReadError> {
        self.check_open()?;
        let found = self.inner.shared.index().entry(name);
        if found.is_none() {
            self.check_name(name)?;
        }
        Ok(found)
    }
}

impl LocalStore {
    pub(super) fn check_open(&self) -> Result<(), ReadError> {
        match self.inner.shared.phase() {
            // What a stopped store has is still true.
            Phase::Open | Phase::Reading | Phase::Stopped(_) => Ok(()),
            Phase::Closed => Err(ReadError::Stopped(CLOSED.to_owned())),
        }
    }

    fn reader(&self, world: WorldId, from: Position) -> Reader {
        Reader::new(Arc::clone(&self.inner.shared), world, from).passing_over(self.lost.as_ref())
    }

    /// Encodes a commit; gives the content that stands beside the frames.
    async fn encode(&self, commit: &Commit) -> Result<(EncodedCommit, Vec<Pair>), AppendError> {
        let mut summary = Summary::of(commit);
        if let Some(origin) = &mut summary.origin {
            self.trace(origin).await?;
        }
        let shared = &self.inner.shared;
        let keys = self.is_sealed(&summary).then_some(&shared.keys);
        let mut record = Unlinked::encode(commit, &shared.upcasters, keys)
            .map_err(|Malformed(why)| AppendError::Invalid(why))?;
        let beside = record.take_beside();
        Ok((EncodedCommit { summary, record }, beside))
    }

    /// Puts content beside the frames, before the record that names it is appended.
    async fn put_beside(&self, pairs: Vec<Pair>) -> Result<Option<Put>, AppendError> {
        if pairs.is_empty() {
            return Ok(None);
        }
        // A store that stopped may have lost its disk.
        self.inner.shared.check_writes()?;
        let shared = Arc::clone(&self.inner.shared);
        let put = blocking(move || Put::rows(&shared, &pairs)).await;
        put.map(Some).map_err(|error| append_error(&error))
    }

    /// Finds out where the parent of a fork stood. It is read whole, so that the committer need
    /// not.
    async fn trace(&self, origin: &mut Origin) -> Result<(), AppendError> {
        let shared = Arc::clone(&self.inner.shared);
        let parent = origin.forked.parent;
        let at = origin.forked.base.of;
        let reach = blocking(move || lineage::reach(&shared, parent, at))
            .await
            .map_err(|error| {
                if let ReadError::NoSuchWorld(world) = error {
                    AppendError::NoSuchWorld(world)
                } else {
                    AppendError::Io(std::io::Error::other(error))
                }
            })?;
        origin.reach = Some(
            lineage::begin(origin, reach).map_err(|Malformed(why)| AppendError::Invalid(why))?,
        );
        Ok(())
    }

    /// Tells whether what a commit says is sealed: the world's first one says so.
    fn is_sealed(&self, summary: &Summary) -> bool {
        let reach = summary
            .origin
            .as_ref()
            .and_then(|origin| origin.reach.as_ref());
        summary.is_sealed || reach.is_some_and(|reach| reach.is_sealed) || self.seals(summary.world)
    }

    /// Tells whether a world's content is sealed.
    pub(super) fn seals(&self, world: WorldId) -> bool {
        self.inner.shared.seals(world)
    }

    fn head(&self, world: WorldId) -> Result<Position, ReadError> {
        let index = self.inner.shared.index();
        index
            .worlds
            .get(&world)
            .map(|world| world.reach.head)
            .ok_or(ReadError::NoSuchWorld(world))
    }

    fn key_position(
        &self,
        world: WorldId,
        key: &CommandKey,
    ) -> Result<Option<Position>, ReadError> {
        let shared = &self.inner.shared;
        let in_tail = {
            let index = shared.index();
            let known = index
                .worlds
                .get(&world)
                .ok_or(ReadError::NoSuchWorld(world))?;
            known.tail_keys.get(key).map(|(position, _)| *position)
        };
        if in_tail.is_some() {
            return Ok(in_tail);
        }
        // A sweep writes the table before it takes a key from the tail.
        let lease = shared.lease();
        let found = lease
            .engine()
            .and_then(|engine| runs::find_key(engine, world, key));
        found
            .map(|found| found.map(|(position, _)| position))
            .map_err(|error| read_error(error, Position::ZERO))
    }
}
