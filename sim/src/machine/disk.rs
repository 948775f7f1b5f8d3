//! The disk: an engine in memory whose writes go wrong when they are told to.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fastrand::Rng;
use folkmoot::store::{
    Ack, Engine, EngineError, FrameLog, FrameNumber, MemoryEngine, Pair, Shelf, Table, Term,
};

use super::outside::Outside;
use crate::law::{Law, Violation};
use crate::story::DiskFault;

/// What is kept, whichever process writes it.
#[derive(Debug)]
pub(crate) struct Platter {
    engine: MemoryEngine,
    outside: Arc<Outside>,
    state: Mutex<DiskState>,
}

#[derive(Debug, Default)]
struct DiskState {
    /// How the next writes go wrong.
    armed: VecDeque<DiskFault>,
    /// True if the next start does not get to read.
    is_unreadable: bool,
    /// How much longer writes take.
    more: Duration,
    /// The process that has taken over last.
    owner: u64,
}

impl Platter {
    /// An empty one.
    pub(crate) fn new(outside: Arc<Outside>) -> Self {
        Self {
            engine: MemoryEngine::new(),
            outside,
            state: Mutex::default(),
        }
    }

    /// The next write goes wrong.
    pub(crate) fn arm(&self, fault: DiskFault) {
        self.state().armed.push_back(fault);
    }

    /// Writes take so much longer.
    pub(crate) fn slow_down(&self, more: Duration) {
        let mut state = self.state();
        state.more = state.more.saturating_add(more);
    }

    /// Returns how much longer writes take.
    pub(crate) fn more(&self) -> Duration {
        self.state().more
    }

    /// Nothing goes wrong any more.
    pub(crate) fn mend(&self) {
        let mut state = self.state();
        state.armed.clear();
        state.is_unreadable = false;
        state.more = Duration::ZERO;
    }

    fn state(&self) -> MutexGuard<'_, DiskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One process's way to the disk.
#[derive(Debug)]
pub(crate) struct SimDisk {
    platter: Arc<Platter>,
    /// The process.
    number: u64,
    /// How many reads still succeed.
    reads_left: AtomicU64,
    has_failed: AtomicBool,
}

impl SimDisk {
    /// The way of the process `number`.
    pub(crate) fn of(platter: &Arc<Platter>, number: u64) -> Self {
        let is_unreadable = std::mem::take(&mut platter.state().is_unreadable);
        let reads_left = if is_unreadable {
            platter.outside.lots("reads").u64(0..12)
        } else {
            u64::MAX
        };
        Self {
            platter: Arc::clone(platter),
            number,
            reads_left: reads_left.into(),
            has_failed: AtomicBool::new(false),
        }
    }

    /// The store is open: what could not be read would have been by now.
    pub(crate) fn opened(&self) {
        self.reads_left.store(u64::MAX, Ordering::Relaxed);
    }

    /// Tells whether anything went wrong so far.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    fn fail(&self, name: &str) -> io::Error {
        self.has_failed.store(true, Ordering::Relaxed);
        self.platter.outside.books().counts.hit(name);
        io::Error::other(format!("the simulated disk failed: {name}"))
    }

    fn reads(&self) -> Result<(), EngineError> {
        let left = self
            .reads_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
        left.map(|_| ())
            .map_err(|_| EngineError::Io(self.fail("unreadable")))
    }

    /// Writes a number of things in order, all of them or as many as the disk takes.
    fn write(
        &self,
        count: usize,
        write: impl FnOnce(usize) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let Some(fault) = self.platter.state().armed.pop_front() else {
            return write(count);
        };
        match fault {
            DiskFault::Refused => Err(EngineError::Io(self.fail("disk refused"))),
            DiskFault::Full => Err(EngineError::Full(self.fail("disk full"))),
            DiskFault::Torn => {
                write(self.lots().usize(0..=count))?;
                Err(EngineError::Io(self.fail("torn write")))
            }
            DiskFault::AnswerLost => {
                write(count)?;
                Err(EngineError::Io(self.fail("answer lost")))
            }
            DiskFault::Unreadable => {
                self.platter.state().is_unreadable = true;
                Err(EngineError::Io(self.fail("disk gone")))
            }
        }
    }

    fn lots(&self) -> Rng {
        self.platter.outside.lots("torn")
    }

    /// A process that was taken over has lost its way to the tables, as it has lost the lock of a
    /// directory.
    fn owns(&self) -> Result<(), EngineError> {
        if self.is_owner() {
            return Ok(());
        }
        Err(EngineError::Io(io::Error::other(
            "another process has taken over",
        )))
    }

    fn is_owner(&self) -> bool {
        self.platter.state().owner <= self.number
    }

    fn engine(&self) -> &MemoryEngine {
        &self.platter.engine
    }
}

fn first<T>(items: &[T], count: usize) -> &[T] {
    items.get(..count).unwrap_or(items)
}

impl FrameLog for SimDisk {
    fn ack(&self) -> Ack {
        self.engine().ack()
    }

    fn take_over(&self) -> Result<Term, EngineError> {
        let term = self.engine().take_over()?;
        self.platter.state().owner = self.number;
        Ok(term)
    }

    fn head(&self) -> Result<FrameNumber, EngineError> {
        self.reads()?;
        self.engine().head()
    }

    fn append(
        &self,
        term: Term,
        expected: FrameNumber,
        frames: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        let is_owner = self.is_owner();
        let appended = self.write(frames.len(), |count| {
            self.engine().append(term, expected, first(frames, count))
        });
        if appended.is_ok() && !is_owner && !frames.is_empty() {
            let what = "a process appended that another one had taken over from";
            self.platter
                .outside
                .hold(Err(Violation::of(Law::NothingInvented, what)));
        }
        appended
    }

    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        self.reads()?;
        self.engine().read(from, bytes_max)
    }

    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError> {
        self.owns()?;
        self.write(1, |count| {
            if count == 0 {
                Ok(())
            } else {
                self.engine().trim(up_to)
            }
        })
    }
}

impl Shelf for SimDisk {
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        self.owns()?;
        self.write(pairs.len(), |count| {
            self.engine().put(table, first(pairs, count))
        })
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        self.reads()?;
        self.engine().get(table, key)
    }

    fn range(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        self.reads()?;
        self.engine().range(table, from, to, bytes_max)
    }

    fn keys(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        count_max: usize,
    ) -> Result<Vec<Vec<u8>>, EngineError> {
        self.reads()?;
        self.engine().keys(table, from, to, count_max)
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        self.reads()?;
        self.engine().floor(table, key)
    }

    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        self.owns()?;
        self.write(keys.len(), |count| {
            self.engine().remove(table, first(keys, count))
        })
    }
}

impl Engine for SimDisk {
    fn home(&self) -> Option<&Path> {
        None
    }

    fn compact(&self) -> Result<(), EngineError> {
        self.owns()?;
        self.engine().compact()
    }
}
