//! The library that lets I/O calls of the command fail.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The compiled library, in a folder of its own.
pub(crate) struct Shim {
    folder: TempDir,
}

impl Shim {
    /// Compiles it with the C compiler of this machine.
    pub(crate) fn build() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("faults/io/fail.c");
        let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]);
        let built = compiler
            .arg(folder.path().join("fail.so"))
            .arg(source)
            .arg("-ldl")
            .output()
            .unwrap();
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
        Self { folder }
    }

    /// Puts it between a program and its files below `under`, which is an absolute path.
    pub(crate) fn stand_before(&self, command: &mut Command, under: &Path, fault: Fault) {
        command
            .env("LD_PRELOAD", self.folder.path().join("fail.so"))
            .env("FAULTS_UNDER", under);
        command
            .env("FAULTS_AT", fault.at.to_string())
            .env("FAULTS_HOW", fault.how.name());
        if fault.lasts {
            command.env("FAULTS_LAST", "1");
        }
    }

    /// Puts it there to count only; gives where the calls are listed.
    pub(crate) fn listen(&self, command: &mut Command, under: &Path) -> PathBuf {
        let trace = under.with_extension("trace");
        self.stand_before(
            command,
            under,
            Fault {
                at: 0,
                how: How::Io,
                lasts: false,
            },
        );
        command.env("FAULTS_TRACE", &trace);
        trace
    }
}

/// The calls that a program made: the function and the file of each.
pub(crate) fn calls(trace: &Path) -> Vec<(String, String)> {
    let split = |line: &str| {
        line.split_once(' ')
            .map(|(call, file)| (call.to_owned(), file.to_owned()))
    };
    fs::read_to_string(trace)
        .unwrap()
        .lines()
        .filter_map(split)
        .collect()
}

/// What becomes of which call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The number of the call, from 1.
    pub(crate) at: u64,
    pub(crate) how: How,
    /// Whether every later call fails as well.
    pub(crate) lasts: bool,
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// It fails: an input/output error.
    Io,
    /// It fails: no space, where that can be; else an input/output error.
    Full,
    /// It fails: interrupted by a signal, where that can be; else an input/output error.
    Interrupted,
    /// It moves half of the bytes, where it moves any; else it fails.
    Short,
    /// The process is killed in the middle of a write, or before another call.
    Torn,
    /// The process is killed before the call.
    Kill,
}

impl How {
    pub(crate) const ALL: [Self; 6] = [
        Self::Io,
        Self::Full,
        Self::Interrupted,
        Self::Short,
        Self::Torn,
        Self::Kill,
    ];

    pub(crate) const FAILING: [Self; 4] = [Self::Io, Self::Full, Self::Interrupted, Self::Short];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Io => "io",
            Self::Full => "full",
            Self::Interrupted => "interrupted",
            Self::Short => "short",
            Self::Torn => "torn",
            Self::Kill => "kill",
        }
    }
}
