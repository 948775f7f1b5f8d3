//! The durable items of a feed, followed by one seat: from the world's tail if that reaches back far enough, else from the log.

use std::collections::{BTreeSet, VecDeque};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Event, MessageEdited, MessagePosted, NoticePosted};
use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::{CommitStream, EventLog, ReadError, StoredCommit};
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
    id: WorldId,
    reader: Reader,
    news: watch::Receiver<()>,
    status: watch::Receiver<Status>,
    /// The items behind this one are to be given.
    after: ItemId,
    /// Everything up to here was taken: the last position of a commit.
    through: Position,
    /// The number of times that words had been taken back when the last items were taken.
    withdrawn: u64,
    /// Taken, and not given yet: never more than those of one commit.
    ready: VecDeque<FeedItem>,
    /// The log, while the tail does not reach back far enough.
    log: Option<Box<Behind>>,
    /// The last event that was in the log when this began.
    begun_at: Position,
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
    pub(super) fn follow(seat: &Seat, start: FeedStart) -> Result<Self, SeatError> {
        let reader = Reader::of(seat)?;
        let world = seat.world.clone();
        let id = world.id.ok_or(SeatError::Closed)?;
        let tail = world.activity.tail();
        // Before the head is read: what is appended behind it is kept for this follower.
        let news = tail.follow();
        let head = tail.head();
        let after = match start {
            FeedStart::Beginning => ItemId::BEGINNING,
            FeedStart::Now => ItemId::behind(head),
            FeedStart::After(id) if id.at > head => {
                return Err(SeatError::BehindHead { at: id.at, head });
            }
            FeedStart::After(id) => id,
        };
        let through = through(&world, after);
        Ok(Self {
            id,
            reader,
            news,
            status: world.status.clone(),
            withdrawn: tail.withdrawn(),
            world,
            after,
            through,
            ready: VecDeque::new(),
            log: None,
            begun_at: head,
        })
    }

    /// Follows the items from the event at `from` on. Behind the head: those that are new.
    pub(super) fn follow_from(seat: &Seat, from: Position) -> Result<Self, SeatError> {
        let before = Position::new(from.get().saturating_sub(1));
        let start = FeedStart::After(ItemId::behind(before));
        match Self::follow(seat, start) {
            Err(SeatError::BehindHead { .. }) => Self::follow(seat, FeedStart::Now),
            followed => followed,
        }
    }

    /// Begins to look for what is next: what comes from now on will end the next [wait](Self::wait).
    pub(super) fn begin_look(&mut self) {
        self.news.borrow_and_update();
    }

    pub(super) fn may_read(&self) -> bool {
        self.reader.may_read()
    }

    pub(super) fn drafts(&self) -> Drafts {
        self.world.activity.drafts().clone()
    }

    pub(super) const fn through(&self) -> Position {
        self.through
    }

    /// The last event that was in the log when this began.
    pub(super) const fn begun_at(&self) -> Position {
        self.begun_at
    }

    /// True once every item up to the event at `at` was given.
    pub(super) fn has_given(&self, at: Position) -> bool {
        let is_old = |item: &FeedItem| item.id.at <= at;
        self.through >= at && !self.ready.front().is_some_and(is_old)
    }

    /// Takes the items of the next commit that has any, unless some are left. False if there are none now.
    pub(super) async fn fill(&mut self) -> Result<bool, ReadError> {
        loop {
            self.drop_withdrawn();
            if !self.ready.is_empty() {
                return Ok(true);
            }
            let tail = self.world.activity.tail();
            match tail.next(self.through) {
                Next::Nothing => {
                    self.log = None;
                    return Ok(false);
                }
                Next::Batch(batch) => {
                    self.log = None;
                    self.take(batch.last, batch.items.iter().cloned());
                }
                // Its end ends the wait.
                Next::InLog if tail.is_erasing() => {
                    self.log = None;
                    return Ok(false);
                }
                Next::InLog => self.take_from_log().await?,
            }
        }
    }

    /// The next item of those that were taken; `None` if there is none, or if words of it may have been taken back since.
    pub(super) fn pop(&mut self) -> Option<FeedItem> {
        self.drop_withdrawn();
        let item = self.ready.pop_front()?;
        self.after = item.id;
        Some(item)
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
            self.begin_look();
            let has_items = self.fill().await?;
            if !self.may_read() {
                return Ok(None);
            }
            if let Some(item) = self.pop() {
                return Ok(Some(item));
            }
            if !has_items && !self.wait().await {
                return Ok(None);
            }
        }
    }

    /// Lets go of whatever was taken before words were taken back. It is taken once more, without them.
    fn drop_withdrawn(&mut self) {
        let withdrawn = self.world.activity.tail().withdrawn();
        if withdrawn == self.withdrawn {
            return;
        }
        self.withdrawn = withdrawn;
        if !self.ready.is_empty() || self.log.is_some() {
            self.ready.clear();
            self.log = None;
            self.through = through(&self.world, self.after);
        }
    }

    /// Takes the items of a commit that ends at `last`.
    fn take(&mut self, last: Position, items: impl Iterator<Item = FeedItem>) {
        let after = self.after;
        self.ready.extend(items.filter(|item| item.id > after));
        self.through = last;
    }

    /// Takes the next commit of the log, which the tail does not reach back to.
    async fn take_from_log(&mut self) -> Result<(), ReadError> {
        if self.log.is_none() {
            self.log = Some(Box::new(self.go_back().await?));
        }
        let Some(behind) = &mut self.log else {
            return Ok(());
        };
        if behind.read.is_none() {
            behind.read = behind.commits.try_next().await?;
        }
        let Some(stored) = &behind.read else {
            // The log reached less far when it was asked: it is asked again.
            self.log = None;
            return Ok(());
        };
        let commit = &stored.commit;
        let last = commit.last();
        if last < self.after.at || last <= self.through {
            behind.world.apply(commit);
            behind.read = None;
            self.through = self.through.max(last);
            return Ok(());
        }
        // Nothing is taken before this: whoever drops the future meets the commit once more.
        let gone = gone(&*self.world.log, self.id, commit).await?;
        let mut items = behind.world.apply_watched(commit);
        behind.read = None;
        items.iter_mut().for_each(|item| item.withhold(&gone));
        self.take(last, items.into_iter());
        Ok(())
    }

    /// Goes back in the log, to the newest checkpoint before what is to be given.
    async fn go_back(&mut self) -> Result<Behind, ReadError> {
        let before = Position::new(self.after.at.get().saturating_sub(1));
        let up_to = before.max(self.through);
        let world = saved(&*self.world.checkpoints, self.id, up_to).await;
        let from = world.head().next();
        Ok(Behind {
            commits: self.world.log.read(self.id, from).await?,
            world,
            read: None,
        })
    }
}

/// The last position of a commit up to which nothing is to be given any more, as far as the tail tells.
fn through(world: &WorldHandle, after: ItemId) -> Position {
    let tail = world.activity.tail();
    if after == ItemId::behind(tail.head()) {
        after.at
    } else {
        tail.before(after.at).unwrap_or_default()
    }
}

/// The messages of a commit that later events took away. `world` is the one that is read: commits that it has of the world that
/// it was branched off name that one.
async fn gone(
    log: &dyn EventLog,
    world: WorldId,
    commit: &Commit,
) -> Result<BTreeSet<Position>, ReadError> {
    let is_about_messages = |event: &Event| {
        MessagePosted::of_event(event).is_some()
            || MessageEdited::of_event(event).is_some()
            || NoticePosted::of_event(event).is_some()
    };
    if !commit.events.iter().any(is_about_messages) {
        return Ok(BTreeSet::new());
    }
    // A notice may be about a message of an earlier commit.
    let about = commit.events.iter().filter_map(NoticePosted::of_event);
    let about = about.filter_map(|posted| posted.notice.message());
    let from = about.chain([commit.header.first]).min();
    let from = from.unwrap_or(commit.header.first);
    let gone = log.gone(world, from, commit.last().next()).await?;
    Ok(gone.into_iter().collect())
}
