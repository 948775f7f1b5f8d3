//! Real logs, several in one store, with signed heads: partly in runs, partly in shared frames.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use folkmoot_core::command::CommandKind;
use folkmoot_core::command::commit::{Commit, CommitHeader};
use folkmoot_core::event::{
    Event, EventRecord, HeadSigned, Occasion, Opened, StoredContent, WorldEvent,
};
use folkmoot_core::ids::{Incarnation, NodeId, Position, Stamp, WorldId};
use folkmoot_core::port::{Appended, Custody as _, EventLog as _};
use folkmoot_proof::note::{Checkpoint, SignerKey};
use futures::executor::block_on;
use serde_json::Value;

use super::random::Random;
use crate::engine::Engine;
use crate::engines::MemoryEngine;
use crate::{lift, local::LocalStore};

const SCRIPTS: [&str; 8] = [
    "compacted",
    "debate",
    "denied",
    "fan-in",
    "handoff",
    "people",
    "release-room",
    "revised",
];

/// Reads a log as the tests of all crates keep them.
pub(super) fn golden(script: &str) -> Vec<Commit> {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/golden/v3/{script}.jsonl"));
    std::fs::read_to_string(file)
        .unwrap()
        .lines()
        .map(commit)
        .collect()
}

fn commit(line: &str) -> Commit {
    let line: Value = serde_json::from_str(line).unwrap();
    let header: CommitHeader = serde_json::from_value(line["header"].clone()).unwrap();
    let event = |event: &Value| {
        let number = |key: &str| u16::try_from(event[key].as_u64().unwrap()).unwrap();
        let content = match event.get("content") {
            None => StoredContent::None,
            Some(content) => StoredContent::Present(content.to_string().into_bytes()),
        };
        let facts = event["facts"].to_string().into_bytes();
        let record = EventRecord {
            kind: number("kind"),
            version: number("version"),
            facts,
            content,
        };
        Event::from_record(lift(record).unwrap()).unwrap()
    };
    Commit {
        header,
        events: line["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(event)
            .collect(),
    }
}

/// The key that signs in these tests.
pub(super) fn signer() -> SignerKey {
    SignerKey::generate("logs.example", &[7; 32]).unwrap()
}

/// A store under way.
pub(super) struct Site {
    pub(super) engine: Arc<MemoryEngine>,
    store: LocalStore,
    heads: BTreeMap<WorldId, (u64, Incarnation)>,
    last: BTreeMap<WorldId, CommitHeader>,
}

impl Site {
    pub(super) fn new() -> Self {
        let engine = Arc::new(MemoryEngine::new());
        let store = LocalStore::with_engine(Arc::clone(&engine) as Arc<dyn Engine>).unwrap();
        Self {
            engine,
            store,
            heads: BTreeMap::new(),
            last: BTreeMap::new(),
        }
    }

    /// Appends a commit at its world's end, whatever position it had.
    pub(super) fn append(&mut self, mut commit: Commit) {
        let world = commit.header.world;
        let (head, incarnation) = self
            .heads
            .get(&world)
            .copied()
            .unwrap_or((0, Incarnation(0)));
        commit.header.first = Position::new(head + 1);
        self.last.insert(world, commit.header.clone());
        let opened = commit.events.iter().find_map(|event| {
            if let Event::World(WorldEvent::Opened(opened)) = event {
                Some(opened.incarnation)
            } else {
                None
            }
        });
        self.heads
            .insert(world, (commit.last().get(), opened.unwrap_or(incarnation)));
        let appended = block_on(self.store.append(incarnation, vec![commit])).unwrap();
        assert!(matches!(appended, Appended::Committed { .. }));
    }

    fn event(&mut self, world: WorldId, command: CommandKind, event: Event) {
        let header = CommitHeader {
            command,
            key: None,
            cause: None,
            residual: None,
            ..self.last[&world].clone()
        };
        self.append(Commit {
            header,
            events: vec![event],
        });
    }

    pub(super) fn sign(&mut self, world: WorldId, occasion: Occasion) {
        let head = block_on(self.store.tree_head(world)).unwrap();
        let checkpoint = Checkpoint::of_world(
            *world.0.as_bytes(),
            head.commits,
            *head.root.as_bytes(),
            head.of.get(),
        );
        let note = checkpoint.sign(&signer()).unwrap().to_string();
        let signature = note.trim_end().rsplit(' ').next().unwrap().to_owned();
        let key = format!("{}+{}", signer().name(), signer().id());
        self.event(
            world,
            CommandKind::Sign,
            Event::World(WorldEvent::HeadSigned(HeadSigned {
                head,
                key,
                signature,
                occasion,
            })),
        );
    }

    pub(super) fn open(&mut self, world: WorldId) {
        let incarnation = self.heads[&world].1.next();
        let stamp: Stamp = self.last[&world].stamp;
        let opened = Opened {
            incarnation,
            node: NodeId::from_stamp(&stamp),
            base: None,
            signer: None,
        };
        self.event(
            world,
            CommandKind::Open,
            Event::World(WorldEvent::Opened(opened)),
        );
    }

    /// Copies everything into runs.
    pub(super) fn reopen(&mut self) {
        self.store.close().unwrap();
        self.store = LocalStore::with_engine(Arc::clone(&self.engine) as Arc<dyn Engine>).unwrap();
    }

    /// The anchor of a world as it stands.
    pub(super) fn anchor(&self, world: WorldId) -> Vec<u8> {
        let head = block_on(self.store.tree_head(world)).unwrap();
        let checkpoint = Checkpoint::of_world(
            *world.0.as_bytes(),
            head.commits,
            *head.root.as_bytes(),
            head.of.get(),
        );
        checkpoint.sign(&signer()).unwrap().to_string().into_bytes()
    }

    pub(super) fn store(&self) -> &LocalStore {
        &self.store
    }
}

/// What a test starts from.
pub(super) struct Logs {
    pub(super) site: Site,
    pub(super) worlds: Vec<WorldId>,
    /// The one that is closed; its last event is a signed head.
    pub(super) closed: WorldId,
}

/// Three worlds of real logs. Their heads are signed now and then, and at the end of the first one; a part of each is in
/// shared frames, but of the last one nothing is.
pub(super) fn logs(random: &mut Random) -> Logs {
    let first = random.within(0, SCRIPTS.len());
    let mut scripts: Vec<Vec<Commit>> = (0..3)
        .map(|at| golden(SCRIPTS[(first + at) % SCRIPTS.len()]))
        .collect();
    let worlds: Vec<WorldId> = scripts
        .iter()
        .map(|commits| commits[0].header.world)
        .collect();
    let mut site = Site::new();
    let rest: Vec<Vec<Commit>> = scripts
        .iter_mut()
        .zip([random.within(4, 9), random.within(4, 9), usize::MAX])
        .map(|(commits, in_runs)| commits.split_off(in_runs.min(commits.len())))
        .collect();
    for part in [scripts, rest] {
        mix(&mut site, part, random);
        if site.store().stats().unwrap().frames_shared > 0 && part_is_first(&site) {
            site.reopen();
        }
    }
    let closed = worlds[0];
    site.sign(closed, Occasion::Close);
    Logs {
        site,
        worlds,
        closed,
    }
}

fn part_is_first(site: &Site) -> bool {
    let stats = site.store().stats().unwrap();
    stats.frames == stats.frames_shared
}

/// Appends the commits of several worlds in turn, and signs heads in between.
fn mix(site: &mut Site, scripts: Vec<Vec<Commit>>, random: &mut Random) {
    let mut scripts: Vec<_> = scripts.into_iter().map(Vec::into_iter).collect();
    while scripts.iter().any(|commits| commits.len() > 0) {
        let at = random.within(0, scripts.len());
        let Some(commit) = scripts[at].next() else {
            continue;
        };
        let world = commit.header.world;
        site.append(commit);
        if random.within(0, 5) == 0 {
            site.sign(world, Occasion::Count);
        }
    }
}
