//! Programs that must not outlive whoever wanted them: real processes, waited for under a deadline.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use folkmoot_core::port::{HostCommand, HostError, HostOutput, ToolHost};
use folkmoot_tools::ProcessHost;
use folkmoot_tools::host::ancestry::{descends_from_runtime_or_tool, descends_from_tool};
use tempfile::TempDir;

mod real_time {
    mod kill;
    mod peers;
    mod run;
}

const HELPER: &str = env!("CARGO_BIN_EXE_folkmoot-tool-helper");
const DEADLINE: Duration = Duration::from_secs(20);

/// A folder for locks and for what programs leave behind.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
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
            timeout: DEADLINE,
            input: None,
            output_max: 1000,
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
        until(|| std::fs::read_to_string(&path).ok()?.strip_suffix('\n')?.parse().ok()).await
    }
}

/// Asks again and again until there is an answer.
async fn until<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < DEADLINE, "nothing happened within {DEADLINE:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whether process `pid` runs: a dead one that nobody has reaped yet does not.
fn is_alive(pid: u32) -> bool {
    std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"))
        .is_ok_and(|stat| !stat.rsplit_once(") ").unwrap().1.starts_with(['Z', 'X']))
}

async fn gone(pid: u32) {
    until(|| (!is_alive(pid)).then_some(())).await;
}

/// A script that leaves its own process id in the file `child`, that of a detached grandchild in `orphan`, and waits.
const DETACHES: &str = "(setsid sh -c 'echo $$ > orphan.new; mv orphan.new orphan; exec sleep 1000' &) ; \
                        echo $$ > child.new; mv child.new child; exec sleep 1000";
