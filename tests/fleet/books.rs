//! The books of a fleet: a file for each process, a line for each thing that it was told, did or saw.
//!
//! They are no part of what is tested: a line is written where the thing happens, and outlives its process.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot::core::ids::{Attempt, Digest, Incarnation, Position, WorldId};
use folkmoot::{BootClock as _, BootTime, RequestId, SystemBootClock};
use serde::{Deserialize, Serialize};

/// A moment, in microseconds since the machine was started: all processes have the same clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Moment(pub(crate) u64);

impl Moment {
    pub(crate) fn now() -> Self {
        let since = BootTime::default().until(SystemBootClock.now());
        Self(u64::try_from(since.as_micros()).unwrap())
    }

    /// Milliseconds from here to a later moment.
    pub(crate) fn millis_to(self, later: Self) -> u64 {
        later.0.saturating_sub(self.0) / 1_000
    }
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Line {
    /// The log acknowledged commits to a node.
    Acknowledged(Acknowledged),
    /// A node stops itself, right before it begins to run a tool.
    Stops(Run),
    /// A node began to run a tool.
    Began(Run),
    /// The run goes on for as long as its node may act.
    Stays(Run),
    /// The run came to its end.
    Ended(Run),
    /// The run was dropped before its end.
    Dropped(Run),
    /// The resource behind the tool refused a run: it had seen a later incarnation.
    Refused(Run),
    /// A client was told that its message is said, and stands at `at`.
    Told {
        world: WorldId,
        key: String,
        at: Position,
        when: Moment,
    },
    /// A client was told that its decision counts.
    Decided {
        world: WorldId,
        request: RequestId,
        when: Moment,
    },
    /// Somebody asked a world how far it is, and was told.
    Saw(Saw),
    /// A node ended in good order.
    Left { when: Moment },
}

/// Commits that the log acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Acknowledged {
    pub(crate) world: WorldId,
    pub(crate) incarnation: Incarnation,
    pub(crate) first: Position,
    pub(crate) last: Position,
    /// The link of the last of them.
    pub(crate) link: Digest,
    pub(crate) when: Moment,
}

/// The run of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) world: WorldId,
    /// The same for each attempt.
    pub(crate) key: String,
    pub(crate) attempt: Attempt,
    pub(crate) incarnation: Incarnation,
    pub(crate) when: Moment,
}

/// A look at a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Saw {
    /// Who looked. They look at one world after the other.
    pub(crate) reader: String,
    pub(crate) world: WorldId,
    pub(crate) head: Position,
    /// When they began to look.
    pub(crate) since: Moment,
}

/// The book of a process. Cheap to clone: all clones are one.
#[derive(Debug, Clone)]
pub(crate) struct Book(Arc<File>);

impl Book {
    /// The book of the process called `name`.
    pub(crate) fn open(folder: &Path, name: &str) -> Self {
        let path = folder.join(name).with_extension("book");
        let file = File::options().append(true).create(true).open(path);
        Self(Arc::new(file.unwrap()))
    }

    /// Writes a line, at once and whole: who is killed behind this has written it.
    pub(crate) fn write(&self, line: &Line) {
        let mut text = serde_json::to_vec(line).unwrap();
        text.push(b'\n');
        (&*self.0).write_all(&text).unwrap();
    }
}

/// A line of the process called so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) process: Arc<str>,
    pub(crate) line: Line,
}

/// All books of a folder, read as they grow.
#[derive(Debug)]
pub(crate) struct Books {
    folder: PathBuf,
    /// How far each was read.
    read: BTreeMap<PathBuf, usize>,
    pub(crate) entries: Vec<Entry>,
}

impl Books {
    pub(crate) fn of(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            read: BTreeMap::new(),
            entries: Vec::new(),
        }
    }

    /// Reads what came since.
    pub(crate) fn refresh(&mut self) {
        for entry in fs::read_dir(&self.folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "book") {
                self.refresh_one(path);
            }
        }
    }

    fn refresh_one(&mut self, path: PathBuf) {
        use std::io::{Read as _, Seek as _, SeekFrom};
        let process: Arc<str> = path.file_stem().unwrap().to_str().unwrap().into();
        let read = self.read.entry(path.clone()).or_default();
        let mut file = File::open(path).unwrap();
        file.seek(SeekFrom::Start(*read as u64)).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        // The last line may be on its way, or cut off by a death.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        *read += whole;
        for line in text[..whole].lines() {
            let line = serde_json::from_str(line).unwrap();
            let process = Arc::clone(&process);
            self.entries.push(Entry { process, line });
        }
    }
}
