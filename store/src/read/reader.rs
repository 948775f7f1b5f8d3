//! Reading the commits of one world, a piece at a time: first from its runs, then from shared
//! frames.

use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::{ReadError, StoredCommit};

use crate::engine::{Engine, Pair, Table};
use crate::format::Malformed;
use crate::format::frame::{FrameRef, Joiner};
use crate::format::record::records;
use crate::read::decode;
use crate::read::frames::Frames;
use crate::read::runs::{read_run_key, run_key};
use crate::state::content;
use crate::state::index::TailCommit;
use crate::state::shared::{LostContent, Shared, read_error};

/// The number of stored bytes that are read at once.
const PIECE_BYTES: usize = 128 * 1024;

/// The number of stored bytes that are read at once where one commit is larger than a piece.
pub(crate) const LARGE_BYTES: usize = 2 * crate::format::COMMIT_MAX;

/// With fewer events left than this a read counts as short.
const SHORT_EVENTS: u64 = 64;

/// The number of commits of shared frames that make a piece.
const PIECE_COMMITS: usize = 256;

/// A place in the log of one world.
#[derive(Debug, Clone)]
pub(crate) struct Reader {
    shared: Arc<Shared>,
    world: WorldId,
    /// The next event. Inside a commit only before the first piece.
    next: Position,
    has_begun: bool,
    /// The number of commits of the last piece: the next one mostly has about as many.
    last_count: usize,
    /// The stored bytes of what was read, where they are wanted.
    stored: Option<Vec<Vec<u8>>>,
    /// The part of the commits that is given.
    events: Events,
    /// The list in which lost content is noted that reads as gone. `None`: it is damage.
    lost: Option<LostContent>,
}

/// The part of the commits that a reader gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Events {
    /// The events.
    Read,
    /// Nothing: it was only looked whether their content is there.
    LookedAt,
}

/// The place of the next piece.
enum NextPiece {
    Runs {
        source: WorldId,
        end: Position,
    },
    Tail {
        source: WorldId,
        commits: Vec<TailCommit>,
        end: Position,
    },
    End,
}

/// The result of reading a piece.
enum PieceRead {
    Read(Vec<StoredCommit>),
    /// The frames were moved into runs meanwhile.
    Moved,
}

impl Reader {
    /// Begins with the commit that holds `from`.
    pub(crate) fn new(shared: Arc<Shared>, world: WorldId, from: Position) -> Self {
        let next = from.max(Position::new(1));
        let events = Events::Read;
        Self {
            shared,
            world,
            next,
            has_begun: false,
            last_count: 0,
            stored: None,
            events,
            lost: None,
        }
    }

    /// Has lost content read as gone, if there is somewhere to note it.
    pub(crate) fn passing_over(mut self, lost: Option<&LostContent>) -> Self {
        self.lost = lost.cloned();
        self
    }

    /// Finds out which content of a world is lost, from the beginning of its log to its end. No
    /// event is decoded. Blocks.
    pub(crate) fn look_for_lost_content(
        shared: &Arc<Shared>,
        world: WorldId,
    ) -> Result<LostContent, ReadError> {
        let lost = LostContent::default();
        let mut reader =
            Self::new(Arc::clone(shared), world, Position::new(1)).passing_over(Some(&lost));
        reader.events = Events::LookedAt;
        while !reader.piece()?.is_empty() {}
        Ok(lost)
    }

    /// Keeps the stored bytes of each record, to be taken after each piece.
    pub(crate) fn with_stored(mut self) -> Self {
        self.stored = Some(Vec::new());
        self
    }

    /// Takes the stored bytes of what was read since the last call.
    pub(crate) fn take_stored(&mut self) -> Vec<Vec<u8>> {
        self.stored.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The position of the next event.
    pub(crate) const fn next(&self) -> Position {
        self.next
    }

    /// Tells whether only a few commits are left, all of them so fresh that reading them hardly
    /// blocks.
    pub(crate) fn is_short(&self) -> bool {
        let index = self.shared.index();
        index.worlds.get(&self.world).is_some_and(|world| {
            let left = world.reach.head.since(self.next);
            self.next > world.runs_end && left < SHORT_EVENTS
        })
    }

    /// Reads the next commits; none at the head. Blocks.
    pub(crate) fn piece(&mut self) -> Result<Vec<StoredCommit>, ReadError> {
        let piece = self.find_piece();
        // What looks damaged may be what is left of a world that is being deleted.
        let is_gone = matches!(piece, Err(ReadError::Damaged { .. }))
            && !self.shared.index().worlds.contains_key(&self.world);
        if is_gone {
            Err(ReadError::NoSuchWorld(self.world))
        } else {
            piece
        }
    }

    fn find_piece(&mut self) -> Result<Vec<StoredCommit>, ReadError> {
        let shared = Arc::clone(&self.shared);
        let lease = shared.lease();
        let engine = lease
            .engine()
            .map_err(|_| ReadError::Stopped(crate::state::shared::CLOSED.to_owned()))?;
        let mut is_again = false;
        loop {
            let plan = self.plan()?;
            let before = (
                self.next,
                self.has_begun,
                self.stored.as_ref().map_or(0, Vec::len),
            );
            let (piece, source) = match plan {
                NextPiece::End => return Ok(Vec::new()),
                NextPiece::Runs { source, end } => (self.read_runs(engine, source, end), source),
                NextPiece::Tail {
                    source,
                    commits,
                    end,
                } => (self.read_tail(engine, &commits, (source, end)), source),
            };
            // What stood beside the frames may have been erased since its record was read.
            let piece = match piece {
                Err(ReadError::Damaged { .. }) if !is_again => {
                    is_again = true;
                    (self.next, self.has_begun) = (before.0, before.1);
                    self.stored
                        .iter_mut()
                        .for_each(|stored| stored.truncate(before.2));
                    continue;
                }
                piece => piece?,
            };
            match piece {
                PieceRead::Read(commits) => return Ok(commits),
                PieceRead::Moved if self.has_moved(source) => {}
                PieceRead::Moved => return Err(self.damaged("frames of it are missing")),
            }
        }
    }

    fn plan(&self) -> Result<NextPiece, ReadError> {
        let index = self.shared.index();
        let world = index
            .worlds
            .get(&self.world)
            .ok_or(ReadError::NoSuchWorld(self.world))?;
        if self.next > world.reach.head {
            return Ok(NextPiece::End);
        }
        let lost = || self.damaged("the world that it was forked from is not there");
        let (source, end) = index.source(self.world, self.next).ok_or_else(lost)?;
        let world = index.worlds.get(&source).ok_or_else(lost)?;
        if source != self.world && world.reach.head < end {
            let what = format!(
                "the world that it was forked from ends at event {}",
                world.reach.head
            );
            return Err(self.damaged(&what));
        }
        if self.next <= world.runs_end {
            return Ok(NextPiece::Runs {
                source,
                end: end.min(world.runs_end),
            });
        }
        let from = world
            .tail
            .partition_point(|commit| commit.first <= self.next)
            .saturating_sub(1);
        let commits = world
            .tail
            .iter()
            .skip(from)
            .take_while(|commit| commit.first <= end);
        Ok(NextPiece::Tail {
            source,
            commits: commits.take(PIECE_COMMITS).copied().collect(),
            end,
        })
    }

    fn has_moved(&self, source: WorldId) -> bool {
        let index = self.shared.index();
        index
            .worlds
            .get(&source)
            .is_some_and(|world| self.next <= world.runs_end)
    }

    fn read_runs(
        &mut self,
        engine: &dyn Engine,
        source: WorldId,
        end: Position,
    ) -> Result<PieceRead, ReadError> {
        for bytes_max in [PIECE_BYTES, LARGE_BYTES] {
            let commits = self.runs(engine, (source, end), bytes_max)?;
            if !commits.is_empty() {
                return Ok(PieceRead::Read(commits));
            }
        }
        Err(self.damaged("the commits up to the next run are missing"))
    }

    fn runs(
        &mut self,
        engine: &dyn Engine,
        (source, end): (WorldId, Position),
        bytes_max: usize,
    ) -> Result<Vec<StoredCommit>, ReadError> {
        let rows = self.rows(engine, (source, end), bytes_max)?;
        let mut joiner = Joiner::default();
        let mut commits = Vec::with_capacity(self.last_count);
        for (key, value) in &rows {
            let frame = read_run(key, value).map_err(|error| self.malformed(&error))?;
            let unit = joiner.add(&frame).map_err(|error| self.malformed(&error))?;
            if let Some(unit) = unit {
                // Runs are of one world alone, with what it copied of its parent.
                self.take_unit(unit, (engine, source), (None, end), &mut commits)?;
            }
        }
        self.last_count = commits.len();
        Ok(commits)
    }

    /// The frames of runs from the next commit on.
    fn rows(
        &self,
        engine: &dyn Engine,
        (source, end): (WorldId, Position),
        bytes_max: usize,
    ) -> Result<Vec<Pair>, ReadError> {
        let _steady = self.shared.steady();
        let first = engine
            .floor(Table::Runs, &run_key(source, self.next, u16::MAX))
            .map_err(|error| read_error(error, self.next))?;
        let Some((key, _)) = first.filter(|(key, _)| key.starts_with(source.0.as_bytes())) else {
            return Err(self.damaged("its first run is missing"));
        };
        let (_, first, _) = read_run_key(&key).map_err(|error| self.malformed(&error))?;
        let from = run_key(source, first, 0);
        let to = run_key(source, end.next(), 0);
        engine
            .range(Table::Runs, &from, &to, bytes_max)
            .map_err(|error| read_error(error, self.next))
    }

    fn read_tail(
        &mut self,
        engine: &dyn Engine,
        wanted: &[TailCommit],
        (source, end): (WorldId, Position),
    ) -> Result<PieceRead, ReadError> {
        let mut commits = Vec::new();
        let mut frames = Frames::default();
        for wanted in wanted {
            if wanted.first < self.next && self.has_begun {
                continue;
            }
            let unit = frames
                .unit(engine, wanted.frame)
                .map_err(|error| read_error(error, self.next))?;
            let Some(unit) = unit else {
                return Ok(if commits.is_empty() {
                    PieceRead::Moved
                } else {
                    PieceRead::Read(commits)
                });
            };
            self.take_unit(&unit, (engine, source), (Some(source), end), &mut commits)?;
            if self.next <= wanted.first {
                return Err(self.damaged("it is not in its frame"));
            }
        }
        Ok(PieceRead::Read(commits))
    }

    /// Takes the commits of the world `of`, or of all, out of a unit that `keeper` keeps, from the
    /// next one up to `end`.
    fn take_unit(
        &mut self,
        unit: &[u8],
        (engine, keeper): (&dyn Engine, WorldId),
        (of, end): (Option<WorldId>, Position),
        into: &mut Vec<StoredCommit>,
    ) -> Result<(), ReadError> {
        for record in records(unit) {
            let record = record.map_err(|error| self.malformed(&error))?;
            let first = record.fixed.first;
            let last = record.fixed.last();
            if of.is_some_and(|of| record.fixed.world != of) || last < self.next || first > end {
                continue;
            }
            if first > self.next || (self.has_begun && first < self.next) {
                return Err(self.damaged(&format!("event {first} stands there")));
            }
            let events = record.events().map_err(|error| self.malformed(&error))?;
            let fetched = match &self.lost {
                Some(lost) => content::fetch_what_is_there(
                    (&self.shared, lost),
                    engine,
                    (keeper, first),
                    &events,
                ),
                None => content::fetch(engine, (keeper, first), &events),
            };
            let fetched = fetched.map_err(|error| read_error(error, self.next))?;
            let events = match self.events {
                Events::Read => content::join(events, &fetched),
                Events::LookedAt => Vec::new(),
            };
            into.push(decode::commit(
                &record,
                &events,
                (&self.shared.upcasters, &self.shared.keys),
            )?);
            if let Some(stored) = &mut self.stored {
                // Whoever wants it as it is stored has no store to look beside the frames.
                stored.push(
                    record
                        .restored(&events)
                        .map_err(|error| decode::malformed(self.next, &error))?,
                );
            }
            (self.next, self.has_begun) = (last.next(), true);
        }
        Ok(())
    }

    fn malformed(&self, error: &Malformed) -> ReadError {
        decode::malformed(self.next, error)
    }

    fn damaged(&self, what: &str) -> ReadError {
        ReadError::Damaged {
            at: self.next,
            what: what.to_owned(),
        }
    }
}

/// Reads a run, and verifies that it stands under its own key.
fn read_run<'a>(key: &[u8], value: &'a [u8]) -> Result<FrameRef<'a>, Malformed> {
    let (_, first, part) = read_run_key(key)?;
    let frame = FrameRef::read(value)?;
    if frame.number == first.get().saturating_add(u64::from(part)) {
        Ok(frame)
    } else {
        Err(Malformed(format!(
            "the run of event {first} stands under the key of another one"
        )))
    }
}

/// Reads the one commit that holds the event at which `reader` begins.
pub(crate) fn commit_at(mut reader: Reader) -> Result<StoredCommit, ReadError> {
    let first = reader.piece()?.into_iter().next();
    first.ok_or_else(|| reader.damaged("the event is not there"))
}
