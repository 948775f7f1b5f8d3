//! The one thread that appends.
//!
//! It takes whatever waits, without a timer: while one barrier is under way the next batch gathers.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use folkmoot_core::command::commit::CommandKey;
use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::{AppendError, Appended};

use crate::engine::{EngineError, FrameNumber, Term};
use crate::format::Malformed;
use crate::home::head_record::{Head, HeadRecord};
use crate::read::reader::Reader;
use crate::read::{reader, runs};
use crate::state::content::Put;
use crate::state::index::Index;
use crate::state::shared::{Phase, Shared};
use crate::sync::{MutexGuard, SyncSender};
use crate::write::batch::{Admission, Batch, SealedBatch};
use crate::write::queue::{AppendRequest, Queue, answer};

/// The most bytes of commits that are taken for one barrier.
const BATCH_MAX: usize = 110 * 1024;

/// The longest barrier behind which the next append is made on the thread that asks for it. The runtimes of servers expect
/// that a task gives its thread back within about that time.
///
/// Interleavings are searched without a clock.
const LEAD_MAX: Duration = if cfg!(feature = "shuttle") {
    Duration::MAX
} else {
    Duration::from_micros(500)
};

/// The time between two syncs of the head record while there is something to write.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A wish that shared frames be copied into runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SweepDue;

/// The committer's own state.
#[derive(Debug)]
pub(crate) struct Committer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) term: Term,
    pub(crate) head_record: Option<HeadRecord>,
    pub(crate) sweeps: SyncSender<SweepDue>,
    pub(crate) synced_at: Instant,
    /// The requests that the last batch had no room for.
    pub(crate) later: Vec<AppendRequest>,
    /// False if all appends are left to its thread.
    pub(crate) leads: bool,
    /// The time that the last barrier took.
    pub(crate) barrier_took: Duration,
    /// True if the last batch was of one request: others are seldom asked for meanwhile.
    pub(crate) was_alone: bool,
    /// True if a sweep is so late that the next append waits for it.
    pub(crate) awaits_sweep: bool,
}

impl Committer {
    /// Tells whether something waits for the next step.
    pub(crate) fn has_work(&self) -> bool {
        !self.later.is_empty() || !self.queue.is_empty()
    }

    /// Appends one batch of what waits; `false` if nothing does.
    pub(crate) fn step(&mut self) -> bool {
        let mut requests = std::mem::take(&mut self.later);
        if requests.is_empty() {
            requests = self.queue.take(BATCH_MAX);
        }
        if requests.is_empty() {
            return false;
        }
        let shared = Arc::clone(&self.shared);
        let sweep = self.append(shared.batch(), requests);
        self.wish(sweep);
        true
    }

    /// Tells whether an append may be made on a thread that has other work: nothing long is to be expected, and nobody
    /// else to share its barrier with.
    pub(crate) fn may_lead(&self) -> bool {
        self.leads
            && self.was_alone
            && self.later.is_empty()
            && !self.awaits_sweep
            && self.barrier_took <= LEAD_MAX
            && self.queue.is_free()
    }

    /// Appends one request alone; gives it back if somebody holds the log for longer, or has the engine busy with a copy
    /// or a sweep.
    pub(crate) fn lead(&mut self, request: AppendRequest) -> Option<AppendRequest> {
        let shared = Arc::clone(&self.shared);
        let (Some(_idle), Some(turn)) = (shared.chores_now(), shared.batch_now()) else {
            return Some(request);
        };
        let sweep = self.append(turn, vec![request]);
        if sweep == Sweep::Due {
            self.wish(sweep);
        }
        self.awaits_sweep = sweep == Sweep::Late;
        None
    }

    /// Appends one batch while `turn` is held. An error stops the store.
    fn append(&mut self, turn: MutexGuard<'_, ()>, requests: Vec<AppendRequest>) -> Sweep {
        match self.commit(turn, requests) {
            Ok((later, sweep)) => {
                self.later = later;
                self.sync_head();
                sweep
            }
            Err(error) => {
                self.stop(&error.to_string());
                Sweep::NotDue
            }
        }
    }

    /// Appends one batch while `turn` is held; gives those requests back that have to wait for it.
    fn commit(
        &mut self,
        turn: MutexGuard<'_, ()>,
        requests: Vec<AppendRequest>,
    ) -> Result<(Vec<AppendRequest>, Sweep), CommitError> {
        let head = self.shared.index().head;
        let mut batch = Batch::new(self.term, head);
        let mut later = Vec::new();
        self.was_alone = requests.len() == 1;
        for request in requests {
            later.extend(self.admit(&mut batch, request)?);
        }
        let mut sealed = batch.finish()?;
        if sealed.frames.is_empty() {
            return Ok((later, Sweep::NotDue));
        }
        // From here on the commits may be there, whatever the engine says.
        sealed.beside.drain(..).for_each(Put::leave);
        let begun = Instant::now();
        let appended = {
            let lease = self.shared.lease();
            lease
                .engine()
                .and_then(|engine| engine.append(self.term, head, &sealed.frames))
        };
        self.barrier_took = begun.elapsed();
        let sweep = match appended {
            Ok(()) => {
                Self::note_head(&mut self.head_record, head, &sealed);
                self.land(sealed)
            }
            Err(error) => {
                let why = error.to_string();
                refuse(sealed, &error);
                later.into_iter().for_each(|request| {
                    answer(request.reply, Err(AppendError::Stopped(why.clone())));
                });
                return Err(error.into());
            }
        };
        drop(turn);
        Ok((later, sweep))
    }

    /// Puts a request into the batch, answers it, or gives it back.
    fn admit(
        &self,
        batch: &mut Batch,
        request: AppendRequest,
    ) -> Result<Option<AppendRequest>, Malformed> {
        let admission = {
            let index = self.shared.index();
            batch.admit(&request, &index, |world, key| self.stored_key(world, key))
        };
        match admission {
            Ok(Admission::Next(reach)) => batch.add(request, reach)?,
            Ok(Admission::Later) => return Ok(Some(request)),
            Ok(Admission::Repeats(position)) => {
                let stored = reader::commit_at(Reader::new(
                    Arc::clone(&self.shared),
                    request.world(),
                    position,
                ));
                let failed = |error| AppendError::Io(io::Error::other(error));
                answer(
                    request.reply,
                    stored.map(Appended::Repeated).map_err(failed),
                );
            }
            Err(error) => answer(request.reply, Err(error)),
        }
        Ok(None)
    }

    fn stored_key(
        &self,
        world: WorldId,
        key: &CommandKey,
    ) -> Result<Option<(Position, Digest)>, AppendError> {
        let lease = self.shared.lease();
        let found = lease
            .engine()
            .and_then(|engine| runs::find_key(engine, world, key));
        found.map_err(|error| append_error(&error))
    }

    /// Publishes what has become durable, then answers.
    fn land(&self, sealed: SealedBatch) -> Sweep {
        let SealedBatch {
            frames,
            landed,
            replies,
            ..
        } = sealed;
        let sweep = {
            let mut index = self.shared.index();
            index.head = index.head.plus(frames.len() as u64);
            index.tail_bytes += frames.iter().map(Vec::len).sum::<usize>();
            let longest = landed
                .into_iter()
                .map(|(landed, _)| index.land(landed))
                .max()
                .unwrap_or_default();
            Sweep::of(longest, index.tail_bytes)
        };
        for (reply, link) in replies {
            answer(reply, Ok(Appended::Committed { link }));
        }
        sweep
    }

    fn wish(&mut self, sweep: Sweep) {
        self.awaits_sweep = false;
        let wished = match sweep {
            Sweep::Late => self.sweeps.send(SweepDue).is_ok(),
            // A wish that is still waiting covers this one.
            Sweep::Due => self.sweeps.try_send(SweepDue).is_ok(),
            Sweep::NotDue => false,
        };
        tracing::trace!(?sweep, wished, "appended");
    }

    /// Writes the head record before anybody is answered. The log itself is safe without it.
    fn note_head(record: &mut Option<HeadRecord>, head: FrameNumber, sealed: &SealedBatch) {
        let link = sealed.landed.last().map(|(_, link)| *link);
        let (Some(record), Some(link)) = (record, link) else {
            return;
        };
        let frame = head.plus(sealed.frames.len() as u64);
        if let Err(error) = record.write(Head { frame, link }) {
            tracing::warn!(%error, "the head record cannot be written");
        }
    }

    /// Syncs the head record if the last time is long enough ago.
    fn sync_head(&mut self) {
        let Some(record) = self
            .head_record
            .as_ref()
            .filter(|_| self.synced_at.elapsed() >= SYNC_EVERY)
        else {
            return;
        };
        if let Err(error) = record.sync() {
            tracing::warn!(%error, "the head record cannot be synced");
        }
        self.synced_at = Instant::now();
    }

    pub(crate) fn stop(&self, why: &str) {
        tracing::error!(why, "the store stops");
        self.shared.end(Phase::Stopped(why.to_owned()));
        self.queue.stop(why);
    }
}

/// The reason why the store stops.
#[derive(Debug, thiserror::Error)]
enum CommitError {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Whether shared frames should be copied into runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sweep {
    NotDue,
    Due,
    /// The committer waits for it.
    Late,
}

impl Sweep {
    /// For a world with so many `events`, and so many `bytes` of all worlds, outside of runs.
    const fn of(events: u64, bytes: usize) -> Self {
        if bytes >= runs::TAIL_BYTES_LIMIT {
            Self::Late
        } else if events >= runs::TAIL_EVENTS_MAX || bytes >= runs::TAIL_BYTES_MAX {
            Self::Due
        } else {
            Self::NotDue
        }
    }
}

/// Returns what the head record says of an index; `None` if nothing was ever written.
pub(crate) fn head(index: &Index) -> Option<Head> {
    index.last_link.map(|link| Head {
        frame: index.head,
        link,
    })
}

fn refuse(sealed: SealedBatch, error: &EngineError) {
    sealed
        .replies
        .into_iter()
        .for_each(|(reply, _)| answer(reply, Err(append_error(error))));
}

/// Says what an engine's error means to one of several callers.
pub(crate) fn append_error(error: &EngineError) -> AppendError {
    let copy = |source: &io::Error| io::Error::new(source.kind(), source.to_string());
    match error {
        EngineError::Full(source) => AppendError::Full(copy(source)),
        EngineError::Io(source) => AppendError::Io(copy(source)),
        EngineError::Damaged(_) | EngineError::WrongHead { .. } | EngineError::Fenced { .. } => {
            AppendError::Io(io::Error::other(error.to_string()))
        }
    }
}
