//! The event log port.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::command::commit::{CommandKey, Commit};
use folkmoot_core::event::{Event, EventKind, WorldEvent};
use folkmoot_core::ids::{Incarnation, Position, Time, WorldId, WorldName};
use folkmoot_core::port::{
    AppendError, Appended, CommitStream, EventLog, Labels, Offer, ReadError, StoredCommit,
    WorldEntry,
};
use tokio::sync::oneshot;

use super::SharedStore;
use super::committer::{AppendRequest, RowParts};
use super::lineage;
use super::reader::{self, LedgerReader};
use super::settle::{read_error, unread};
use super::stream::{StreamEnd, stream};
use crate::format::Malformed;
use crate::ledger::{BesideRow, Demands, GoneRange, LedgerEntry, SharedRecords};
use crate::state::content;
use crate::state::summary::{Origin, Summary, key_digest};
use crate::write::encode::Unlinked;
use crate::write::group;
use crate::write::queue::EncodedCommit;

/// The number of worlds that are listed at a time.
const PAGE: usize = 200;

#[async_trait]
impl EventLog for SharedStore {
    async fn append(
        &self,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        group::check(&commits).map_err(|why| AppendError::Invalid(why.to_owned()))?;
        if let Some(why) = self.inner.ended() {
            return Err(AppendError::Stopped(why));
        }
        let mut encoded = Vec::with_capacity(commits.len());
        let mut parts = Vec::with_capacity(commits.len());
        for commit in &commits {
            let (commit, part) = self.encode(commit).await?;
            encoded.push(commit);
            parts.push(part);
        }
        let mut encoded = encoded.into_iter();
        let Some(first) = encoded.next() else {
            return Err(AppendError::Invalid(group::EMPTY.to_owned()));
        };
        let (reply, answer) = oneshot::channel();
        let request = AppendRequest {
            incarnation,
            first,
            rest: encoded.collect(),
            beside: parts,
            reply,
        };
        self.inner.append(request, answer).await
    }

    async fn read(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        self.check_open()?;
        let end = StreamEnd::At(self.inner.entry(world).await?.head);
        Ok(stream(&self.inner, self.reader(world, from), end))
    }

    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        limit: usize,
    ) -> Result<Vec<StoredCommit>, ReadError> {
        self.check_open()?;
        reader::back((&self.inner, self.lost.as_ref()), (world, before), limit).await
    }

    async fn gone(
        &self,
        world: WorldId,
        from: Position,
        to: Position,
    ) -> Result<Vec<Position>, ReadError> {
        self.check_open()?;
        let mut gone = BTreeSet::new();
        for source in lineage::sources(&self.inner, world).await? {
            let range = GoneRange {
                from,
                to,
                until: source.until,
            };
            let ledger = &self.inner.ledger;
            let found = self.inner.read(|| ledger.gone(source.world, range)).await;
            gone.extend(found.map_err(|error| read_error(error, from))?);
        }
        Ok(gone.into_iter().collect())
    }

    async fn subscribe(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        self.check_open()?;
        // Before the head is looked up: what is appended meanwhile is told.
        let news = self.inner.follow(world);
        let head = self.inner.entry(world).await?.head;
        self.inner.followers.tell(world, head);
        let reader = self.reader(world, from);
        Ok(stream(&self.inner, reader, StreamEnd::Never(news)))
    }

    async fn find_key(
        &self,
        world: WorldId,
        key: &CommandKey,
    ) -> Result<Option<StoredCommit>, ReadError> {
        self.check_open()?;
        let digest = key_digest(key).map_err(|Malformed(what)| ReadError::Damaged {
            at: Position::ZERO,
            what,
        })?;
        let ledger = &self.inner.ledger;
        let row = self.inner.read(|| ledger.by_key(world, digest)).await;
        let row = row.map_err(|error| read_error(error, Position::ZERO))?;
        match row {
            Some(row) => self.reader(world, row.first).one().await.map(Some),
            None => self.inner.entry(world).await.map(|_| None),
        }
    }

    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<WorldEntry>, ReadError> {
        self.check_open()?;
        let ledger = &self.inner.ledger;
        let found = self
            .inner
            .read(|| ledger.worlds(labels, after, limit))
            .await;
        let found = found.map_err(|error| read_error(error, Position::ZERO))?;
        Ok(found.into_iter().map(listed).collect())
    }

    async fn find(&self, name: &WorldName) -> Result<Option<WorldEntry>, ReadError> {
        self.check_open()?;
        let ledger = &self.inner.ledger;
        let found = self.inner.read(|| ledger.find(name)).await;
        let found = found.map_err(|error| read_error(error, Position::ZERO))?;
        Ok(found.map(listed))
    }
}

impl SharedStore {
    /// The worlds of `owner` that have grown since `since`, by their names.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn grown(&self, owner: &str, since: Time) -> Result<Vec<WorldEntry>, ReadError> {
        self.check_open()?;
        let ledger = &self.inner.ledger;
        let mut all = Vec::new();
        let mut after: Option<WorldName> = None;
        loop {
            let page = self
                .inner
                .read(|| ledger.grown((owner, since), after.as_ref(), PAGE))
                .await;
            let page = page.map_err(|error| read_error(error, Position::ZERO))?;
            let Some(last) = page.last() else {
                return Ok(all);
            };
            after = Some(last.name.clone());
            let is_last = page.len() < PAGE;
            all.extend(page.into_iter().map(listed));
            if is_last {
                return Ok(all);
            }
        }
    }

    /// The small records that all processes of the ledger share.
    #[must_use]
    pub fn shared_records(&self) -> Arc<dyn SharedRecords> {
        Arc::clone(&self.inner.ledger) as _
    }

    pub(super) fn reader(&self, world: WorldId, from: Position) -> LedgerReader {
        LedgerReader::new(&self.inner, self.lost.as_ref(), (world, from))
    }

    /// Encodes a commit; gives what stands in its row beside the record.
    async fn encode(&self, commit: &Commit) -> Result<(EncodedCommit, RowParts), AppendError> {
        let mut summary = Summary::of(commit);
        if let Some(origin) = &mut summary.origin {
            self.trace(origin).await?;
        }
        let inner = &self.inner;
        let keys = self.is_sealed(&summary).await?.then_some(&inner.keys);
        let mut record = Unlinked::encode(commit, &inner.upcasters, keys)
            .map_err(|Malformed(why)| AppendError::Invalid(why))?;
        let pairs = record.take_beside().into_iter();
        let beside = pairs.filter_map(|(key, bytes)| {
            let (_, at) = content::read_key(&key)?;
            Some(BesideRow { at, bytes })
        });
        let parts = RowParts {
            beside: beside.collect(),
            demands: demands(&commit.events),
        };
        Ok((EncodedCommit { summary, record }, parts))
    }

    /// Finds out where the parent of a fork stood.
    async fn trace(&self, origin: &mut Origin) -> Result<(), AppendError> {
        let base = origin.forked.base.of;
        let reach = self.inner.reach_at(origin.forked.parent, base).await;
        let reach = crate::write::lineage::begin(origin, reach.map_err(unread)?)
            .map_err(|Malformed(why)| AppendError::Invalid(why))?;
        origin.reach = Some(reach);
        Ok(())
    }

    /// Tells whether what a commit says is sealed: the world's first one says so.
    async fn is_sealed(&self, summary: &Summary) -> Result<bool, AppendError> {
        let reach = summary
            .origin
            .as_ref()
            .and_then(|origin| origin.reach.as_ref());
        let begins_sealed = summary.is_sealed || reach.is_some_and(|reach| reach.is_sealed);
        if !begins_sealed && !self.seals(summary.world).await.map_err(unread)? {
            return Ok(false);
        }
        if self.inner.seals {
            return Ok(true);
        }
        Err(AppendError::Invalid(
            "the world's content is to be sealed, and this store has no place for keys; open it with a folder that all \
             nodes share"
                .to_owned(),
        ))
    }

    /// Tells whether a world's content is sealed; not if there is no such world.
    pub(super) async fn seals(&self, world: WorldId) -> Result<bool, ReadError> {
        if let Some(known) = self.inner.reaches.known(world) {
            return Ok(known.reach.is_sealed);
        }
        match self.inner.entry(world).await {
            Ok(entry) => Ok(entry.is_sealed),
            Err(ReadError::NoSuchWorld(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn listed(entry: LedgerEntry) -> WorldEntry {
    WorldEntry {
        world: entry.world,
        name: entry.name,
        head: entry.head,
        time: entry.time,
        incarnation: entry.incarnation,
        owner: entry.labelled.owner,
        labels: entry.labelled.labels,
    }
}

/// The demands of the world behind a commit that opens it: its folder, and a build that knows what this one writes.
pub(super) fn demands(events: &[Event]) -> Option<Demands> {
    let mut demands = None;
    for event in events {
        let base = if let Event::World(WorldEvent::WorldOpened(opened)) = event {
            Some(&opened.base)
        } else if let Event::World(WorldEvent::Opened(opened)) = event {
            opened.base.is_some().then_some(&opened.base)
        } else {
            continue;
        };
        let made = demands.get_or_insert(Demands {
            needs: None,
            schema: EventKind::schema(),
        });
        if let Some(base) = base {
            made.needs = Some(
                base.iter()
                    .map(|base| Offer::Base(base).to_string())
                    .collect(),
            );
        }
    }
    demands
}
