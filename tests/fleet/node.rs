//! A node of a fleet: a process of its own.

use std::io::{Read as _, stdin};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio, exit};
use std::sync::Arc;
use std::{env, fs, thread};

use async_trait::async_trait;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{CallEvent, Event};
use folkmoot::core::ids::{Incarnation, Position, WorldId};
use folkmoot::port::{AppendError, Appended, EventLog};
use folkmoot::store::PostgresLedger;
use folkmoot::{Gatekeeper, Membership, NodeProfile, OpenMode, Runtime};
use rustix::process::{Pid, Signal, getpid, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use crate::books::{Acknowledged, Book, Line, Moment, Run};
use crate::house::{Consent, room};

const URL: &str = "FOLKMOOT_FLEET_URL";
const FOLDER: &str = "FOLKMOOT_FLEET_FOLDER";
const NAME: &str = "FOLKMOOT_FLEET_NAME";

/// Something that is to happen once: a file in the folder, which one process takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trap {
    /// A node stops itself right behind the append that says that a tool starts.
    BehindStart,
    /// A node stops itself in the first moment of the tool, when nobody will ask any more.
    InTool,
    /// A tool of the node of this name goes on and on.
    Stay(String),
}

impl Trap {
    fn path(&self, folder: &Path) -> PathBuf {
        match self {
            Self::BehindStart => folder.join("behind-start"),
            Self::InTool => folder.join("in-tool"),
            Self::Stay(name) => folder.join(format!("stay-{name}")),
        }
    }

    pub(crate) fn set(&self, folder: &Path) {
        fs::write(self.path(folder), "").unwrap();
    }

    /// Takes it: whoever removes the file is the one.
    pub(crate) fn is_mine(&self, folder: &Path) -> bool {
        fs::remove_file(self.path(folder)).is_ok()
    }

    /// Stops this process if the trap is set, until somebody continues it. It is about to begin this run.
    pub(crate) fn spring(&self, folder: &Path, book: &Book, run: &Run) {
        if self.is_mine(folder) {
            let when = Moment::now();
            let run = run.clone();
            book.write(&Line::Stops(Run { when, ..run }));
            let goes_on = goes_on(folder, getpid());
            // It may be there since somebody else stopped this process.
            fs::remove_file(&goes_on).ok();
            kill_process(getpid(), Signal::STOP).unwrap();
            // Another thread may take the signal, and this one would go on for a moment.
            while fs::remove_file(&goes_on).is_err() {
                thread::yield_now();
            }
        }
    }
}

/// The file that tells a node which stopped itself that it goes on.
fn goes_on(folder: &Path, pid: Pid) -> PathBuf {
    folder.join(format!("goes-on-{}", pid.as_raw_nonzero()))
}

/// A node, for the test that started it. Dropped, it is killed.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: String,
    child: Child,
}

impl Process {
    /// Starts a node of this name over the database at `url`, with its book in `folder`.
    pub(crate) fn start(name: &str, url: &str, folder: &Path) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "node::is_a_node", "--ignored", "--nocapture"]);
        command.env(URL, url).env(FOLDER, folder).env(NAME, name);
        // It ends when nobody holds the other end of its input.
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        Self {
            name: name.to_owned(),
            child: command.spawn().unwrap(),
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Kills it, and waits until it is gone.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops it where it is.
    pub(crate) fn stop(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub(crate) fn go_on(&self, folder: &Path) {
        fs::write(goes_on(folder, Pid::from_child(&self.child)), "").unwrap();
        self.signal(Signal::CONT);
    }

    /// Asks it to end in good order.
    pub(crate) fn drain(&self) {
        self.signal(Signal::TERM);
    }

    /// Tells whether it has ended, and that it did in good order.
    pub(crate) fn has_ended(&mut self) -> bool {
        let ended = self.child.try_wait().unwrap();
        ended
            .inspect(|status| assert!(status.success(), "{}: {status}", self.name))
            .is_some()
    }

    /// Tells whether it stands still.
    pub(crate) fn is_stopped(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let behind_name = stat.rsplit(')').next().unwrap();
        behind_name.trim_start().starts_with('T')
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be gone already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
#[ignore = "a node, which the other tests start"]
fn is_a_node() {
    thread::spawn(|| {
        let mut nothing = Vec::new();
        stdin().read_to_end(&mut nothing).ok();
        exit(1);
    });
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    tokio.block_on(live());
}

/// The life of the node that the environment names.
async fn live() {
    let of = |name| env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let (url, folder, name) = (of(URL), PathBuf::from(of(FOLDER)), of(NAME));
    let ledger = PostgresLedger::open(&url.parse().unwrap(), OpenMode::Existing).await;
    let ledger = Arc::new(ledger.unwrap());
    let member = Member::join(ledger, NodeProfile::named(&name), &folder).await;
    let mut told = signal(SignalKind::terminate()).unwrap();
    told.recv().await;
    let book = member.book.clone();
    member.leave().await;
    book.write(&Line::Left {
        when: Moment::now(),
    });
}

/// A member of the fleet, in whichever process.
pub(crate) struct Member {
    pub(crate) runtime: Runtime,
    membership: Membership,
    book: Book,
}

impl Member {
    /// Joins the fleet, and acts for worlds until it leaves.
    pub(crate) async fn join(
        ledger: Arc<PostgresLedger>,
        profile: NodeProfile,
        folder: &Path,
    ) -> Self {
        let name = profile.name.clone();
        let book = Book::open(folder, &name);
        let clerk = Clerk {
            folder: folder.to_owned(),
            book: book.clone(),
        };
        let mut membership = Membership::join(ledger, profile).await.unwrap();
        let runtime = Runtime::builder(&membership.store())
            .assembler(room(Consent::Free, folder, (&name, &book)).parts());
        let runtime = membership.introduce(runtime).build();
        let runtime = runtime.through(Arc::new(clerk));
        membership.serve(&runtime);
        Self {
            runtime,
            membership,
            book,
        }
    }

    /// Ends in good order.
    pub(crate) async fn leave(self) {
        self.membership.leave(&self.runtime).await;
    }
}

/// Stands between worlds and their log, and writes down what that acknowledges.
#[derive(Debug)]
struct Clerk {
    folder: PathBuf,
    book: Book,
}

#[async_trait]
impl Gatekeeper for Clerk {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        let start = commits.iter().find_map(start);
        let range = range(&commits);
        let appended = log.append(incarnation, commits).await?;
        if let (Appended::Committed { link }, Some((world, first, last))) = (&appended, range) {
            self.book.write(&Line::Acknowledged(Acknowledged {
                world,
                incarnation,
                first,
                last,
                link: *link,
                when: Moment::now(),
            }));
        }
        if let Some(run) = start {
            Trap::BehindStart.spring(&self.folder, &self.book, &run);
        }
        Ok(appended)
    }

    fn read(&self, _commits: usize) {}
}

/// The run that a commit says is about to begin.
fn start(commit: &Commit) -> Option<Run> {
    let world = commit.header.world;
    commit.events.iter().find_map(|event| match event {
        Event::Call(CallEvent::ToolStarted(started)) => Some(Run {
            world,
            key: format!("{world}:{}", started.call),
            attempt: started.attempt,
            incarnation: started.incarnation,
            when: Moment::now(),
        }),
        _ => None,
    })
}

fn range(commits: &[Commit]) -> Option<(WorldId, Position, Position)> {
    let first = &commits.first()?.header;
    let last = commits.last()?;
    let events = u64::try_from(last.events.len()).unwrap();
    let end = last.header.first.plus(events - 1);
    Some((first.world, first.first, end))
}
