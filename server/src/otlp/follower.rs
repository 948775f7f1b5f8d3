//! Follows the logs of all worlds, and sends the spans that end.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::WorldId;
use folkmoot::core::port::causes::with_causes;
use folkmoot::core::port::{EventLog as _, Labels, WorldEntry};
use folkmoot::otlp::{BATCH_MAX, ExportTraceServiceRequest, Rejections, count, request};
use folkmoot::spans::{Capture, Span, Spans};
use folkmoot::{FoldError, Position, ReadError, Store, WorldName, fold_world_from};
use futures::TryStreamExt as _;
use tokio::time::{sleep, timeout};

use super::collector::{Collector, SendError};
use crate::metrics::Metrics;
use crate::rooms::Drain;

/// The number of worlds that are looked at at a time.
const PAGE: usize = 256;

/// A reader of all logs that sends spans.
#[derive(Debug)]
pub(crate) struct Follower {
    store: Store,
    collector: Collector,
    metrics: Metrics,
    worlds: BTreeMap<WorldId, Followed>,
    /// Spans that are not in a request yet.
    ended: Vec<Span>,
    /// The request that is to be sent next. It is kept until it is taken or refused.
    next: Option<ExportTraceServiceRequest>,
    /// True from a failure that was said until the next success.
    is_broken: bool,
}

/// A world whose log is followed.
#[derive(Debug)]
struct Followed {
    /// What ended up to here is not sent: it was there before the server began.
    since: Position,
    /// Everything up to here was read.
    through: Position,
    /// The spans that are open; `None` until something new is in the log.
    spans: Option<Spans>,
}

/// The outcome of reading on in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// A batch is full, or all was read.
    Batch,
    /// It may not be read now.
    Later,
}

/// The reason that a log cannot be followed.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Fold(#[from] FoldError),
}

impl Follower {
    /// Follows the logs of `store` from their present ends on.
    ///
    /// # Errors
    /// [`ReadError`] if the worlds cannot be listed.
    pub(crate) async fn begin(
        store: Store,
        collector: Collector,
        metrics: Metrics,
    ) -> Result<Self, ReadError> {
        let mut worlds = BTreeMap::new();
        let mut after = None;
        while let Some(page) = page(&store, &mut after).await? {
            let known = page
                .into_iter()
                .map(|entry| (entry.world, Followed::behind(entry.head)));
            worlds.extend(known);
        }
        Ok(Self {
            store,
            collector,
            metrics,
            worlds,
            ended: Vec::new(),
            next: None,
            is_broken: false,
        })
    }

    /// Sends what ends until the server does, and then the rest, as far as there is time.
    pub(crate) async fn run(mut self, drain: &Drain) {
        let pace = self.collector.settings().pace;
        tokio::select! {
            biased;
            () = drain.begun() => {}
            () = self.follow() => {}
        }
        let flushed = timeout(pace.flush_timeout, self.look()).await;
        let unsent = self.ended.len() + self.next.as_ref().map_or(0, count);
        if unsent > 0 || flushed.is_err() {
            self.metrics.spans_dropped(unsent);
            tracing::warn!(unsent, "the server ends before all spans are sent");
        }
    }

    async fn follow(&mut self) {
        loop {
            self.look().await;
            sleep(self.collector.settings().pace.look_every).await;
        }
    }

    /// Reads all that is new, and sends it. Dropping the future loses nothing.
    async fn look(&mut self) {
        // A request that was under way when this was dropped comes first.
        self.send().await;
        let mut after = None;
        let mut present = BTreeSet::new();
        loop {
            let page = match page(&self.store, &mut after).await {
                Ok(Some(page)) => page,
                Ok(None) => break,
                Err(error) => {
                    tracing::error!(why = with_causes(&error), "no spans can be made now");
                    return;
                }
            };
            for entry in page {
                present.insert(entry.world);
                self.look_at(&entry).await;
            }
        }
        self.worlds.retain(|world, _| present.contains(world));
        self.pack();
        self.send().await;
    }

    async fn look_at(&mut self, entry: &WorldEntry) {
        while self.is_behind(entry) {
            match self.read(entry).await {
                Ok(Reading::Batch) => {}
                // The log may have words that are being erased: it is read after that.
                Ok(Reading::Later) => return,
                Err(error) => {
                    let why = with_causes(&error);
                    tracing::error!(world = %entry.name, why, "these events give no spans");
                    let behind = Followed::behind(entry.head);
                    self.worlds.insert(entry.world, behind);
                }
            }
            if self.ended.len() >= BATCH_MAX {
                self.pack();
                self.send().await;
            }
        }
    }

    fn is_behind(&self, entry: &WorldEntry) -> bool {
        let known = self.worlds.get(&entry.world);
        known.is_none_or(|known| known.through < entry.head)
    }

    /// Reads on in a log until a batch is full. Nobody is waited for meanwhile: whoever deletes or erases waits for readers.
    async fn read(&mut self, entry: &WorldEntry) -> Result<Reading, FollowError> {
        let capture = self.collector.settings().capture;
        let Some(gone) = self.gone(entry, capture).await? else {
            return Ok(Reading::Later);
        };
        let known = self.worlds.entry(entry.world);
        let known = known.or_insert_with(|| Followed::behind(Position::ZERO));
        let from = known.from(&entry.name, entry.world, capture);
        let mut commits = self.store.read(entry.world, from).await?;
        while self.ended.len() < BATCH_MAX
            && let Some(stored) = commits.try_next().await?
        {
            self.ended.extend(known.take(&stored.commit, &gone));
        }
        Ok(Reading::Batch)
    }

    /// The messages that are taken back; `None` while content is being erased.
    async fn gone(
        &self,
        entry: &WorldEntry,
        capture: Capture,
    ) -> Result<Option<BTreeSet<Position>>, FollowError> {
        if capture == Capture::Nothing {
            return Ok(Some(BTreeSet::new()));
        }
        let world = fold_world_from(&self.store, &self.store, &entry.name, None).await?;
        if world.upkeep().is_erasing() {
            return Ok(None);
        }
        let to = world.head().next();
        let gone = self.store.gone(entry.world, Position::new(1), to).await?;
        Ok(Some(gone.into_iter().collect()))
    }

    /// Makes a request of what has ended.
    fn pack(&mut self) {
        if self.next.is_none() && !self.ended.is_empty() {
            let resource = &self.collector.settings().resource;
            self.next = Some(request(std::mem::take(&mut self.ended), resource));
        }
    }

    /// Sends the request, again and again if the collector cannot be reached.
    async fn send(&mut self) {
        let pace = self.collector.settings().pace;
        let mut pause = pace.pause_min;
        while let Some(request) = &self.next {
            let spans = count(request);
            let sent = self.collector.send(request).await;
            if let Err(SendError::Unavailable { retry_after, .. }) = &sent {
                let asked = retry_after.unwrap_or_default().min(pace.pause_max);
                let wait = pause.max(asked);
                pause = (pause * 2).min(pace.pause_max);
                self.told(&sent);
                sleep(wait).await;
                continue;
            }
            self.next = None;
            let dropped = match &sent {
                Ok(rejections) => usize::try_from(rejections.spans)
                    .unwrap_or(spans)
                    .min(spans),
                Err(_) => spans,
            };
            self.metrics.spans_sent(spans - dropped);
            self.metrics.spans_dropped(dropped);
            self.told(&sent);
        }
    }

    /// Says that the collector does not take spans, once, and that it does again.
    fn told(&mut self, sent: &Result<Rejections, SendError>) {
        let endpoint = self.collector.endpoint();
        let fault = match sent {
            Ok(rejections) if rejections.spans == 0 => None,
            Ok(rejections) => Some(format!(
                "it did not take {} spans: {}",
                rejections.spans, rejections.why
            )),
            Err(error) => Some(with_causes(error)),
        };
        match fault {
            Some(why) if !self.is_broken => {
                tracing::warn!(endpoint, why, "spans are not taken; this is said once");
            }
            None if self.is_broken => tracing::warn!(endpoint, "spans are taken again"),
            _ => {}
        }
        self.is_broken = sent
            .as_ref()
            .map_or(true, |rejections| rejections.spans > 0);
    }
}

impl Followed {
    /// Nothing up to `head` is sent.
    const fn behind(head: Position) -> Self {
        Self {
            since: head,
            through: head,
            spans: None,
        }
    }

    /// The place from which the log is read: a log that was there before is read from its beginning once, for the spans that
    /// are open.
    fn from(&mut self, name: &WorldName, world: WorldId, capture: Capture) -> Position {
        if self.spans.is_none() {
            self.spans = Some(Spans::of(world, name.clone(), capture));
            self.through = Position::ZERO;
        }
        self.through.next()
    }

    /// Takes a commit, and gives what it ends.
    fn take(&mut self, commit: &Commit, gone: &BTreeSet<Position>) -> Vec<Span> {
        self.through = commit.last();
        let ended = self.spans.as_mut().map(|spans| spans.take(commit, gone));
        let ended = ended.unwrap_or_default();
        if self.through > self.since {
            ended
        } else {
            Vec::new()
        }
    }
}

/// The next worlds, by name, and `None` behind the last one.
async fn page(
    store: &Store,
    after: &mut Option<WorldName>,
) -> Result<Option<Vec<WorldEntry>>, ReadError> {
    let page = store.worlds(&Labels::new(), after.as_ref(), PAGE).await?;
    *after = page.last().map(|entry| entry.name.clone());
    Ok(after.is_some().then_some(page))
}
