//! Runs a process under the recorder.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::trace::{NOTES, Trace};

/// The variable that says which record is the last.
pub(crate) const LAST: &str = "RECORD_LAST";

/// The exit status of a process that the recorder killed.
const KILLED: i32 = 7;

/// How a recorded process ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Well,
    Killed,
}

/// A recorder, and the folder that it records.
pub(crate) struct Recorder {
    library: PathBuf,
    pub(crate) root: PathBuf,
    trace: PathBuf,
}

/// Compiles the library that records.
pub(crate) fn library(into: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("faults/cuts/record.c");
    let library = into.join("record.so");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let built = Command::new(compiler)
        .args(["-O1", "-shared", "-fPIC", "-o"].map(OsStr::new))
        .args([library.as_os_str(), source.as_os_str()])
        .args(["-ldl", "-lpthread"])
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    library
}

impl Recorder {
    /// For a folder of its own in `place`.
    pub(crate) fn new(library: &Path, place: &Path) -> Self {
        let place = place.canonicalize().unwrap();
        let root = place.join("root");
        fs::create_dir(&root).unwrap();
        Self {
            library: library.to_owned(),
            root,
            trace: place.join("trace"),
        }
    }

    /// Runs the ignored test `name` of this binary under the recorder, which kills it after `stop` records unless that
    /// is 0.
    pub(crate) fn run(&self, name: &str, stop: u64, variables: &[(&str, String)]) -> End {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", name, "--ignored", "--nocapture"]);
        child
            .env("LD_PRELOAD", &self.library)
            .env("RECORD_ROOT", &self.root)
            .env("RECORD_TRACE", &self.trace);
        child
            .env("RECORD_STOP", stop.to_string())
            .envs(variables.iter().cloned());
        let output = child.stdin(Stdio::null()).output().unwrap();
        let said = || {
            String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr)
        };
        match output.status.code() {
            Some(0) => {
                assert!(said().contains("1 passed"), "{}", said());
                End::Well
            }
            Some(KILLED) => End::Killed,
            _ => panic!("{variables:?} stopped after {stop}: {}", said()),
        }
    }

    /// What was recorded so far.
    pub(crate) fn trace(&self) -> Trace {
        Trace::parse(fs::read(&self.trace).unwrap())
    }

    /// Compares the folder with what `built` was built to be by all its records: nothing went by the recorder.
    pub(crate) fn check(&self, built: &Path) {
        same(&self.root, built);
    }
}

fn same(one: &Path, other: &Path) {
    let names = |folder: &Path| {
        let names = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.filter(|name| name != NOTES).collect();
        names.sort();
        names
    };
    assert_eq!(names(one), names(other), "in {}", one.display());
    for name in names(one) {
        let (one, other) = (one.join(&name), other.join(&name));
        if one.is_dir() {
            same(&one, &other);
        } else {
            assert!(
                fs::read(&one).unwrap() == fs::read(&other).unwrap(),
                "{}: written unseen",
                one.display()
            );
        }
    }
}
