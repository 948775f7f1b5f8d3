//! Commits to append, and engines to append them to.

use std::path::Path;
use std::sync::Arc;

use folkmoot_core::command::CommandKind;
use folkmoot_core::command::commit::{CommandKey, Commit, CommitHeader, Keyed};
use folkmoot_core::content::Content;
use folkmoot_core::event::{
    Author, ClockKind, Event, MessageBody, MessagePosted, Opened, TalkEvent, WarningRecorded,
    WorldEvent, WorldOpened,
};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{
    Digest, Incarnation, MessageId, NodeId, PersonName, Position, Seed, Stamp, Time, WorldId,
    WorldName,
};
use folkmoot_core::port::{Appended, EventLog, ReadError, StoredCommit};
use folkmoot_core::spec::{SpecText, WorldSpec};
use folkmoot_store::{EngineKind, MemoryLedger, OpenMode, SharedStore, Store};
use futures::StreamExt as _;

pub(crate) const FIRST: Incarnation = Incarnation(1);

/// The `number`-th world of a test.
pub(crate) fn world(number: u8) -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([number; 16]),
    })
}

pub(crate) fn name(number: u8) -> WorldName {
    WorldName::new(format!("world-{number}")).unwrap()
}

pub(crate) fn key(word: &str) -> CommandKey {
    CommandKey::Client(word.to_owned())
}

pub(crate) fn keyed(word: &str, asks: &str) -> Keyed {
    Keyed {
        key: key(word),
        digest: Digest::of(&[asks.as_bytes()]),
    }
}

pub(crate) fn header(world: WorldId, first: u64) -> CommitHeader {
    CommitHeader {
        world,
        first: Position::new(first),
        stamp: Stamp {
            time: Time(Time::SIMULATED_START.0 + first),
            seed: Seed::new([first as u8; 16]),
        },
        principal: Principal::World,
        cause: None,
        key: None,
        decider: Digest::of(&[b"rules"]),
        command: CommandKind::PostMessage,
        residual: None,
    }
}

/// The first commit of a world: two events.
pub(crate) fn creation(number: u8) -> Commit {
    creation_called(world(number), name(number))
}

pub(crate) fn creation_called(world: WorldId, name: WorldName) -> Commit {
    let spec = Box::<WorldSpec>::default();
    let opened = WorldOpened {
        world,
        name,
        clock: ClockKind::Simulated,
        decider: Digest::of(&[b"rules"]),
        base: None,
        source: None,
        spec_digest: Digest::of(&[b"spec"]),
        spec,
        text: Content::Present(SpecText::default()),
    };
    Commit {
        header: header(world, 1),
        events: vec![Event::World(WorldEvent::WorldOpened(opened)), opening(1)],
    }
}

pub(crate) fn opening(incarnation: u32) -> Event {
    let node = NodeId::from_stamp(&Stamp {
        time: Time(7),
        seed: Seed::new([7; 16]),
    });
    Event::World(WorldEvent::Opened(Opened {
        incarnation: Incarnation(incarnation),
        node,
        base: None,
        signer: None,
    }))
}

pub(crate) fn warning(code: &str) -> Event {
    Event::World(WorldEvent::WarningRecorded(WarningRecorded {
        code: code.to_owned(),
        agent: None,
    }))
}

pub(crate) fn message(text: impl Into<String>, at: u64) -> Event {
    Event::Talk(TalkEvent::MessagePosted(MessagePosted::said(
        MessageId(Position::new(at)),
        Author::Person(PersonName::new("Ada").unwrap()),
        None,
        MessageBody::text(text.into()),
    )))
}

/// A commit of one message at `first`.
pub(crate) fn post(number: u8, first: u64) -> Commit {
    say(
        number,
        first,
        format!("message {first} of world {number}, with a few words around it"),
    )
}

pub(crate) fn say(number: u8, first: u64, text: impl Into<String>) -> Commit {
    Commit {
        header: header(world(number), first),
        events: vec![message(text, first)],
    }
}

pub(crate) fn with_key(mut commit: Commit, keyed: Keyed) -> Commit {
    commit.header.key = Some(keyed);
    commit
}

/// Appends, and says that it must be new.
pub(crate) async fn append(log: &dyn EventLog, commit: Commit) -> Digest {
    match log.append(FIRST, vec![commit]).await.unwrap() {
        Appended::Committed { link } => link,
        Appended::Repeated(stored) => panic!("repeats {stored:?}"),
    }
}

/// Makes world `number` with messages up to event `head`; gives all its commits.
pub(crate) async fn fill(log: &dyn EventLog, number: u8, head: u64) -> Vec<Commit> {
    let mut commits = vec![creation(number)];
    commits.extend((3..=head).map(|first| post(number, first)));
    for commit in &commits {
        append(log, commit.clone()).await;
    }
    commits
}

pub(crate) async fn try_read(
    log: &dyn EventLog,
    number: u8,
    from: u64,
) -> Result<Vec<StoredCommit>, ReadError> {
    let mut stream = log.read(world(number), Position::new(from)).await?;
    let mut commits = Vec::new();
    while let Some(commit) = stream.next().await {
        commits.push(commit?);
    }
    Ok(commits)
}

pub(crate) async fn read(log: &dyn EventLog, number: u8, from: u64) -> Vec<Commit> {
    bare(try_read(log, number, from).await.unwrap())
}

pub(crate) fn bare(stored: impl IntoIterator<Item = StoredCommit>) -> Vec<Commit> {
    stored.into_iter().map(|stored| stored.commit).collect()
}

/// A store over a ledger that nobody else has, with keys in the folder `home`.
pub(crate) fn shared(home: &Path) -> Store {
    let node = NodeId::from_stamp(&header(world(1), 1).stamp);
    SharedStore::with_keys(Arc::new(MemoryLedger::default()), node, home).into()
}

/// A store on disk that can be closed and opened again.
pub(crate) struct OnDisk {
    pub(crate) dir: tempfile::TempDir,
    kind: EngineKind,
}

impl OnDisk {
    pub(crate) fn new() -> Self {
        Self::of(EngineKind::Sled)
    }

    pub(crate) fn of(kind: EngineKind) -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            kind,
        }
    }

    pub(crate) fn open(&self) -> Store {
        Store::open_with(self.dir.path().join("store"), OpenMode::Create, self.kind).unwrap()
    }

    /// A copy of the files as they are now: what a kill would leave.
    pub(crate) fn killed(&self) -> Self {
        let copy = Self::of(self.kind);
        copy_folder(
            &self.dir.path().join("store"),
            &copy.dir.path().join("store"),
        );
        copy
    }
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
