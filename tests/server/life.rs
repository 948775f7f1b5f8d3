//! Lives of the test server: each ends in a kill.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use fastrand::Rng;
use folkmoot::core::port::{EventLog as _, Labels};
use folkmoot::{OpenMode, Store};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Nothing here takes this long; what does hangs.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// The ports below those that systems give to whoever connects: else a client that looks for a server which is away could
/// take its port.
const PORTS: std::ops::Range<u16> = 12_000..32_000;

/// The way in which a life ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    /// The server kills itself at the point of this name, after so many passes.
    Point { name: &'static str, passes: u64 },
    /// The server is told to end when people have seen so many more items, and kills itself meanwhile, after so many streams
    /// said good-bye.
    Drain { items: u64, passes: u64 },
    /// The server is killed from outside when people have seen so many more items.
    Instant { items: u64 },
}

impl End {
    /// The end of the life with this number: each kind has its turn.
    pub(crate) fn of(number: usize, random: &mut Rng) -> Self {
        let point = |name, passes| Self::Point { name, passes };
        match number % 7 {
            0 => point("before-append", random.u64(0..60)),
            1 => point("after-append", random.u64(0..60)),
            2 => point("before-response", random.u64(0..25)),
            3 => point("between-items", random.u64(0..12)),
            4 => point("in-draft", random.u64(0..40)),
            5 => Self::Drain {
                items: random.u64(20..100),
                passes: random.u64(0..90),
            },
            _ => Self::Instant {
                items: random.u64(1..200),
            },
        }
    }

    /// The name of the point.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Point { name, .. } => name,
            Self::Drain { .. } => "drain",
            Self::Instant { .. } => "any instant",
        }
    }

    /// The signal that brings it about, and the number of items before it; `None` if it comes by itself.
    pub(crate) const fn outer(self) -> Option<(u64, Signal)> {
        match self {
            Self::Point { .. } => None,
            Self::Drain { items, .. } => Some((items, Signal::TERM)),
            Self::Instant { items } => Some((items, Signal::KILL)),
        }
    }

    /// The point at which the server is to kill itself, as it is told.
    fn armed(self) -> Option<String> {
        match self {
            Self::Point { passes, .. } | Self::Drain { passes, .. } => {
                Some(format!("{}:{passes}", self.name()))
            }
            Self::Instant { .. } => None,
        }
    }
}

/// The folder, the addresses and the program of the servers.
pub(crate) struct Place {
    folder: TempDir,
    ports: Vec<u16>,
    /// The database that all of them share; `None`: the one server has a store in the folder.
    database: Option<String>,
}

impl Place {
    /// A place for one server.
    pub(crate) fn new() -> Self {
        Self::of(1, None)
    }

    /// A place for so many servers that share the database at a URL.
    pub(crate) fn of(servers: usize, database: Option<String>) -> Self {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let folder = folder.unwrap();
        let templates = folder.path().join("templates");
        std::fs::create_dir(&templates).unwrap();
        let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("server/templates/desk.yaml");
        std::fs::copy(template, templates.join("desk.yaml")).unwrap();
        let mut random = Rng::new();
        let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
        let mut drawn = std::iter::repeat_with(|| random.u16(PORTS));
        let mut ports = BTreeSet::new();
        while ports.len() < servers {
            ports.extend(drawn.find(is_free));
        }
        Self {
            folder,
            ports: ports.into_iter().collect(),
            database,
        }
    }

    /// The addresses of its servers.
    pub(crate) fn urls(&self) -> Vec<String> {
        let ports = self.ports.iter();
        ports
            .map(|port| format!("http://127.0.0.1:{port}"))
            .collect()
    }

    /// The lines of all runs of the tool.
    pub(crate) fn ledger(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("ledger")).unwrap_or_default()
    }

    /// The names of all worlds in the store, once no server lives.
    pub(crate) async fn worlds(&self) -> Vec<String> {
        let store = match &self.database {
            Some(url) => database::read(url).await,
            None => Store::open(self.folder.path().join("store"), OpenMode::Existing).unwrap(),
        };
        let worlds = store.worlds(&Labels::new(), None, usize::MAX).await;
        let names = worlds
            .unwrap()
            .into_iter()
            .map(|entry| entry.name.to_string());
        let names = names.collect();
        store.close().unwrap();
        names
    }

    /// Waits until the life of the server with this number listens. It catches signals by then.
    pub(crate) async fn listens(&self, server: usize) {
        let connected = async {
            while TcpStream::connect(("127.0.0.1", self.ports[server]))
                .await
                .is_err()
            {
                tokio::task::yield_now().await;
            }
        };
        timeout(DEADLINE, connected)
            .await
            .expect("the server listens in time");
    }

    /// Begins a life of the server with this number; without an `end`, one that goes on.
    pub(crate) fn begin(&self, server: usize, end: Option<End>) -> Life {
        let at = |name: &str| self.folder.path().join(name);
        let store = self
            .database
            .clone()
            .map_or_else(|| at("store"), PathBuf::from);
        let mut command = Command::new(env!("CARGO_BIN_EXE_folkmoot-test-server"));
        command
            .args([store, at("templates"), at("ledger")])
            .arg(format!("127.0.0.1:{}", self.ports[server]))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true);
        if let Some(point) = end.and_then(End::armed) {
            command.env("FOLKMOOT_POINT", point);
        }
        Life(command.spawn().unwrap())
    }
}

/// A server that lives.
pub(crate) struct Life(Child);

impl Life {
    /// Ends it from outside.
    pub(crate) fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.0.id().unwrap()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    /// Waits until it is over.
    pub(crate) async fn over(&mut self) -> ExitStatus {
        let waited = timeout(DEADLINE, self.0.wait()).await;
        waited.expect("the server ends in time").unwrap()
    }

    /// Waits until it has killed itself; false if it has not within `time`.
    #[cfg(feature = "nodes")]
    pub(crate) async fn is_over_within(&mut self, time: Duration) -> bool {
        timeout(time, self.0.wait()).await.is_ok()
    }

    /// Waits until it is killed, by itself or from outside.
    pub(crate) async fn killed(&mut self, end: End) {
        let status = self.over().await;
        assert_eq!(
            status.signal(),
            Some(Signal::KILL.as_raw()),
            "the life that was to end at {end:?} ended by itself: {status}"
        );
    }
}

#[cfg(feature = "nodes")]
mod database {
    use std::sync::Arc;

    use folkmoot::store::{PostgresLedger, SharedStore};
    use folkmoot::{OpenMode, Store};

    /// The store in the database at `url`, to read it.
    pub(super) async fn read(url: &str) -> Store {
        let url = url.parse().unwrap();
        let ledger = PostgresLedger::open(&url, OpenMode::Existing).await;
        Store::from(SharedStore::reading(Arc::new(ledger.unwrap())))
    }
}

#[cfg(not(feature = "nodes"))]
mod database {
    use folkmoot::Store;

    pub(super) async fn read(url: &str) -> Store {
        panic!("{url} is a database, and this build has no nodes")
    }
}
