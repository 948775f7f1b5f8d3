//! The end of a story: the logs of all worlds as the database has them, and all books.

use std::collections::BTreeMap;

use folkmoot::core::command::commit::{CommandKey, Commit};
use folkmoot::core::event::{CallEvent, Event, WorldEvent};
use folkmoot::core::ids::{Attempt, Digest, Incarnation, NodeId, Position, WorldId};
use folkmoot::core::port::{EventLog as _, StoredCommit};
use folkmoot::store::{PieceMax, PostgresLedger, Rows as _, SharedStore};
use folkmoot::{CallId, RequestId};
use folkmoot_tests::repeats_of;
use futures::TryStreamExt as _;

use crate::books::Entry;

/// All that a checker judges.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    pub(crate) worlds: BTreeMap<WorldId, Log>,
    pub(crate) entries: Vec<Entry>,
}

/// The log of a world.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Log {
    pub(crate) commits: Vec<Logged>,
    /// Calls of the unrepeatable tool that were started twice with nobody saying in between that they may be.
    pub(crate) repeated: Vec<CallId>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logged {
    pub(crate) first: Position,
    pub(crate) last: Position,
    pub(crate) incarnation: Incarnation,
    pub(crate) link: Digest,
    /// The key that a client gave it.
    pub(crate) key: Option<String>,
    pub(crate) facts: Vec<Fact>,
}

/// An event that matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fact {
    Opened {
        incarnation: Incarnation,
        node: NodeId,
    },
    Started {
        call: CallId,
        attempt: Attempt,
        incarnation: Incarnation,
    },
    /// Nobody knows the outcome of a call.
    Unknown(CallId),
    Decided(RequestId),
}

impl Fact {
    fn of(event: &Event) -> Option<Self> {
        match event {
            Event::World(WorldEvent::Opened(opened)) => Some(Self::Opened {
                incarnation: opened.incarnation,
                node: opened.node,
            }),
            Event::Call(CallEvent::ToolStarted(started)) => Some(Self::Started {
                call: started.call,
                attempt: started.attempt,
                incarnation: started.incarnation,
            }),
            Event::Call(CallEvent::OutcomeUnknown(unknown)) => Some(Self::Unknown(unknown.call)),
            Event::Call(CallEvent::ApprovalDecided(done)) => Some(Self::Decided(done.request)),
            _ => None,
        }
    }
}

impl History {
    /// The history of these worlds.
    pub(crate) async fn read(
        ledger: &PostgresLedger,
        store: &SharedStore,
        worlds: impl IntoIterator<Item = WorldId>,
        entries: Vec<Entry>,
    ) -> Self {
        let mut logs = BTreeMap::new();
        for world in worlds {
            logs.insert(world, Log::read(ledger, store, world).await);
        }
        Self {
            worlds: logs,
            entries,
        }
    }

    /// The facts of all worlds.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (WorldId, &Fact)> {
        let worlds = self.worlds.iter();
        worlds.flat_map(|(world, log)| {
            let facts = log.commits.iter().flat_map(|commit| &commit.facts);
            facts.map(|fact| (*world, fact))
        })
    }

    /// The number of runs whose outcome nobody knew.
    pub(crate) fn unknown(&self) -> usize {
        let unknown = self.facts();
        unknown
            .filter(|(_, fact)| matches!(fact, Fact::Unknown(_)))
            .count()
    }
}

impl Log {
    /// Reads the rows, and what the store makes of them: both must say the same.
    async fn read(ledger: &PostgresLedger, store: &SharedStore, world: WorldId) -> Self {
        let stored = store.read(world, Position::new(1)).await.unwrap();
        let stored: Vec<StoredCommit> = stored.try_collect().await.unwrap();
        let mut commits: Vec<Logged> = Vec::new();
        let most = PieceMax {
            rows: 1_000,
            bytes: 4 << 20,
        };
        let mut from = Position::new(1);
        loop {
            let rows = ledger.read(world, from, most).await.unwrap();
            let Some(end) = rows.last() else {
                break;
            };
            from = end.last.next();
            for row in rows {
                let stored = &stored[commits.len()];
                assert_eq!(
                    &row.record[4..36],
                    stored.link.as_bytes(),
                    "{world} {}",
                    row.first
                );
                assert_eq!(row.first, stored.commit.header.first, "{world}");
                commits.push(Logged {
                    last: row.last,
                    ..Logged::of(stored, row.incarnation)
                });
            }
        }
        assert_eq!(commits.len(), stored.len(), "{world}");
        let stored: Vec<Commit> = stored.into_iter().map(|stored| stored.commit).collect();
        let repeated = repeats_of(&stored);
        Self { commits, repeated }
    }
}

impl Logged {
    fn of(stored: &StoredCommit, incarnation: Incarnation) -> Self {
        let StoredCommit { commit, link } = stored;
        let key = match commit.header.key.as_ref().map(|keyed| &keyed.key) {
            Some(CommandKey::Client(key)) => Some(key.clone()),
            Some(CommandKey::Step(_)) | None => None,
        };
        let events = u64::try_from(commit.events.len()).unwrap();
        Self {
            first: commit.header.first,
            last: commit.header.first.plus(events - 1),
            incarnation,
            link: *link,
            key,
            facts: commit.events.iter().filter_map(Fact::of).collect(),
        }
    }
}
