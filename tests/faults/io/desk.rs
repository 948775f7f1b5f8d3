//! A folder with a script, what its tools did, and a disk that can refuse.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Nothing here takes this long; what does hangs.
const DEADLINE: Duration = Duration::from_secs(60);

/// How often a script is taken up again.
const RUNS_MAX: usize = 12;

/// What stands in the log of an open world, and in no file once it is erased or deleted.
pub(crate) const CANARY: &str = "Please pay this.";

/// What a command did.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Told {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The lines of JSON that it printed.
    pub(crate) fn values(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }
}

/// The folder.
pub(crate) struct Desk {
    folder: TempDir,
    program: PathBuf,
}

impl Desk {
    /// A new one, with the script and its data; `is_sealed` says how the world keeps what is written.
    pub(crate) fn new(program: &Path, is_sealed: bool) -> Self {
        let desk = Self {
            folder: on_memory(),
            program: program.to_owned(),
        };
        let from = crate::script("refused");
        let script = fs::read_to_string(&from).unwrap();
        let script = if is_sealed {
            script
        } else {
            script.replace("privacy: sealed", "privacy: open")
        };
        fs::write(desk.path().join("refused.yaml"), script).unwrap();
        for folder in ["data", "disk"] {
            fs::create_dir(desk.path().join(folder)).unwrap();
        }
        let data = crate::script("ledger").with_file_name("data/README.txt");
        fs::copy(data, desk.path().join("data/README.txt")).unwrap();
        desk.fine(&["key", "new", "desk.key"]);
        desk
    }

    /// A copy of everything.
    pub(crate) fn copied(&self) -> Self {
        let copy = Self {
            folder: on_memory(),
            program: self.program.clone(),
        };
        copy_folder(&self.path(), &copy.path());
        copy
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// What is written to the disk that refuses: store, backup, exports.
    pub(crate) fn disk(&self) -> PathBuf {
        self.path().join("disk")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_on(&self.disk().join("store"), arguments)
    }

    /// The command, on another store than its own.
    pub(crate) fn command_on(&self, store: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(["--json", "--store"])
            .arg(store)
            .args(arguments)
            .current_dir(self.path());
        command
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command without faults.
    pub(crate) fn told(&self, arguments: &[&str]) -> Told {
        told(self.command(arguments))
    }

    /// Runs a command that must work.
    pub(crate) fn fine(&self, arguments: &[&str]) -> Told {
        let told = self.told(arguments);
        assert!(
            told.status.success(),
            "{arguments:?}: {:?} {}",
            told.code(),
            told.stderr
        );
        told
    }

    /// Decides all that waits: calls are allowed, and what became of a lost run is read from the tool's file.
    pub(crate) fn decide(&self) -> usize {
        let requests = self.fine(&["approvals", "refused"]).values();
        for request in &requests {
            let name = request["name"].as_str().unwrap();
            if request["asks"]["kind"] == "outcome" {
                let how = if self.runs("pay").is_empty() {
                    "--run-again"
                } else {
                    "--ran"
                };
                self.fine(&["settle", "refused", name, how, "--as", "ada"]);
            } else {
                self.fine(&["approve", "refused", name, "--as", "ada"]);
            }
        }
        requests.len()
    }

    /// Runs the script until it ends well.
    pub(crate) fn end(&self) {
        for _ in 0..RUNS_MAX {
            let run = self.told(&["run", "refused.yaml"]);
            if run.status.success() {
                return;
            }
            assert!(
                self.decide() > 0,
                "the script does not go on: {:?} {}",
                run.code(),
                run.stderr
            );
        }
        panic!("the script does not end");
    }

    /// The runs that a tool counted.
    pub(crate) fn runs(&self, tool: &str) -> Vec<String> {
        let text =
            fs::read_to_string(self.path().join(tool).with_extension("count")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The files of the store in which the canary stands.
    pub(crate) fn canaries(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        list(&self.disk().join("store"), &mut files);
        let has = |file: &PathBuf| {
            let bytes = fs::read(file).unwrap();
            bytes
                .windows(CANARY.len())
                .any(|window| window == CANARY.as_bytes())
        };
        files.into_iter().filter(has).collect()
    }

    /// How many runs there were of each tool, whose lines are all different.
    pub(crate) fn all_runs(&self) -> BTreeMap<&'static str, usize> {
        ["pay", "send"]
            .map(|tool| (tool, self.runs(tool).len()))
            .into()
    }
}

/// Runs a command to its end, which comes in time.
pub(crate) fn told(mut command: Command) -> Told {
    let child = command.spawn().unwrap();
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    let (end, ended) = mpsc::channel();
    std::thread::spawn(move || end.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(DEADLINE) else {
        kill_process(id, Signal::KILL).unwrap();
        panic!("{command:?} does not end");
    };
    let output = output.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Told {
        status: output.status,
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// A folder in memory, where there is one: what is refused here is not waited for.
pub(crate) fn on_memory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    }
    .unwrap()
}

/// Copies what is in a folder. The socket of a process that was killed is left out.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&to).unwrap();
            copy_folder(&entry.path(), &to);
        } else if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), &to).unwrap();
        }
    }
}

/// The files below a folder.
pub(crate) fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(Result::unwrap)
    {
        if entry.file_type().unwrap().is_dir() {
            list(&entry.path(), files);
        } else if entry.file_type().unwrap().is_file() {
            files.push(entry.path());
        }
    }
}
