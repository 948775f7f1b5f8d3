//! The tail of a world's feed: its newest items, made once for all who follow it.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::Position;
use folkmoot_core::world::World;
use folkmoot_core::world::projection::{FeedBody, FeedItem};
use tokio::sync::watch;

/// The most commits whose items are kept. Who is further behind reads the log.
const COMMITS_MAX: usize = 256;

/// The most bytes of items that are kept, as JSON.
const BYTES_MAX: usize = 1024 * 1024;

/// The newest items of one world, and the word that something is new: an item, or a piece of a draft.
#[derive(Debug, Clone)]
pub(crate) struct Tail(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    kept: Mutex<Kept>,
    news: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Kept {
    /// The position of the last event that was folded. Nothing behind it is told, though the log may have it already.
    head: Position,
    /// The number of times that words were taken back: whoever took some before has to take them once more.
    withdrawn: u64,
    /// True from the request of an erasure to its end: the log may still have what is to go (decision 0020).
    is_erasing: bool,
    /// The newest commits without a gap, oldest first, up to the head. Empty while nobody follows.
    batches: VecDeque<Batch>,
    bytes: usize,
}

/// The items of one commit.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) first: Position,
    pub(crate) last: Position,
    pub(crate) items: Arc<[FeedItem]>,
    bytes: usize,
}

/// The answer to somebody who has everything up to some position.
#[derive(Debug)]
pub(crate) enum Next {
    /// The commit behind it.
    Batch(Batch),
    /// Nothing is behind it.
    Nothing,
    /// There is more, and the tail does not reach back to it.
    InLog,
}

impl Default for Tail {
    fn default() -> Self {
        Self(Arc::new(Shared {
            kept: Mutex::default(),
            news: watch::Sender::new(()),
        }))
    }
}

impl Tail {
    /// Begins to follow: from here on commits are kept, and each change is told.
    pub(crate) fn follow(&self) -> watch::Receiver<()> {
        self.0.news.subscribe()
    }

    /// Tells whether anybody follows.
    pub(crate) fn is_followed(&self) -> bool {
        self.0.news.receiver_count() > 0
    }

    /// Tells all who follow that something is new.
    pub(crate) fn tell(&self) {
        self.0.news.send_replace(());
    }

    /// Takes over a world that was opened, here or elsewhere.
    pub(crate) fn begin(&self, world: &World) {
        let mut kept = self.kept();
        if kept.head != world.head() {
            kept.forget();
            kept.head = world.head();
        }
        kept.is_erasing = world.upkeep().is_erasing();
        drop(kept);
        self.tell();
    }

    /// Forgets the items of a world that falls asleep, if nobody follows it.
    pub(crate) fn rest(&self) {
        if !self.is_followed() {
            self.kept().forget();
        }
    }

    /// An erasure is done: nobody may go on with what was read before.
    pub(crate) fn erased(&self, world: &World) {
        let mut kept = self.kept();
        kept.forget();
        kept.withdrawn += 1;
        kept.is_erasing = world.upkeep().is_erasing();
        drop(kept);
        self.tell();
    }

    /// The position of the last event that may be told.
    pub(crate) fn head(&self) -> Position {
        self.kept().head
    }

    /// The number of times that words were taken back.
    pub(crate) fn withdrawn(&self) -> u64 {
        self.kept().withdrawn
    }

    /// Tells whether the log may still have what is to be erased.
    pub(crate) fn is_erasing(&self) -> bool {
        self.kept().is_erasing
    }

    /// Folds a commit into `world`. Gives what is to be [kept](Self::keep) of it; `None` if nobody follows.
    pub(crate) fn fold(&self, world: &mut World, commit: &Commit) -> Option<Vec<FeedItem>> {
        if !self.is_followed() {
            world.apply(commit);
            None
        } else {
            Some(world.apply_watched(commit))
        }
    }

    /// Keeps the items of a commit, from its `first` event to its `last`, for all who follow, and tells them.
    pub(crate) fn keep(&self, (first, last): (Position, Position), items: Option<Vec<FeedItem>>) {
        let mut kept = self.kept();
        kept.head = last;
        match items {
            Some(items) => kept.add((first, last), items),
            None => kept.forget(),
        }
        drop(kept);
        self.tell();
    }

    /// Returns what is behind `through`, the last position of a commit.
    pub(crate) fn next(&self, through: Position) -> Next {
        let kept = self.kept();
        if through >= kept.head {
            return Next::Nothing;
        }
        let place = kept.batches.partition_point(|batch| batch.first <= through);
        match kept.batches.get(place) {
            Some(batch) if batch.first == through.next() => Next::Batch(batch.clone()),
            Some(_) | None => Next::InLog,
        }
    }

    /// Returns the position before the commit that holds `at`, if that commit is kept.
    pub(crate) fn before(&self, at: Position) -> Option<Position> {
        let kept = self.kept();
        let holds = |batch: &&Batch| batch.first <= at && at <= batch.last;
        let batch = kept.batches.iter().find(holds)?;
        Some(Position::new(batch.first.get().saturating_sub(1)))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn forget(&mut self) {
        self.batches.clear();
        self.bytes = 0;
    }

    fn add(&mut self, (first, last): (Position, Position), items: Vec<FeedItem>) {
        for item in &items {
            if let FeedBody::Revised { gone, .. } = &item.body {
                self.withdrawn += 1;
                self.withhold(&gone.iter().copied().collect());
            } else if matches!(item.body, FeedBody::Erased { .. }) {
                self.withdrawn += 1;
                self.is_erasing = true;
                self.forget();
            }
        }
        let bytes = bytes_of(&items);
        self.bytes += bytes;
        self.batches.push_back(Batch {
            first,
            last,
            items: items.into(),
            bytes,
        });
        // The newest one stays, however large it is: all who follow are about to take it.
        while self.batches.len() > 1 && (self.batches.len() > COMMITS_MAX || self.bytes > BYTES_MAX)
        {
            let Some(oldest) = self.batches.pop_front() else {
                return;
            };
            self.bytes -= oldest.bytes;
        }
    }

    /// Takes the words out of the messages that are gone by now.
    fn withhold(&mut self, gone: &BTreeSet<Position>) {
        for batch in &mut self.batches {
            let mut items = batch.items.to_vec();
            items.iter_mut().for_each(|item| item.withhold(gone));
            batch.items = items.into();
        }
    }
}

/// The size of items as JSON. What cannot be written counts as too much to be kept.
fn bytes_of(items: &[FeedItem]) -> usize {
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, items) {
        Ok(()) => count.0,
        Err(_) => BYTES_MAX,
    }
}

/// Counts the bytes that are written to it.
struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
