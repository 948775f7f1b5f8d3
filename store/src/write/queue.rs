//! The appends that wait for the committer, taken from the waiting worlds in turn.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::PoisonError;

use folkmoot_core::ids::{Incarnation, WorldId};
use folkmoot_core::port::{AppendError, Appended};
use tokio::sync::oneshot;

use crate::state::content::Put;
use crate::state::summary::Summary;
use crate::sync::{Condvar, Mutex, MutexGuard};
use crate::write::encode::Unlinked;

/// The most appends that may wait. Each waiting task holds one, so this bounds tasks rather than
/// work.
const WAITING_MAX: usize = 65_536;

/// A commit on its way into the log.
#[derive(Debug)]
pub(crate) struct EncodedCommit {
    pub(crate) summary: Summary,
    pub(crate) record: Unlinked,
}

/// An append that waits, with what stands beside its records.
#[derive(Debug)]
pub(crate) struct AppendRequest<B = Option<Put>> {
    pub(crate) incarnation: Incarnation,
    pub(crate) first: EncodedCommit,
    /// The commits behind the first one, in order.
    pub(crate) rest: Vec<EncodedCommit>,
    /// The content beside the records.
    pub(crate) beside: B,
    pub(crate) reply: oneshot::Sender<Result<Appended, AppendError>>,
}

impl<B> AppendRequest<B> {
    pub(crate) const fn world(&self) -> WorldId {
        self.first.summary.world
    }

    /// The bytes of all its commits.
    pub(crate) fn len(&self) -> usize {
        let rest = self.rest.iter().map(|commit| commit.record.len());
        self.first.record.len() + rest.sum::<usize>()
    }
}

/// The queue. One thread takes, many put.
#[derive(Debug)]
pub(crate) struct Queue<B = Option<Put>> {
    state: Mutex<WaitingAppends<B>>,
    news: Condvar,
}

#[derive(Debug)]
struct WaitingAppends<B> {
    waiting: HashMap<WorldId, VecDeque<AppendRequest<B>>>,
    /// The worlds with waiting appends, in the order of their turns, without those that are under way.
    turns: VecDeque<WorldId>,
    /// The worlds of which nothing is taken until what was taken is settled.
    under_way: HashSet<WorldId>,
    count: usize,
    is_taker_idle: bool,
    /// Why no more are taken, once that is so.
    closed: Option<String>,
}

impl<B> Default for Queue<B> {
    fn default() -> Self {
        let waiting = WaitingAppends {
            waiting: HashMap::new(),
            turns: VecDeque::new(),
            under_way: HashSet::new(),
            count: 0,
            is_taker_idle: false,
            closed: None,
        };
        Self {
            state: Mutex::new(waiting),
            news: Condvar::default(),
        }
    }
}

impl<B> Queue<B> {
    /// Puts a request at the end of its world's line.
    pub(crate) fn put(&self, request: AppendRequest<B>) -> Result<(), AppendError> {
        let mut state = self.state();
        if let Some(why) = &state.closed {
            return Err(AppendError::Stopped(why.clone()));
        }
        if state.count >= WAITING_MAX {
            return Err(AppendError::Stopped(format!(
                "{WAITING_MAX} appends wait already"
            )));
        }
        state.put(request);
        let wake = state.is_taker_idle;
        drop(state);
        if wake {
            self.news.notify_one();
        }
        Ok(())
    }

    /// Waits until something waits, or the queue is closed.
    pub(crate) fn wait(&self) {
        let mut state = self.state();
        while state.turns.is_empty() && state.closed.is_none() {
            state.is_taker_idle = true;
            state = self
                .news
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.is_taker_idle = false;
    }

    /// The number of worlds whose turn may come.
    pub(crate) fn turns(&self) -> usize {
        self.state().turns.len()
    }

    /// Tells whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.state().turns.is_empty()
    }

    /// Tells whether nothing waits, and more is taken.
    pub(crate) fn is_free(&self) -> bool {
        let state = self.state();
        state.turns.is_empty() && state.closed.is_none()
    }

    /// Takes waiting requests of about `bytes_max` bytes, one of each world in turn, but at least
    /// one.
    pub(crate) fn take(&self, bytes_max: usize) -> Vec<AppendRequest<B>> {
        let mut state = self.state();
        let mut taken = Vec::new();
        let mut bytes = 0_usize;
        while let Some(next) = state.next() {
            bytes += next.len();
            if !taken.is_empty() && bytes > bytes_max {
                break;
            }
            taken.extend(state.take());
        }
        taken
    }

    /// Takes a waiting request of each world in turn, but at least one, as long as the next `fits`. Nothing more is taken of
    /// their worlds before they are settled.
    pub(crate) fn take_apart(
        &self,
        mut fits: impl FnMut(&AppendRequest<B>) -> bool,
    ) -> Vec<AppendRequest<B>> {
        let mut state = self.state();
        let mut taken = Vec::new();
        while let Some(next) = state.next() {
            if !fits(next) && !taken.is_empty() {
                break;
            }
            taken.extend(state.take_alone());
        }
        taken
    }

    /// Notes that what was taken of a world is settled: the next of it may be taken.
    pub(crate) fn settled(&self, world: WorldId) {
        self.state().settled(world);
    }

    /// Lets nobody put any more. What waits is still taken.
    pub(crate) fn close(&self, why: &str) {
        self.state().closed.get_or_insert_with(|| why.to_owned());
        self.news.notify_one();
    }

    /// Lets nobody put any more, and refuses what waits.
    pub(crate) fn stop(&self, why: &str) {
        let mut state = self.state();
        state.closed.get_or_insert_with(|| why.to_owned());
        let refused = std::mem::take(&mut state.waiting);
        state.turns.clear();
        state.count = 0;
        drop(state);
        self.news.notify_one();
        for request in refused.into_values().flatten() {
            answer(request.reply, Err(AppendError::Stopped(why.to_owned())));
        }
    }

    fn state(&self) -> MutexGuard<'_, WaitingAppends<B>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<B> WaitingAppends<B> {
    fn put(&mut self, request: AppendRequest<B>) {
        let world = request.world();
        let line = self.waiting.entry(world).or_default();
        if line.is_empty() && !self.under_way.contains(&world) {
            self.turns.push_back(world);
        }
        line.push_back(request);
        self.count += 1;
    }

    fn next(&self) -> Option<&AppendRequest<B>> {
        self.waiting.get(self.turns.front()?)?.front()
    }

    fn take(&mut self) -> Option<AppendRequest<B>> {
        let request = self.take_alone()?;
        self.settled(request.world());
        Some(request)
    }

    /// Takes the next request, and leaves the rest of its world until that is settled.
    fn take_alone(&mut self) -> Option<AppendRequest<B>> {
        let world = self.turns.pop_front()?;
        let line = self.waiting.get_mut(&world)?;
        let request = line.pop_front()?;
        if line.is_empty() {
            self.waiting.remove(&world);
        }
        self.under_way.insert(world);
        self.count = self.count.saturating_sub(1);
        Some(request)
    }

    fn settled(&mut self, world: WorldId) {
        if self.under_way.remove(&world) && self.waiting.contains_key(&world) {
            self.turns.push_back(world);
        }
    }
}

/// Answers a caller. One that no longer listens has given its append up, not undone it.
pub(crate) fn answer(
    reply: oneshot::Sender<Result<Appended, AppendError>>,
    result: Result<Appended, AppendError>,
) {
    if reply.send(result).is_err() {
        tracing::debug!("an append finished after its caller had gone");
    }
}

#[cfg(test)]
mod tests;
