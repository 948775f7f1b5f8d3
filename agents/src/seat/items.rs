//! The durable items of a feed, followed by one seat: from the world's tail if that reaches back far enough, else from the log.

use std::collections::{BTreeSet, VecDeque};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Event, MessageEdited, MessagePosted};
use folkmoot_core::ids::Position;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{CommitStream, ReadError, StoredCommit, WorldEntry};
use folkmoot_core::world::World;
use folkmoot_core::world::projection::{FeedItem, ItemId};
use futures::TryStreamExt as _;
use tokio::sync::watch;

use super::access::Reader;
use super::feed::FeedStart;
use super::{Seat, WorldHandle};
use crate::bus::{Drafts, Next};
use crate::error::SeatError;
use crate::fold::saved;
use crate::task::Status;

/// The items that a seat may read, from some place on, each once.
pub(super) struct Items {
    world: WorldHandle,
    reader: Reader,
    news: watch::Receiver<()>,
    status: watch::Receiver<Status>,
    /// The items behind this one are to be given.
    after: ItemId,
    /// Everything up to here was taken: the last position of a commit.
    through: Position,
    /// Taken, and not given yet: never more than those of one commit.
    ready: VecDeque<FeedItem>,
    /// The log, while the tail does not reach back far enough.
    log: Option<Box<Behind>>,
}

/// The way through the log of somebody who is behind.
struct Behind {
    /// The world as it was behind the last commit that was taken.
    world: World,
    commits: CommitStream,
    /// A commit that was read, and is not taken yet.
    read: Option<StoredCommit>,
}

impl Items {
    pub(super) async fn follow(seat: &Seat, start: FeedStart) -> Result<Self, SeatError> {
        let reader = Reader::of(seat)?;
        let world = seat.world.clone();
        // Before the head is read: what is appended behind it is kept for this follower.
        let news = world.activity.tail().follow();
        let head = entry(&world).await.map_err(|error| stopped(&error))?.head;
        let after = match start {
            FeedStart::Beginning => ItemId::BEGINNING,
            FeedStart::Now => ItemId::behind(head),
            FeedStart::After(id) if id.at > head => {
                return Err(SeatError::BehindHead { at: id.at, head });
            }
            FeedStart::After(id) => id,
        };
        let through = if after == ItemId::behind(head) {
            head
        } else {
            world.activity.tail().before(after.at).unwrap_or_default()
        };
        Ok(Self {
            reader,
            news,
            status: world.status.clone(),
            world,
            after,
            through,
            ready: VecDeque::new(),
            log: None,
        })
    }

    /// Follows the items from the event at `from` on. Behind the head: those that are new.
    pub(super) async fn follow_from(seat: &Seat, from: Position) -> Result<Self, SeatError> {
        let before = Position::new(from.get().saturating_sub(1));
        let start = FeedStart::After(ItemId::behind(before));
        match Self::follow(seat, start).await {
            Err(SeatError::BehindHead { .. }) => Self::follow(seat, FeedStart::Now).await,
            followed => followed,
        }
    }

    /// Begins to look for what is next: what comes from now on will [wake](Self::wait) it. False if it may not read any more.
    pub(super) fn begin_look(&mut self) -> bool {
        self.news.borrow_and_update();
        self.reader.may_read()
    }

    pub(super) fn drafts(&self) -> Drafts {
        self.world.activity.drafts().clone()
    }

    pub(super) const fn through(&self) -> Position {
        self.through
    }

    /// The next item, if there is one now.
    pub(super) async fn ready(&mut self) -> Result<Option<FeedItem>, ReadError> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                self.after = item.id;
                return Ok(Some(item));
            }
            if self.log.is_some() {
                if !self.take_from_log().await? {
                    self.log = None;
                }
                continue;
            }
            match self.world.activity.tail().next(self.through) {
                Next::Batch(batch) => self.take(batch.last, batch.items.iter().cloned()),
                Next::Nothing => return Ok(None),
                Next::InLog => self.log = Some(Box::new(self.behind().await?)),
            }
        }
    }

    /// Waits for news. False if there will be none: the world is closed, or may not be read any more.
    pub(super) async fn wait(&mut self) -> bool {
        let is_over = |status: &Status| !matches!(status, Status::Open { .. });
        if is_over(&self.status.borrow()) {
            // What was appended before it closed is told first.
            return self.news.has_changed().unwrap_or(false);
        }
        tokio::select! {
            biased;
            () = self.reader.lost() => false,
            news = self.news.changed() => news.is_ok(),
            closed = self.status.wait_for(is_over) => closed.is_ok(),
        }
    }

    /// The next item; `None` once the world is closed, or the right to read is taken away.
    pub(super) async fn next(&mut self) -> Result<Option<FeedItem>, ReadError> {
        loop {
            if !self.begin_look() {
                return Ok(None);
            }
            if let Some(item) = self.ready().await? {
                return Ok(Some(item));
            }
            if !self.wait().await {
                return Ok(None);
            }
        }
    }

    /// Takes the items of a commit that ends at `last`.
    fn take(&mut self, last: Position, items: impl Iterator<Item = FeedItem>) {
        let after = self.after;
        self.ready.extend(items.filter(|item| item.id > after));
        self.through = last;
    }

    /// Goes back to the log: to the newest checkpoint before what is to be given.
    async fn behind(&mut self) -> Result<Behind, ReadError> {
        let entry = entry(&self.world).await?;
        let before = Position::new(self.after.at.get().saturating_sub(1));
        let up_to = before.max(self.through);
        let world = saved(&*self.world.checkpoints, &entry, up_to).await;
        let from = world.head().next();
        Ok(Behind {
            commits: self.world.log.read(entry.world, from).await?,
            world,
            read: None,
        })
    }

    /// Takes the next commit of the log. False if there is none: the tail goes on from here.
    async fn take_from_log(&mut self) -> Result<bool, ReadError> {
        let Some(behind) = &mut self.log else {
            return Ok(false);
        };
        if behind.read.is_none() {
            behind.read = behind.commits.try_next().await?;
        }
        let Some(stored) = &behind.read else {
            return Ok(false);
        };
        let commit = &stored.commit;
        let last = commit.last();
        if last < self.after.at || last <= self.through {
            behind.world.apply(commit);
            behind.read = None;
            self.through = self.through.max(last);
            return Ok(true);
        }
        // Nothing is taken before this: whoever drops the future meets the commit once more.
        let gone = gone(&self.world, commit).await?;
        let mut items = behind.world.apply_watched(commit);
        behind.read = None;
        items.iter_mut().for_each(|item| item.withhold(&gone));
        self.take(last, items.into_iter());
        Ok(true)
    }
}

/// The messages of a commit that later events took away.
async fn gone(world: &WorldHandle, commit: &Commit) -> Result<BTreeSet<Position>, ReadError> {
    let is_message = |event: &Event| {
        MessagePosted::of_event(event).is_some() || MessageEdited::of_event(event).is_some()
    };
    if !commit.events.iter().any(is_message) {
        return Ok(BTreeSet::new());
    }
    let header = &commit.header;
    let to = commit.last().next();
    let gone = world.log.gone(header.world, header.first, to).await?;
    Ok(gone.into_iter().collect())
}

/// The world as its store lists it. It need not be awake.
async fn entry(world: &WorldHandle) -> Result<WorldEntry, ReadError> {
    let found = world.log.find(&world.name).await?;
    match (found, world.id) {
        (Some(entry), _) => Ok(entry),
        (None, Some(id)) => Err(ReadError::NoSuchWorld(id)),
        (None, None) => Err(ReadError::Stopped("the world was never begun".to_owned())),
    }
}

fn stopped(error: &ReadError) -> SeatError {
    SeatError::Stopped(with_causes(error))
}
