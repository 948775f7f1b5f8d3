//! A PgBouncer between a ledger and its server: in which modes it may stand there, and what is said where it may not.
//!
//! Where PgBouncer is missing, the tests say that they are skipped. `FOLKMOOT_PGBOUNCER` names the program of another one.

#![expect(
    clippy::print_stderr,
    reason = "where there is no PgBouncer, a test says that it is skipped"
)]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use folkmoot_core::ids::{AskId, NodeId};
use folkmoot_core::port::{Ask, AsksWanted, Inbox as _};
use folkmoot_store::{
    Landing, LedgerError, LedgerUpkeep as _, OpenMode, PostgresLedger, Rows as _,
};
use uuid::Uuid;

use crate::rows::{begin, next, node, open, salts};
use crate::server::{NOBODY, OWNER, Server};

/// How long something may take that a test waits for.
const WITHIN: Duration = Duration::from_secs(60);

/// The first version that keeps statements which were prepared where the next transaction has another connection.
const PREPARES: (u32, u32) = (1, 21);

/// A PgBouncer. Dropped, it ends, and so it does when the process of the tests ends.
struct Bouncer {
    port: u16,
    watch: Child,
}

impl Bouncer {
    fn before(server: &Server, settings: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("fm-bouncer").tempdir();
        // The watch removes it.
        let folder = folder.unwrap().keep();
        let port = free_port();
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = users\nmax_client_conn = 600\n{settings}",
            server.port
        );
        fs::write(folder.join("ini"), text).unwrap();
        fs::write(folder.join("users"), format!("\"{OWNER}\" \"\"\n")).unwrap();
        let script = "\"$1\" -q ini >log 2>&1 & cat >/dev/null; kill -KILL $!; cd /; rm -rf \"$0\"";
        let mut command = Command::new("sh");
        command.args(["-c", script, folder.to_str().unwrap(), &program()]);
        command.current_dir(&folder).stdin(Stdio::piped());
        command.process_group(0);
        if fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0) {
            // It does not run as root either.
            chown(&folder, Some(NOBODY), Some(NOBODY)).unwrap();
            command.uid(NOBODY).gid(NOBODY);
        }
        let watch = command.spawn().unwrap();
        let deadline = Instant::now() + WITHIN;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = || fs::read_to_string(folder.join("log"));
            assert!(Instant::now() < deadline, "it does not listen: {:?}", log());
            std::thread::yield_now();
        }
        Self { port, watch }
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        drop(self.watch.stdin.take());
        self.watch.wait().unwrap();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn program() -> String {
    let asked = std::env::var("FOLKMOOT_PGBOUNCER").ok();
    asked.unwrap_or_else(|| "/usr/sbin/pgbouncer".to_owned())
}

/// The version of PgBouncer; `None`, and says so, where it is missing.
fn version(test: &str) -> Option<(u32, u32)> {
    let Ok(told) = Command::new(program()).arg("--version").output() else {
        eprintln!("skipped: {test}: no PgBouncer at {}", program());
        return None;
    };
    let told = String::from_utf8(told.stdout).unwrap();
    let told = told.lines().next().unwrap();
    eprintln!("{test}: {told}");
    let mut numbers = told.rsplit(' ').next().unwrap().split('.');
    let mut number = || numbers.next().unwrap().parse().unwrap();
    Some((number(), number()))
}

/// A server and a bouncer for a test; `None` where one of them is missing.
fn both(test: &str, settings: &str) -> Option<(Server, Bouncer)> {
    version(test)?;
    let server = Server::start(test)?;
    let bouncer = Bouncer::before(&server, settings);
    Some((server, bouncer))
}

/// Appends to a world of its own, lets another node try, and deletes it.
async fn work(ledger: Arc<PostgresLedger>, holder: NodeId) {
    let world = begin(ledger.as_ref(), holder).await;
    for at in 2..40 {
        let landed = ledger.append(holder, &[next(world, at, "row")]).await;
        assert_eq!(landed.unwrap(), [Landing::Appended]);
    }
    // Of another node nothing lands, whichever connection it gets.
    let fenced = ledger.append(node(), &[next(world, 40, "foreign")]).await;
    assert!(matches!(fenced.unwrap()[..], [Landing::Fenced { .. }]));
    assert_eq!(salts(ledger.as_ref(), world).await.len(), 39);
    ledger.bar(&[world]).await.unwrap();
    ledger.delete(holder, &[(world, vec![1])]).await.unwrap();
}

/// Many who write through few connections.
async fn works(url: &str) {
    let mut works = Vec::new();
    for _ in 0..4 {
        let (ledger, holder) = (Arc::new(open(url).await), node());
        for _ in 0..4 {
            works.push(tokio::spawn(work(Arc::clone(&ledger), holder)));
        }
    }
    for work in works {
        work.await.unwrap();
    }
    open(url).await.compact().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bouncer_in_session_mode_is_not_noticed() {
    let settings = "pool_mode = session\ndefault_pool_size = 100\n";
    let Some((server, bouncer)) = both("a bouncer in session mode", settings) else {
        return;
    };
    let url = server.url_at(bouncer.port);
    works(&url).await;
    let (ledger, holder) = (Arc::new(open(&url).await), node());
    let world = begin(ledger.as_ref(), holder).await;
    let waiting = {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move {
            let mut heard = 0;
            let wanted = AsksWanted::of_all(9);
            while ledger.asks(holder, wanted).await.unwrap().is_empty() {
                heard = ledger.hint(heard).await;
            }
        })
    };
    let ask = Ask {
        id: AskId(Uuid::from_u128(1)),
        world,
        command: vec![1],
        principal: None,
    };
    open(&url).await.ask(&ask).await.unwrap();
    tokio::time::timeout(WITHIN, waiting)
        .await
        .expect("a hint comes")
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bouncer_in_transaction_mode_that_prepares_statements_is_enough() {
    let test = "a bouncer in transaction mode";
    if version(test).is_none_or(|found| found < PREPARES) {
        eprintln!("skipped: {test}: no version that prepares statements");
        return;
    }
    // Fewer connections than one ledger has lanes.
    let settings =
        "pool_mode = transaction\ndefault_pool_size = 4\nmax_prepared_statements = 200\n";
    let Some((server, bouncer)) = both(test, settings) else {
        return;
    };
    works(&server.url_at(bouncer.port)).await;
    let most = "SELECT count(*) <= 4 FROM pg_stat_activity WHERE application_name = 'folkmoot'";
    assert_eq!(server.sql("postgres", most).trim(), "t");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bouncer_that_loses_prepared_statements_is_told_with_the_setting_to_change() {
    let test = "a bouncer that loses prepared statements";
    let Some(found) = version(test) else {
        return;
    };
    let prepares = if found < PREPARES {
        ""
    } else {
        "max_prepared_statements = 0\n"
    };
    let settings = format!("pool_mode = transaction\n{prepares}");
    let Some((server, bouncer)) = both(test, &settings) else {
        return;
    };
    let url = server.url_at(bouncer.port);
    let ledger = open(&url).await;
    let holder = node();
    let world = begin(&ledger, holder).await;
    let landed = ledger.append(holder, &[next(world, 2, "kept")]).await;
    assert_eq!(landed.unwrap(), [Landing::Appended]);
    let is_told = |why: &str| {
        for words in ["pool_mode = session", "max_prepared_statements"] {
            assert!(why.contains(words), "{why}");
        }
    };
    // Whoever comes next would ask for the statements of others under the names of its own.
    let second = PostgresLedger::open(&url.parse().unwrap(), OpenMode::Create).await;
    is_told(&second.unwrap_err().to_string());
    // And from here on each transaction has a connection that no statement was prepared on.
    let end = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'folkmoot'";
    server.sql("postgres", end);
    let refused = ledger.append(holder, &[next(world, 3, "lost")]).await;
    let Err(LedgerError::Refused(why)) = refused else {
        panic!("{refused:?}");
    };
    is_told(&why);
}
