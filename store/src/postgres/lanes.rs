//! Lanes: a fixed number of connections for one kind of work, each opened again when it was lost.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard, Semaphore, SemaphorePermit};

use super::dialer::Dialer;
use super::fault::Fault;
use super::session::Session;

/// Connections for one kind of work. Each does one thing at a time.
#[derive(Debug)]
pub(super) struct Lanes {
    dialer: Arc<Dialer>,
    /// As many as there are lanes.
    permits: Semaphore,
    /// `None`: it was not needed yet.
    lanes: Vec<Mutex<Option<Session>>>,
}

impl Lanes {
    pub(super) fn new(dialer: Arc<Dialer>, count: usize) -> Self {
        Self {
            dialer,
            permits: Semaphore::new(count),
            lanes: (0..count).map(|_| Mutex::default()).collect(),
        }
    }

    /// Takes a lane: waits until one is free, and opens it if need be.
    pub(super) async fn take(&self) -> Result<Lane<'_>, Fault> {
        let permit = self.permits.acquire().await;
        let permit = permit.map_err(|_| Fault::Closed)?;
        // Whoever has a permit finds a lane that nobody uses.
        let free = self.lanes.iter().find_map(|lane| lane.try_lock().ok());
        let mut lane = free.ok_or(Fault::Closed)?;
        // What was lost is dropped here, and with it a transaction that was left open.
        let is_fit = |session: &Session| session.is_fit() && !self.dialer.knows_newer_than(session);
        let session = match lane.take().filter(is_fit) {
            Some(session) => session,
            None => self.dialer.dial(None).await?,
        };
        Ok(Lane {
            session: MutexGuard::map(lane, |lane| lane.insert(session)),
            _permit: permit,
        })
    }

    /// Puts a session into the first lane, if nobody has one there.
    pub(super) fn begin_with(&self, session: Session) {
        let first = self.lanes.first().and_then(|lane| lane.try_lock().ok());
        if let Some(mut first) = first {
            first.get_or_insert(session);
        }
    }

    /// Closes what nobody uses, and gives nothing out any more.
    pub(super) fn close(&self) {
        self.permits.close();
        for mut lane in self.lanes.iter().filter_map(|lane| lane.try_lock().ok()) {
            drop(lane.take());
        }
    }
}

/// A session that somebody uses. Dropped, it is free for others.
#[derive(Debug)]
pub(super) struct Lane<'l> {
    session: MappedMutexGuard<'l, Session>,
    _permit: SemaphorePermit<'l>,
}

impl Deref for Lane<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl DerefMut for Lane<'_> {
    fn deref_mut(&mut self) -> &mut Session {
        &mut self.session
    }
}
