//! The `folkmoot` command is killed in the middle of its work, again and again, and goes on.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;
use tempfile::TempDir;

use crate::io::desk::{copy_folder, on_memory};
use crate::program::program;
use crate::scale::{mixed, scale};
use crate::work::play_all;

mod calls;
mod clients;

use clients::Clients;

/// Nothing here takes this long; what does hangs.
const DEADLINE: Duration = Duration::from_secs(60);

/// How many kills the suite does, unless `FOLKMOOT_KILLS` says otherwise.
const KILLS: u64 = 6;

/// How often a run may be taken up again.
const RUNS_MAX: usize = 40;

/// The lines that the script of this test has written.
const LINES: u64 = 18;

#[test]
fn a_killed_process_loses_nothing_doubles_nothing_and_leaves_nobody_behind() {
    let program = program();
    let kills = scale("FOLKMOOT_KILLS", KILLS);
    let (cut_off, settled, acknowledged) =
        (AtomicU64::new(0), AtomicU64::new(0), AtomicUsize::new(0));
    let furnished = Place::furnished(&program);
    let seeds: Vec<u64> = (0..kills).collect();
    let name = |seed: &u64| format!("kill {seed}");
    let played = play_all(&seeds, name, |seed| {
        let place = furnished.copied();
        let killed = place.run_and_kill(Moment::of(*seed));
        cut_off.fetch_add(u64::from(!killed.has_ended), Ordering::Relaxed);
        acknowledged.fetch_add(killed.acknowledged.len(), Ordering::Relaxed);
        settled.fetch_add(place.run_to_the_end(*seed), Ordering::Relaxed);
        place.check(&killed, *seed);
        Ok(if killed.decided.is_empty() {
            "no decision"
        } else {
            "with decisions"
        }
        .to_owned())
    });
    let cut_off = cut_off.into_inner();
    println!("{kills} kills, {cut_off} in mid-run, {:?}", played.ends);
    println!(
        "{} events acknowledged, {} outcomes settled",
        acknowledged.into_inner(),
        settled.into_inner()
    );
    played.check();
    assert!(
        cut_off * 2 > kills,
        "only {cut_off} of {kills} kills came before the end"
    );
}

/// When a process is killed, in what is seen of its progress.
#[derive(Clone, Copy)]
enum Moment {
    /// So many events were shown.
    Events(u64),
    /// So many lines were written.
    Lines(u64),
}

impl Moment {
    fn of(seed: u64) -> Self {
        let random = mixed(seed);
        if random.is_multiple_of(2) {
            Self::Events(1 + (random >> 8) % 80)
        } else {
            Self::Lines((random >> 8) % LINES)
        }
    }
}

/// What a process showed before it was killed.
struct Killed {
    acknowledged: Vec<Value>,
    /// The worlds in which clients were told that their decision stands.
    decided: Vec<&'static str>,
    has_ended: bool,
}

/// A folder of its own for a script and a store.
struct Place {
    folder: TempDir,
    program: PathBuf,
}

impl Place {
    /// With worlds in which somebody is asked.
    fn furnished(program: &Path) -> Self {
        let folder = on_memory();
        fs::create_dir(folder.path().join("data")).unwrap();
        for (script, file) in [
            ("ledger", "ledger.yaml"),
            ("refused", "refused.yaml"),
            ("data/README", "data/README.txt"),
        ] {
            let from = crate::script(script).with_extension(file.rsplit_once('.').unwrap().1);
            fs::copy(from, folder.path().join(file)).unwrap();
        }
        let place = Self {
            folder,
            program: program.to_owned(),
        };
        for world in clients::WORLDS {
            assert_eq!(
                place
                    .output(&["run", "refused.yaml", "--world", world])
                    .status
                    .code(),
                Some(4)
            );
        }
        place
    }

    fn copied(&self) -> Self {
        let copy = Self {
            folder: on_memory(),
            program: self.program.clone(),
        };
        copy_folder(self.folder.path(), copy.folder.path());
        copy
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(["--store", "store", "--json"])
            .args(arguments)
            .current_dir(self.folder.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The JSON lines that a command prints.
    fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        let output = self.output(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        values(&output.stdout)
    }

    fn run_and_kill(&self, instant: Moment) -> Killed {
        let mut child = self
            .command(&["run", "ledger.yaml"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let shown = listen(&mut child);
        let mut acknowledged: Vec<Value> = shown.recv_timeout(DEADLINE).into_iter().collect();
        // It has the store: whoever comes now comes to it.
        let clients = Clients::begin(|arguments| self.command(arguments));
        match instant {
            Moment::Events(count) => {
                while (acknowledged.len() as u64) < count
                    && let Ok(line) = shown.recv_timeout(DEADLINE)
                {
                    acknowledged.push(line);
                }
            }
            Moment::Lines(count) => {
                until("a line is written", || {
                    self.written().values().sum::<u64>() > count || has_ended(&mut child)
                });
            }
        }
        let has_ended = has_ended(&mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        // What it wrote into the pipe before it died was shown as well.
        acknowledged.extend(shown);
        acknowledged.retain(|line| line.get("position").is_some());
        let decided = clients.end();
        self.nobody_is_left();
        Killed {
            acknowledged,
            decided,
            has_ended,
        }
    }

    /// Waits until no process works in the folder, neither program nor helper, and no run holds its lock: from then on
    /// nobody writes. A dying process leaves its folder a moment before it lets go of its locks.
    fn nobody_is_left(&self) {
        let folder = self.folder.path().canonicalize().unwrap();
        let works_here = |entry: std::io::Result<fs::DirEntry>| {
            entry.is_ok_and(|entry| {
                fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder))
            })
        };
        until("nobody works in the folder", || {
            !fs::read_dir("/proc").unwrap().any(works_here)
        });
        let locks = fs::read_dir(folder.join("store").join("locks"))
            .into_iter()
            .flatten();
        for lock in locks.map(|entry| fs::File::open(entry.unwrap().path()).unwrap()) {
            until("no run holds its lock", || {
                flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
            });
        }
    }

    /// Runs the script until it ends well. What became of a lost run is read from the files. Gives how many were lost.
    fn run_to_the_end(&self, seed: u64) -> u64 {
        let mut settled = 0;
        for _ in 0..RUNS_MAX {
            let before = self.written();
            let run = self.output(&["run", "ledger.yaml"]);
            if run.status.success() {
                return settled;
            }
            let mut doubts = self.lines(&["approvals", "ledger"]);
            doubts.retain(|request| request["asks"]["kind"] == "outcome");
            let told = String::from_utf8_lossy(&run.stderr);
            assert!(
                !doubts.is_empty(),
                "kill {seed}: {told}\nand before: {before:?}"
            );
            for doubt in doubts {
                let name = doubt["name"].as_str().unwrap();
                let has_run = self.written().contains_key(&line_of(&doubt));
                let how = if has_run { "--ran" } else { "--run-again" };
                let answer = self.output(&["settle", "ledger", name, how, "--as", "ada"]);
                assert!(
                    answer.status.success(),
                    "{name}: {}",
                    String::from_utf8_lossy(&answer.stderr)
                );
                settled += 1;
            }
        }
        panic!("kill {seed}: the script does not end");
    }

    fn check(&self, killed: &Killed, seed: u64) {
        let once: BTreeMap<String, u64> = (1..=LINES)
            .map(|number| (format!("line-{number}"), 1))
            .collect();
        assert_eq!(
            self.written(),
            once,
            "kill {seed}: every line is written once"
        );
        let log = self.lines(&["log", "ledger"]);
        for (line, position) in killed.acknowledged.iter().zip(0..) {
            assert_eq!(
                log.get::<usize>(position),
                Some(line),
                "kill {seed}: an event that was shown is lost"
            );
        }
        for world in &killed.decided {
            let decisions = self.lines(&["log", world, "--kind", "ApprovalDecided"]);
            assert_eq!(
                decisions.len(),
                1,
                "kill {seed}: a decision of {world} that was acknowledged is lost"
            );
        }
        assert!(
            self.output(&["verify", "--all"]).status.success(),
            "kill {seed}: a world does not verify"
        );
    }

    /// How often each line stands in the files.
    fn written(&self) -> BTreeMap<String, u64> {
        let mut written = BTreeMap::new();
        for file in ["ledger.txt", "program.txt"] {
            let text =
                fs::read_to_string(self.folder.path().join("data").join(file)).unwrap_or_default();
            for line in text.lines() {
                *written.entry(line.to_owned()).or_default() += 1;
            }
        }
        written
    }
}

/// The line that a call writes.
fn line_of(request: &Value) -> String {
    let arguments = request["arguments"].as_str().unwrap();
    let from = arguments.find("line-").unwrap();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let end = arguments[from..]
        .find(|c: char| !is_part(c) || c == '\\')
        .unwrap();
    arguments[from..from + end].to_owned()
}

fn values(text: &[u8]) -> Vec<Value> {
    text.split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

/// The whole JSON lines that a process prints, as they come.
fn listen(child: &mut Child) -> Receiver<Value> {
    let (lines, shown) = mpsc::channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            // A line that the kill cut in two was not shown.
            if let Ok(value) = serde_json::from_str(&line)
                && lines.send(value).is_err()
            {
                return;
            }
        }
    });
    shown
}

fn has_ended(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_some()
}

/// Looks again and again until something holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(
            begun.elapsed() < DEADLINE,
            "{what}: not within {DEADLINE:?}"
        );
        std::thread::yield_now();
    }
}
