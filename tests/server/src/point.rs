//! The points at which the server kills itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Signal, getpid, kill_process};

/// A point of the server's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// A commit is decided, and not appended.
    BeforeAppend,
    /// A commit is durable, and nobody was told.
    AfterAppend,
    /// A command is done, and its answer is not sent.
    BeforeResponse,
    /// The first item of an event was sent, and the next one not.
    BetweenItems,
    /// A piece of a draft was sent.
    InDraft,
    /// The server ends: a stream says good-bye, a world writes its last, all worlds are closed.
    Drain,
}

/// The names of the points, as the environment has them.
const NAMES: [(&str, Point); 6] = [
    ("before-append", Point::BeforeAppend),
    ("after-append", Point::AfterAppend),
    ("before-response", Point::BeforeResponse),
    ("between-items", Point::BetweenItems),
    ("in-draft", Point::InDraft),
    ("drain", Point::Drain),
];

/// The point that is armed. All clones are one.
#[derive(Debug, Clone)]
pub(crate) struct Points(Arc<Option<Armed>>);

#[derive(Debug)]
struct Armed {
    point: Point,
    /// The number of times that it is still passed.
    passes: AtomicU64,
}

impl Points {
    /// The point of `FOLKMOOT_POINT`, as `NAME:PASSES`: the server dies when it comes there after so many passes. Without
    /// that variable, it dies nowhere.
    pub(crate) fn armed() -> Self {
        let armed = std::env::var("FOLKMOOT_POINT").ok().map(|text| {
            let (name, passes) = text.split_once(':').expect("NAME:PASSES");
            let known = NAMES.iter().find(|(known, _)| *known == name);
            let (_, point) = known.unwrap_or_else(|| panic!("no point is called {name}"));
            let passes = passes.parse().expect("a number of passes");
            Armed {
                point: *point,
                passes: AtomicU64::new(passes),
            }
        });
        Self(Arc::new(armed))
    }

    /// Tells whether the server is to die at `point` now, at the latest: it came there often enough.
    pub(crate) fn is_due(&self, point: Point) -> bool {
        self.0.as_ref().as_ref().is_some_and(|armed| {
            armed.point == point
                && armed
                    .passes
                    .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                        left.checked_sub(1)
                    })
                    .is_err()
        })
    }

    /// Dies at `point` if it is time.
    pub(crate) fn pass(&self, point: Point) {
        if self.is_due(point) {
            die();
        }
    }

    /// Dies at `point` if it is armed, however often it was passed: it does not come again.
    pub(crate) fn last(&self, point: Point) {
        if self
            .0
            .as_ref()
            .as_ref()
            .is_some_and(|armed| armed.point == point)
        {
            die();
        }
    }
}

/// Dies as from outside: nothing is flushed, closed or told.
pub(crate) fn die() -> ! {
    kill_process(getpid(), Signal::KILL).expect("a process may kill itself");
    loop {
        std::thread::park();
    }
}
