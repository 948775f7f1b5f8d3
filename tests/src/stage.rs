//! A script in a copy of its folder, with a store.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(feature = "nodes")]
use std::time::Duration;

use folkmoot::run::{Report, RunError, RunOptions, Unwatched, run_script};
use folkmoot::script::Script;
use folkmoot::store::OpenMode;
use folkmoot::{Gatekeeper, HeadSigner, Perform, ProcessHost, Runtime, Shipped, Store};
#[cfg(feature = "nodes")]
use folkmoot::{
    Membership, NodeProfile, Timings,
    port::Offer,
    store::{PostgresLedger, PostgresUrl},
};
use tempfile::TempDir;

use crate::probe::{Probe, Probed};

/// Where a stage keeps its store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// In memory: reopening keeps the store and drops everything above it.
    InMemory,
    /// On disk: reopening closes the store and opens its folder again.
    OnDisk,
    /// In a database: reopening ends the node that it was, and joins as another one.
    #[cfg(feature = "nodes")]
    InDatabase,
}

/// A script in its own copy of its folder.
#[derive(Debug)]
pub struct Stage {
    folder: TempDir,
    origin: PathBuf,
    kept: Kept,
    store: Store,
    openings: AtomicU64,
    signer: Option<Arc<HeadSigner>>,
    #[cfg(feature = "nodes")]
    place: Option<Place>,
    /// The script.
    pub script: Script,
    /// Watches its tools, across all runtimes.
    pub probe: Probe,
}

impl Stage {
    /// Copies the folder of the script `file` and reads it there.
    #[must_use]
    pub fn of(file: &Path, kept: Kept) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let store = open(&folder, kept);
        Self::with(file, folder, kept, store)
    }

    /// The same with its store in the database at `url`.
    #[cfg(feature = "nodes")]
    pub async fn in_database(file: &Path, url: &PostgresUrl) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let place = Place::join(url, &folder).await;
        let stage = Self::with(file, folder, Kept::InDatabase, place.membership.store());
        Self {
            place: Some(place),
            ..stage
        }
    }

    fn with(file: &Path, folder: TempDir, kept: Kept, store: Store) -> Self {
        let origin = file.parent().expect("a script lies in a folder").to_owned();
        let base = folder.path().join("worlds");
        copy(&origin, &base);
        let script = Script::load(&base.join(file.file_name().expect("a script has a name")));
        let script = script.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let (openings, probe) = (AtomicU64::new(0), Probe::default());
        Self {
            folder,
            origin,
            kept,
            store,
            openings,
            signer: None,
            #[cfg(feature = "nodes")]
            place: None,
            script,
            probe,
        }
    }

    /// The same, with a key that signs heads of its world's log.
    #[must_use]
    pub fn signed_with(self, signer: &Arc<HeadSigner>) -> Self {
        Self {
            signer: Some(Arc::clone(signer)),
            ..self
        }
    }

    /// The same folder as it was at first, with a new store in memory.
    #[must_use]
    pub fn again(self) -> Self {
        let Self {
            folder,
            origin,
            signer,
            script,
            ..
        } = self;
        let base = folder.path().join("worlds");
        fs::remove_dir_all(&base).expect("the folder can be removed");
        copy(&origin, &base);
        let (kept, store) = (Kept::InMemory, Store::memory());
        let (openings, probe) = (AtomicU64::new(0), Probe::default());
        Self {
            folder,
            origin,
            kept,
            store,
            openings,
            signer,
            #[cfg(feature = "nodes")]
            place: None,
            script,
            probe,
        }
    }

    /// Where it keeps its store.
    #[must_use]
    pub const fn kept(&self) -> Kept {
        self.kept
    }

    /// The store.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// A runtime over the store behind `gate`. Its seeds are the same every time, and other ones for each runtime.
    pub fn runtime(&self, helper: &Path, gate: Arc<dyn Gatekeeper>) -> Runtime {
        let opening = self.openings.fetch_add(1, Ordering::SeqCst);
        let probed = Probed {
            shipped: Shipped::default(),
            probe: self.probe.clone(),
        };
        let host = ProcessHost::new(helper, self.folder.path().join("locks"));
        let builder = Runtime::builder(&self.store)
            .assembler(probed)
            .host(Arc::new(host))
            .counted_seeds(opening.saturating_mul(1_000_000).saturating_add(1));
        #[cfg(feature = "nodes")]
        let builder = match &self.place {
            Some(place) => place.membership.introduce(builder),
            None => builder,
        };
        let runtime = match &self.signer {
            Some(signer) => builder.signer(Arc::clone(signer) as _).build(),
            None => builder.build(),
        };
        runtime.through(gate)
    }

    /// Runs the script, outcomes in the order in which the work was begun.
    ///
    /// # Errors
    /// Those of the run.
    pub async fn run(&self, runtime: &Runtime) -> Result<Report, RunError> {
        let options = RunOptions {
            perform: Perform::InOrder,
            ..RunOptions::default()
        };
        Box::pin(run_script(runtime, &self.script, &options, &mut Unwatched)).await
    }

    /// Opens the store again, as the next process would.
    pub async fn reopen(&mut self) {
        match self.kept {
            Kept::InMemory => {}
            Kept::OnDisk => {
                self.store.close().expect("the store closes");
                self.store = open(&self.folder, self.kept);
            }
            #[cfg(feature = "nodes")]
            Kept::InDatabase => {
                let Place { url, membership } = self.place.take().expect("it has a place");
                drop(membership);
                let place = Place::join(&url, &self.folder).await;
                self.store = place.membership.store();
                self.place = Some(place);
            }
        }
    }

    /// The files of the script's folder, less the scripts. The lines of counts hold ids: of `*.count` only how often each
    /// key was counted, in order; of `*.keys`, written by tools that may run again under one key, only how many there are. The
    /// lines of `*.txt` are sorted: calls of one answer write at once.
    #[must_use]
    pub fn files(&self) -> BTreeMap<PathBuf, String> {
        let base = self.folder.path().join("worlds");
        let mut files = BTreeMap::new();
        list(&base, &mut |path| {
            let text = fs::read_to_string(path).expect("the file is text");
            let name = path
                .strip_prefix(&base)
                .expect("the file lies beneath")
                .to_owned();
            match path.extension().and_then(std::ffi::OsStr::to_str) {
                Some("yaml") => None,
                Some("count") => files.insert(name, format!("{:?}", counts(&text))),
                Some("keys") => files.insert(name, counts(&text).len().to_string()),
                Some("txt") => files.insert(name, sorted(&text)),
                Some(_) | None => files.insert(name, text),
            };
        });
        files
    }
}

/// A place among the nodes of a database.
#[cfg(feature = "nodes")]
#[derive(Debug)]
struct Place {
    url: PostgresUrl,
    membership: Membership,
}

#[cfg(feature = "nodes")]
impl Place {
    /// Joins as a node that has the folder of the script.
    async fn join(url: &PostgresUrl, folder: &TempDir) -> Self {
        let base = folder.path().join("worlds");
        let ledger = PostgresLedger::open(url, OpenMode::Create).await;
        let ledger = Arc::new(ledger.expect("the database opens"));
        let profile = NodeProfile {
            room: 0,
            offers: [Offer::Base(&base.display().to_string()).to_string()].into(),
            // A slow machine is not to be taken for one that died.
            timings: Timings {
                act: Duration::from_secs(50),
                ttl: Duration::from_secs(60),
                ..Timings::default()
            },
            ..NodeProfile::named("stage")
        };
        let membership = Membership::join(ledger, profile).await;
        let mut membership = membership.expect("the node joins");
        membership.visit();
        Self {
            url: url.clone(),
            membership,
        }
    }
}

fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn counts(text: &str) -> Vec<u32> {
    let mut keys: BTreeMap<&str, u32> = BTreeMap::new();
    for (key, _attempt) in text.lines().filter_map(|line| line.rsplit_once(' ')) {
        *keys.entry(key).or_default() += 1;
    }
    let mut counts: Vec<u32> = keys.into_values().collect();
    counts.sort_unstable();
    counts
}

fn open(folder: &TempDir, kept: Kept) -> Store {
    match kept {
        Kept::InMemory => Store::memory(),
        Kept::OnDisk => {
            Store::open(folder.path().join("store"), OpenMode::Create).expect("the store opens")
        }
        #[cfg(feature = "nodes")]
        Kept::InDatabase => panic!("a store in a database is joined"),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    list(from, &mut |file| {
        let to = to.join(file.strip_prefix(from).expect("the file lies beneath"));
        fs::create_dir_all(to.parent().expect("a file lies in a folder"))
            .expect("a folder can be made");
        fs::copy(file, to).expect("the file can be copied");
    });
}

fn list(folder: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).expect("the folder reads") {
        let path = entry.expect("the folder reads").path();
        if path.is_dir() {
            list(&path, each)
        } else {
            each(&path)
        }
    }
}
