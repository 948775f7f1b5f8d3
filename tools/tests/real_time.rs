//! Programs that must not outlive whoever wanted them: real processes, waited for under a deadline.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of tests may panic"
)]
#![expect(clippy::print_stdout, reason = "an escape that is skipped is named")]

use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use folkmoot_core::ids::Digest;
use folkmoot_core::port::{FolderId, HostCommand, HostError, HostOutput, ToolHost};
use folkmoot_tools::ProcessHost;
use folkmoot_tools::host::ancestry::{descends_from_runtime_or_tool, descends_from_tool};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tempfile::TempDir;

mod real_time {
    #[cfg(target_os = "linux")]
    mod escapes;
    mod kill;
    #[cfg(feature = "mcp")]
    mod mcp;
    mod peers;
    mod run;
    mod sandbox;
    mod stay;
}

const HELPER: &str = env!("CARGO_BIN_EXE_folkmoot-tool-helper");
const DEADLINE: Duration = Duration::from_secs(20);

/// A folder for locks and for what programs leave behind.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn within(folder: &str) -> Self {
        Self {
            folder: tempfile::tempdir_in(folder).unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn host(&self) -> ProcessHost {
        ProcessHost::new(HELPER, self.path("locks"))
    }

    fn command(&self, argv: &[&str]) -> HostCommand {
        HostCommand {
            argv: argv.iter().map(ToString::to_string).collect(),
            cwd: self.folder.path().to_owned(),
            folder: None,
            pins: Vec::new(),
            timeout: DEADLINE,
            input: None,
            output_max: 1000,
            variables: ["PATH", "HOME", "LANG"].map(str::to_owned).into(),
            sandbox: None,
            lock: "call".into(),
        }
    }

    fn shell(&self, script: &str) -> HostCommand {
        self.command(&["sh", "-c", script])
    }

    async fn run(&self, script: &str) -> Result<HostOutput, HostError> {
        self.host().run(self.shell(script)).await
    }

    /// Waits until a program has written its process id into `file`.
    async fn pid_in(&self, file: &str) -> u32 {
        let path = self.path(file);
        until(self.folder.path(), || {
            std::fs::read_to_string(&path)
                .ok()?
                .strip_suffix('\n')?
                .parse()
                .ok()
        })
        .await
    }

    /// Waits until no helper holds a lock: it removes its own when it has no descendant left.
    async fn unlocked(&self) {
        let locks = self.path("locks");
        until(&locks, || {
            (std::fs::read_dir(&locks).unwrap().count() == 0).then_some(())
        })
        .await;
    }
}

/// Asks again whenever something changes in `folder`, until there is an answer.
async fn until<T>(folder: &Path, mut ask: impl FnMut() -> Option<T>) -> T {
    let mut changes = inotify::init(CreateFlags::CLOEXEC).unwrap();
    let watched =
        WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MOVED_TO | WatchFlags::CLOSE_WRITE;
    inotify::add_watch(&changes, folder, watched).unwrap();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        changes = readable(changes).await;
        rustix::io::read(&changes, &mut [0; 4096]).unwrap();
    }
}

/// Waits under the deadline until there is something to read.
async fn readable(file: OwnedFd) -> OwnedFd {
    let wait = move || {
        let deadline = DEADLINE.try_into().unwrap();
        let ready = poll(&mut [PollFd::new(&file, PollFlags::IN)], Some(&deadline)).unwrap();
        assert_eq!(ready, 1, "nothing happened within {DEADLINE:?}");
        file
    };
    tokio::task::spawn_blocking(wait).await.unwrap()
}

/// Writes a program. Another process does so: this one starts programs all the time, and they would hold the file open
/// for writing.
fn write_program(path: &Path, text: &str) {
    let made = Command::new("sh")
        .args(["-c", "printf '%s' \"$1\" > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .arg(text)
        .status();
    assert!(made.unwrap().success());
}

/// The digest of a file, as `sha256sum` prints it.
fn digest_of(path: &str) -> Digest {
    Digest::sha256(&std::fs::read(path).unwrap())
}

/// Whether process `pid` runs: a dead one that nobody has reaped yet does not.
fn is_alive(pid: u32) -> bool {
    std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"))
        .is_ok_and(|stat| !stat.rsplit_once(") ").unwrap().1.starts_with(['Z', 'X']))
}

async fn gone(pid: u32) {
    match pidfd_open(
        Pid::from_raw(pid.try_into().unwrap()).unwrap(),
        PidfdFlags::empty(),
    ) {
        Ok(process) => drop(readable(process).await),
        Err(error) => assert_eq!(error, rustix::io::Errno::SRCH),
    }
}

/// A script that leaves its own process id in the file `child`, that of a detached grandchild in `orphan`, and waits. When
/// `child` is there, the grandchild has lost its parent.
const DETACHES: &str = "(setsid sh -c 'echo $$ > orphan.new; mv orphan.new orphan; sleep 1000; :' &) ; \
                        echo $$ > child.new; mv child.new child; sleep 1000; :";
