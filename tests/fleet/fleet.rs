//! A server, nodes over it, and a process beside them that asks and looks: that of the test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use folkmoot::core::ids::{NodeId, WorldId};
use folkmoot::port::{Members as _, NoTenure, Tenure, Tenures};
use folkmoot::store::{PostgresLedger, Register as _, SharedStore};
use folkmoot::{NodeProfile, OpenMode, Opening, Runtime, WorldName};
use futures::StreamExt as _;
use tokio::sync::MutexGuard;

use crate::books::{Book, Books, Entry, Line, Moment};
use crate::checker::{faults, late_runs};
use crate::history::History;
use crate::house::{Consent, room};
use crate::node::{Member, Process};
use crate::server::Server;
use crate::wait::{until, within};

/// The turn of a test: fleets are large, and times are printed.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// The processes, as it were, from which worlds are asked: one of them asks one thing after the other.
const OUTSIDERS: usize = 4;

/// A fleet.
pub(crate) struct Fleet {
    pub(crate) nodes: Vec<Process>,
    pub(crate) ledger: Arc<PostgresLedger>,
    /// Whoever asks worlds from outside, and never holds one: each as a process of its own has it.
    pub(crate) outsiders: Vec<Runtime>,
    /// The book of this process.
    pub(crate) book: Book,
    pub(crate) books: Arc<Mutex<Books>>,
    pub(crate) worlds: BTreeMap<WorldId, WorldName>,
    started: usize,
    url: String,
    folder: tempfile::TempDir,
    pub(crate) server: Server,
    _turn: MutexGuard<'static, ()>,
}

impl Fleet {
    /// A fleet without nodes, with so many worlds that nobody holds; `None`, and says so, where PostgreSQL is missing.
    pub(crate) async fn with(test: &str, worlds: usize, consent: Consent) -> Option<Self> {
        let turn = TURN.lock().await;
        let server = Server::start(test)?;
        let url = server.url();
        let folder = tempfile::Builder::new()
            .prefix("fm-fleet")
            .tempdir()
            .unwrap();
        let ledger = open(&url, OpenMode::Create).await;
        let mut outsiders = Vec::new();
        for _ in 0..OUTSIDERS {
            outsiders.push(outsider(&url).await);
        }
        let mut fleet = Self {
            nodes: Vec::new(),
            outsiders,
            book: Book::open(folder.path(), "clients"),
            books: Arc::new(Mutex::new(Books::of(folder.path()))),
            worlds: BTreeMap::new(),
            started: 0,
            ledger,
            url,
            folder,
            server,
            _turn: turn,
        };
        within("the worlds begin", fleet.found(worlds, consent)).await;
        Some(fleet)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The URL of the database behind another port.
    pub(crate) fn url_at(&self, port: u16) -> String {
        let own = format!(":{}/", self.server.port);
        self.url.replace(&own, &format!(":{port}/"))
    }

    /// Begins worlds, and leaves them asleep.
    async fn found(&mut self, worlds: usize, consent: Consent) {
        let profile = NodeProfile {
            room: 0,
            ..NodeProfile::named("founder")
        };
        let founder = Member::join(Arc::clone(&self.ledger), profile, self.folder()).await;
        let runtime = founder.runtime.clone();
        let definition = room(consent, self.folder(), ("clients", &self.book)).definition();
        let begun = futures::stream::iter(0..worlds).map(|number| {
            let name = WorldName::new(format!("room-{number}")).unwrap();
            let opening = Opening::with(name, definition.clone());
            let runtime = runtime.clone();
            async move {
                let name = opening.name.clone();
                let _world = runtime.open(opening).await.unwrap();
                runtime.close(&name).await;
                name
            }
        });
        let names: Vec<WorldName> = begun.buffer_unordered(8).collect().await;
        for name in names {
            let entry = self.ledger.find(&name).await.unwrap().unwrap();
            self.worlds.insert(entry.world, name);
        }
        founder.leave().await;
    }

    /// Starts so many nodes, and waits until they are members.
    pub(crate) async fn start(&mut self, count: usize) {
        let url = self.url.clone();
        self.start_at((0..count).map(|_| url.clone())).await;
    }

    /// The same, each at a URL of its own.
    pub(crate) async fn start_at(&mut self, urls: impl Iterator<Item = String>) {
        let mut names = Vec::new();
        for url in urls {
            let name = format!("node-{}", self.started);
            self.started += 1;
            let node = Process::start(&name, &url, self.folder());
            self.nodes.push(node);
            names.push(name);
        }
        for name in names {
            self.wait_for_member(&name).await;
        }
    }

    pub(crate) async fn wait_for_member(&self, name: &str) {
        until("a node is a member", async || {
            let ids = self.ids_of(name).await?;
            (!ids.is_empty()).then_some(())
        })
        .await;
    }

    /// The ids of the members of this name; `None` if nobody says so.
    pub(crate) async fn ids_of(&self, name: &str) -> Option<BTreeSet<NodeId>> {
        let nodes = self.ledger.nodes().await.ok()?;
        let own = nodes.into_iter().filter(|node| node.card.name == name);
        Some(own.map(|node| node.card.node).collect())
    }

    /// The worlds that the process of this name holds.
    pub(crate) async fn held_by(&self, name: &str) -> BTreeSet<WorldId> {
        let mut held = BTreeSet::new();
        for id in self.ids_of(name).await.unwrap() {
            held.extend(self.ledger.held(id).await.unwrap());
        }
        held
    }

    /// Waits until all worlds are held by somebody.
    pub(crate) async fn wait_for_holders(&self) {
        until("all worlds are held", async || {
            let nodes = self.ledger.nodes().await.ok()?;
            let held: u64 = nodes.iter().map(|node| node.held).sum();
            (held == self.worlds.len() as u64).then_some(())
        })
        .await;
    }

    /// Waits until there is something among all lines, whoever wrote them.
    pub(crate) async fn wait_for_lines<T>(
        &self,
        what: &str,
        mut find: impl FnMut(&Entry) -> Option<T>,
    ) -> T {
        let mut read = 0;
        until(what, async || {
            let mut books = self.books.lock().unwrap();
            books.refresh();
            let found = books.entries[read..].iter().find_map(&mut find);
            read = books.entries.len();
            found
        })
        .await
    }

    /// Waits until all of these worlds were opened since by another process than that of this name; says when.
    pub(crate) async fn wait_for_takers(
        &self,
        worlds: &BTreeSet<WorldId>,
        name: &str,
        since: Moment,
    ) -> BTreeMap<WorldId, Moment> {
        let mut taken = BTreeMap::new();
        if worlds.is_empty() {
            return taken;
        }
        self.wait_for_lines("the worlds are another's", |entry| {
            if let Line::Acknowledged(line) = &entry.line
                && line.when > since
                && &*entry.process != name
                && worlds.contains(&line.world)
            {
                taken.entry(line.world).or_insert(line.when);
            }
            (taken.len() == worlds.len()).then(|| taken.clone())
        })
        .await
    }

    /// Waits until somebody was told something in each world since.
    pub(crate) async fn wait_for_answers(&self) {
        let since = Moment::now();
        let mut silent: BTreeSet<WorldId> = self.worlds.keys().copied().collect();
        self.wait_for_lines("all worlds answer", |entry| {
            if let Line::Told { world, when, .. } = &entry.line
                && *when > since
            {
                silent.remove(world);
            }
            silent.is_empty().then_some(())
        })
        .await;
    }

    /// Ends all nodes at once, and judges all that was logged, acknowledged, told and seen. Gives the history.
    pub(crate) async fn judge(mut self) -> History {
        for node in self.nodes.drain(..) {
            node.kill();
        }
        let entries = {
            let mut books = self.books.lock().unwrap();
            books.refresh();
            std::mem::take(&mut books.entries)
        };
        let store = SharedStore::reading(Arc::clone(&self.ledger) as _);
        let worlds = self.worlds.keys().copied();
        let history = History::read(&self.ledger, &store, worlds, entries).await;
        let found = faults(&history);
        let commits: usize = history.worlds.values().map(|log| log.commits.len()).sum();
        let count = |is: fn(&Line) -> bool| {
            let lines = history.entries.iter().map(|entry| &entry.line);
            lines.filter(|line| is(line)).count()
        };
        println!(
            "  {commits} commits, {} acknowledged appends, {} messages told, {} looks, {} runs, {} outcomes unknown, \
             {} runs behind a later opening: {} faults",
            count(|line| matches!(line, Line::Acknowledged(_))),
            count(|line| matches!(line, Line::Told { .. })),
            count(|line| matches!(line, Line::Saw(_))),
            count(|line| matches!(line, Line::Began(_))),
            history.unknown(),
            late_runs(&history.entries).len(),
            found.len(),
        );
        assert_eq!(found, BTreeSet::new());
        history
    }
}

async fn open(url: &str, mode: OpenMode) -> Arc<PostgresLedger> {
    let ledger = PostgresLedger::open(&url.parse().unwrap(), mode).await;
    Arc::new(ledger.unwrap())
}

async fn outsider(url: &str) -> Runtime {
    let ledger = open(url, OpenMode::Existing).await;
    Runtime::builder(&SharedStore::reading(Arc::clone(&ledger) as _))
        .tenures(Arc::new(Outsider))
        .inbox(ledger as _)
        .build()
}

/// The membership of somebody who is none of the nodes: it gets no world.
#[derive(Debug)]
struct Outsider;

#[async_trait]
impl Tenures for Outsider {
    async fn take(&self, _world: WorldId) -> Result<Arc<dyn Tenure>, NoTenure> {
        Err(NoTenure::TakesNone("it only asks".to_owned()))
    }
}
