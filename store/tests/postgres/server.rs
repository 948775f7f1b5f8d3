//! A server of PostgreSQL for tests, as an ordinary user starts one: with a folder, a port and a life of its own.
//!
//! It ends when it is dropped, and when the process of the tests ends in whatever way: a watch reads a pipe that nobody writes to.

#![expect(
    clippy::print_stderr,
    reason = "where there is no PostgreSQL, a test says that it is skipped"
)]

use std::fs::{self, File};
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The user and group `nobody`: PostgreSQL does not run as root.
pub(crate) const NOBODY: u32 = 65534;

/// The user who owns the cluster, and whom the server believes.
pub(crate) const OWNER: &str = "owner";

/// How long a server may take to start: it may have to recover, on a machine that does other things too.
const STARTS_WITHIN: Duration = Duration::from_secs(120);

/// Who is believed: the owner, and everybody on the socket. Others need a password.
const ACCESS: &str = "
local all all trust
host all owner 127.0.0.1/32 trust
host replication owner 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
";

/// The settings that tests need: many connections, little memory, and no rest for the disk.
const SETTINGS: &str = "
listen_addresses = '127.0.0.1'
max_connections = 400
shared_buffers = 64MB
max_wal_size = 4GB
log_min_messages = warning
log_checkpoints = off
deadlock_timeout = 200ms
";

/// A server. Dropped, it ends, and its folder goes.
pub(crate) struct Server {
    programs: PathBuf,
    folder: tempfile::TempDir,
    pub(crate) port: u16,
    /// Ends the server when this process ends.
    watch: Option<Child>,
}

impl Server {
    /// Makes and starts a server; `None`, and says so, where PostgreSQL is missing.
    pub(crate) fn start(test: &str) -> Option<Self> {
        Self::with(test, "", &[])
    }

    /// The same with more settings, and with files beside them.
    pub(crate) fn with(test: &str, settings: &str, files: &[(&str, &str)]) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!(
                "skipped: {test}: no PostgreSQL beneath /usr/lib/postgresql, and FOLKMOOT_POSTGRES names no folder"
            );
            return None;
        };
        let folder = tempfile::Builder::new().prefix("fm-pg").tempdir().unwrap();
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let mut server = Self {
            programs,
            folder,
            port: free_port(),
            watch: None,
        };
        server.make(settings);
        for (name, text) in files {
            server.write(name, text);
        }
        server.watch = Some(server.watch());
        server.run();
        Some(server)
    }

    /// Makes and starts a standby, which follows this server under a name. The server is stopped while it is copied.
    pub(crate) fn standby(&self, name: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("fm-pg").tempdir().unwrap();
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let mut standby = Self {
            programs: self.programs.clone(),
            folder,
            port: free_port(),
            watch: None,
        };
        self.stop();
        let copied = Command::new("cp")
            .arg("-a")
            .args([self.data(), standby.data()])
            .status();
        assert!(copied.unwrap().success());
        self.run();
        let settings = format!(
            "primary_conninfo = 'host=127.0.0.1 port={} user={OWNER} application_name={name}'\n{}",
            self.port,
            standby.whereabouts()
        );
        standby.add("postgresql.conf", &settings);
        standby.write("standby.signal", "");
        standby.watch = Some(standby.watch());
        standby.run();
        standby
    }

    /// Makes a standby take writes.
    pub(crate) fn promote(&self) {
        let data = format!("{}/data", self.place());
        self.program("pg_ctl", &["-D", &data, "-w", "promote"]);
    }

    fn add(&self, name: &str, text: &str) {
        let path = self.data().join(name);
        let mut file = File::options().append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn whereabouts(&self) -> String {
        let place = self.place();
        let port = self.port;
        format!("port = {port}\nunix_socket_directories = '{place}'\n")
    }

    fn make(&self, settings: &str) {
        let data = self.data();
        let data = data.to_str().unwrap();
        let how = [
            "-A",
            "trust",
            "-U",
            OWNER,
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
            "-D",
            data,
        ];
        self.program("initdb", &how);
        self.add("postgresql.conf", SETTINGS);
        self.add("postgresql.conf", &self.whereabouts());
        self.add("postgresql.conf", settings);
        fs::write(self.data().join("pg_hba.conf"), ACCESS).unwrap();
    }

    /// Puts a file beside the data, which the server's user alone can read: a key would be refused otherwise.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.data().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        if is_root() {
            chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    /// Whatever ends this process closes the pipe.
    fn watch(&self) -> Child {
        let script = "cat >/dev/null; kill -QUIT $(head -n 1 data/postmaster.pid) 2>/dev/null; cd /; rm -rf \"$0\"";
        let mut command = Command::new("sh");
        command.args(["-c", script, &self.place()]);
        command
            .current_dir(self.folder.path())
            .stdin(Stdio::piped());
        // It outlives a signal that the terminal sends to all.
        command.process_group(0);
        command.spawn().unwrap()
    }

    /// Starts the server, or starts it again, and waits until it answers.
    pub(crate) fn run(&self) {
        let deadline = Instant::now() + STARTS_WITHIN;
        while !self.try_run() {
            // What is left of one that was killed may still hold its memory.
            assert!(
                Instant::now() < deadline,
                "it does not start: {}",
                self.log()
            );
        }
    }

    /// Runs it again behind a restoration: at the end of its journal it begins a new history, and writes.
    pub(crate) fn recover(&self) {
        self.run();
        let deadline = Instant::now() + STARTS_WITHIN;
        while self.sql("postgres", "SELECT pg_is_in_recovery()").trim() != "f" {
            assert!(
                Instant::now() < deadline,
                "it does not come to the end of its journal: {}",
                self.log()
            );
        }
    }

    /// Tells whether it could be started: not if it runs.
    pub(crate) fn try_run(&self) -> bool {
        let data = format!("{}/data", self.place());
        let log = self.folder.path().join("log");
        let seconds = STARTS_WITHIN.as_secs().to_string();
        let how = [
            "-D",
            &data,
            "-l",
            log.to_str().unwrap(),
            "-t",
            &seconds,
            "-w",
            "start",
        ];
        let (is_done, _) = self.ran("pg_ctl", &how);
        is_done
    }

    /// Kills the postmaster; the processes beneath it notice and end.
    pub(crate) fn kill(&self) {
        self.signal("-KILL");
    }

    /// Sends a signal to the postmaster.
    pub(crate) fn signal(&self, signal: &str) {
        let pid = fs::read_to_string(self.data().join("postmaster.pid")).unwrap();
        let pid = pid.lines().next().unwrap();
        let sent = Command::new("kill").args([signal, pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Ends the server as its owner would, at once.
    pub(crate) fn stop(&self) {
        let data = format!("{}/data", self.place());
        let how = ["-D", &data, "-m", "fast", "-w", "stop"];
        self.program("pg_ctl", &how);
    }

    /// Has the server read its settings again, with one more.
    pub(crate) fn set(&self, setting: &str) {
        self.sql("postgres", &format!("ALTER SYSTEM SET {setting}"));
        self.sql("postgres", "SELECT pg_reload_conf()");
    }

    /// Runs statements as the owner; gives what they print.
    pub(crate) fn sql(&self, database: &str, sql: &str) -> String {
        let port = self.port.to_string();
        let how = [
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            &self.place(),
            "-p",
            &port,
            "-U",
            OWNER,
            "-d",
            database,
            "-c",
            sql,
        ];
        self.program("psql", &how)
    }

    /// Makes an empty database.
    pub(crate) fn database(&self, name: &str) {
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
    }

    /// The URL of a schema that nobody else has, of the owner's over TCP.
    pub(crate) fn url(&self) -> String {
        self.url_at(self.port)
    }

    /// The same behind another port: that of a proxy.
    pub(crate) fn url_at(&self, port: u16) -> String {
        static CASE: AtomicU32 = AtomicU32::new(0);
        let case = CASE.fetch_add(1, Ordering::Relaxed);
        format!("postgres://{OWNER}@127.0.0.1:{port}/postgres?schema=case_{case}")
    }

    /// The log of the server.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    pub(crate) fn place(&self) -> String {
        self.folder.path().to_str().unwrap().to_owned()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Runs one of the server's programs as its user; gives what it printed.
    fn program(&self, program: &str, arguments: &[&str]) -> String {
        let (is_done, said) = self.ran(program, arguments);
        assert!(is_done, "{program} {arguments:?}: {said}");
        said
    }

    fn ran(&self, program: &str, arguments: &[&str]) -> (bool, String) {
        static CALL: AtomicU32 = AtomicU32::new(0);
        let call = CALL.fetch_add(1, Ordering::Relaxed);
        let mut command = Command::new(program_in(&self.programs, program));
        command.args(arguments).current_dir(self.folder.path());
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        // The server inherits its outputs: a pipe would stay open as long as it lives.
        let path = self.folder.path().join(format!("said-{call}"));
        let said = File::create(&path).unwrap();
        command
            .stdin(Stdio::null())
            .stdout(said.try_clone().unwrap())
            .stderr(said);
        let status = command.status().unwrap();
        let said = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        (status.success(), said)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(mut watch) = self.watch.take() else {
            return;
        };
        drop(watch.stdin.take());
        // The pipe is closed: it ends the server, and then itself.
        watch.wait().unwrap();
    }
}

/// The server that the tests of this binary share; `None`, and says so, where PostgreSQL is missing. Each test takes a schema.
pub(crate) fn shared(test: &str) -> Option<&'static Server> {
    static SHARED: OnceLock<Option<Server>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| Server::start(test)).as_ref();
    if shared.is_none() {
        eprintln!("skipped: {test}");
    }
    shared
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0)
}

/// A port that nobody listens on.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// The folder with the programs of the newest server, or of the one that `FOLKMOOT_POSTGRES` names: by its number, or by the
/// folder itself.
fn programs() -> Option<PathBuf> {
    let wanted = std::env::var("FOLKMOOT_POSTGRES").ok();
    if let Some(folder) = wanted.as_ref().filter(|wanted| wanted.contains('/')) {
        let folder = PathBuf::from(folder);
        assert!(
            folder.is_absolute() && folder.join("initdb").exists(),
            "FOLKMOOT_POSTGRES = {folder:?} is no absolute path of a folder with initdb"
        );
        return Some(folder);
    }
    let newest = installed()
        .filter(|path| wanted.as_ref().is_none_or(|wanted| path.ends_with(wanted)))
        .max_by_key(|path| version(path))?;
    Some(newest.join("bin"))
}

/// The servers that are installed as packages of Debian are.
fn installed() -> impl Iterator<Item = PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    versions
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("bin/initdb").exists())
}

fn version(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.parse().ok()
}

/// The path of one of the programs in `folder`. Some who pack a server leave out what speaks to it: another's does as well.
fn program_in(folder: &Path, program: &str) -> PathBuf {
    let own = folder.join(program);
    if own.exists() {
        return own;
    }
    let newest = installed().max_by_key(|path| version(path));
    newest.map_or_else(|| program.into(), |path| path.join("bin").join(program))
}
