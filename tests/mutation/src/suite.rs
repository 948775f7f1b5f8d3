//! The tests: which there are, and which of them reach which mutants.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};
use std::{fs, thread};

use serde::{Deserialize, Serialize};

use crate::compile::Binary;
use crate::results;

/// How many tests, and how many mutants, are worked on at a time.
pub const AT_ONCE: usize = 2;

/// Tests that read the sources, or that wait for processes.
const LEFT_OUT: [&str; 2] = ["architecture::", "real_time::"];

/// What a test did when no mutant was switched on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reach {
    /// The binary, as it was built.
    pub binary: String,
    /// When it was built; what another build did is forgotten.
    pub built: u64,
    /// The test.
    pub test: String,
    /// How long it took.
    pub ms: u64,
    /// The numbers of the mutants whose places it came to.
    pub reached: BTreeSet<u32>,
}

/// How a run of tests ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// All of them passed.
    Passed,
    /// These failed; none, where the process died.
    Failed(Vec<String>),
    /// It took too long.
    TooLong,
}

/// Some tests of a binary, under limits.
#[derive(Debug)]
pub struct Run<'a> {
    /// The binary.
    pub binary: &'a Binary,
    /// The exact names of the tests.
    pub tests: &'a [&'a str],
    /// The most time that they may take.
    pub limit: Duration,
    /// Variables of the environment.
    pub with: &'a [(&'a str, String)],
}

impl Run<'_> {
    /// Runs them in a process of their own. The processor time has a limit as well, so that a loop without end costs the
    /// same on a busy machine.
    pub fn go(&self) -> io::Result<Ran> {
        let seconds = self.limit.as_secs();
        let limits =
            format!("ulimit -v 6000000 -t {}; exec timeout -k 2 {} \"$0\" \"$@\"", seconds / 3 + 1, seconds + 1);
        let output = Command::new("bash")
            .args(["-c", &limits])
            .arg(&self.binary.path)
            .args(["--exact", "--test-threads=2"])
            .args(self.tests)
            .current_dir(&self.binary.folder)
            .env("CARGO_MANIFEST_DIR", &self.binary.folder)
            .env("PROPTEST_RNG_SEED", "20261122")
            .envs(self.with.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()?;
        Ok(match output.status.code() {
            Some(0) => Ran::Passed,
            // Of timeout itself, and of the signals KILL and XCPU.
            Some(124 | 137 | 152) => Ran::TooLong,
            None | Some(_) => Ran::Failed(failed(&String::from_utf8_lossy(&output.stdout))),
        })
    }
}

fn failed(output: &str) -> Vec<String> {
    let lines = output.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    lines.map(|name| name.trim_end_matches(" - should panic").to_owned()).collect()
}

/// What each test reaches: known from before where its binary is still the same, else by running it.
pub fn reach(binaries: &[Binary], folder: &Path, known: &Path) -> io::Result<Vec<Reach>> {
    let before: Vec<Reach> = results::read(known)?;
    let before: BTreeMap<_, _> = before.into_iter().map(|reach| (key(&reach), reach)).collect();
    let mut found = Vec::new();
    let mut open = Vec::new();
    for binary in binaries {
        let built = built(&binary.path)?;
        for test in list(binary)? {
            match before.get(&(binary.name.clone(), built, test.clone())) {
                Some(reach) => found.push(reach.clone()),
                None => open.push((binary, built, test)),
            }
        }
    }
    eprintln!("mutation: {} tests to run once, {} known", open.len(), found.len());
    let open = Mutex::new(open);
    let found = Mutex::new(found);
    thread::scope(|scope| -> io::Result<()> {
        let work = |number: usize| -> io::Result<()> {
            while let Some((binary, built, test)) = { open.lock().unwrap().pop() } {
                let reach = noted(binary, built, test, &folder.join(format!("notes.{number}")))?;
                results::append(known, &reach)?;
                found.lock().unwrap().push(reach);
            }
            Ok(())
        };
        let workers: Vec<_> = (0..AT_ONCE).map(|number| scope.spawn(move || work(number))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap())
    })?;
    Ok(found.into_inner().unwrap())
}

fn key(reach: &Reach) -> (String, u64, String) {
    (reach.binary.clone(), reach.built, reach.test.clone())
}

fn built(path: &PathBuf) -> io::Result<u64> {
    let at = fs::metadata(path)?.modified()?.duration_since(SystemTime::UNIX_EPOCH).map_err(io::Error::other)?;
    Ok(u64::try_from(at.as_millis()).unwrap_or(u64::MAX))
}

fn list(binary: &Binary) -> io::Result<Vec<String>> {
    let list = |ignored: &[&str]| -> io::Result<BTreeSet<String>> {
        let mut command = Command::new(&binary.path);
        let output = command.args(["--list", "--format=terse"]).args(ignored).current_dir(&binary.folder).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    };
    let ignored = list(&["--ignored"])?;
    let tests = list(&[])?.into_iter().filter(|test| !ignored.contains(test));
    Ok(tests.filter(|test| !LEFT_OUT.iter().any(|name| test.starts_with(name))).collect())
}

fn noted(binary: &Binary, built: u64, test: String, notes: &Path) -> io::Result<Reach> {
    let with = [("FOLKMOOT_MUTANT_NOTES", notes.display().to_string())];
    for attempt in 1.. {
        let _ = fs::remove_file(notes);
        let begun = Instant::now();
        let run = Run { binary, tests: &[&test], limit: Duration::from_secs(600), with: &with };
        match run.go()? {
            Ran::Passed => {
                let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                let text = fs::read_to_string(notes).unwrap_or_default();
                let reached = text.lines().filter_map(|line| line.parse().ok()).collect();
                return Ok(Reach { binary: binary.name.clone(), built, test, ms, reached });
            }
            Ran::Failed(_) | Ran::TooLong if attempt < 3 => {}
            Ran::Failed(_) | Ran::TooLong => break,
        }
    }
    Err(io::Error::other(format!("{} {test} fails although no mutant is switched on", binary.name)))
}
