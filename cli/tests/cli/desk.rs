//! A folder with a store and scripts in it, and the program run there.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const FOLKMOOT: &str = env!("CARGO_BIN_EXE_folkmoot");

/// A room in which a worker wants to push, and waits to be allowed. What it pushed is counted in `runs.txt`.
pub(crate) const GATE: &str = r#"
world: gate
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents:
  - { name: worker, prompt: You push., tools: [push] }
tools:
  push:
    use: scripted
    description: Pushes a branch.
    effect: destructive
    schema: { type: object }
    results: [{ text: pushed, counts: data/runs.txt }]
policy: { main_agent: worker }
replies:
  worker:
    - calls: [{ tool: push, args: { branch: main } }]
    - text: "@ada it is done"
script:
  - say: Please push
    as: ada
  - idle: {}
  - expect: { message: { from: worker, contains: it is done } }
"#;

/// A folder with a store and scripts in it.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) dir: TempDir,
}

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("data")).unwrap();
        Self { dir }
    }

    /// A desk with the script [`GATE`] on it.
    pub(crate) fn with_gate() -> Self {
        let desk = Self::new();
        desk.write("gate.yaml", GATE);
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// How often `push` ran.
    pub(crate) fn runs(&self) -> usize {
        fs::read_to_string(self.path("data/runs.txt")).map_or(0, |text| text.lines().count())
    }

    /// The program, in this folder, with the store `store`.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(FOLKMOOT);
        command.current_dir(self.dir.path()).env_clear();
        command.envs([
            ("FOLKMOOT_STORE", "store"),
            ("USER", "tester"),
            ("PATH", "/usr/bin:/bin"),
        ]);
        command.args(arguments).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments))
    }

    /// Runs the program with `input` on its standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.command(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        Ran::from(child.wait_with_output().unwrap())
    }

    /// Runs the program with a terminal as its standard input, on which `typed` is typed.
    pub(crate) fn run_at_terminal(&self, arguments: &[&str], typed: &str) -> Ran {
        self.run_at_terminal_with(arguments, typed, &[])
    }

    /// The same, with these variables.
    pub(crate) fn run_at_terminal_with(
        &self,
        arguments: &[&str],
        typed: &str,
        variables: &[(&str, &str)],
    ) -> Ran {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let name = ptsname(&keys, Vec::new()).unwrap().into_string().unwrap();
        let screen = File::options().read(true).write(true).open(name).unwrap();
        let mut keys = File::from(keys);
        keys.write_all(typed.as_bytes()).unwrap();
        let mut command = self.command(arguments);
        command.stdin(screen).envs(variables.iter().copied());
        Ran::of(command)
    }

    /// The only request that waits in `world`, as `approvals --json` gives it.
    pub(crate) fn request(&self, world: &str) -> Value {
        let ran = self.run(&["approvals", world, "--json"]);
        let mut requests = ran.values();
        assert_eq!(requests.len(), 1, "{ran:?}");
        requests.remove(0)
    }

    /// The position of the only request that waits in `world`, and the digits that confirm what it shows.
    pub(crate) fn asked(&self, world: &str) -> (String, String) {
        let request = self.request(world);
        let shown = request["asks"]["shown"].as_str().unwrap_or_default();
        (
            request["request"].to_string(),
            shown.chars().take(8).collect(),
        )
    }

    /// The kinds of the events of `world`.
    pub(crate) fn kinds(&self, world: &str) -> Vec<String> {
        let events = self.run(&["log", world, "--json"]).expect(0).values();
        events
            .iter()
            .map(|event| event["kind"].as_str().unwrap().to_owned())
            .collect()
    }
}

impl Ran {
    pub(crate) fn of(mut command: Command) -> Self {
        Self::from(command.output().unwrap())
    }

    /// The same, if the exit code is `code`.
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.out, self.err
        );
        self
    }

    /// The lines of the output, read as JSON.
    pub(crate) fn values(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{self:?}")))
            .collect()
    }

    /// The output, read as one JSON document.
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"))
    }

    pub(crate) fn out_has(self, part: &str) -> Self {
        assert!(
            self.out.contains(part),
            "no {part:?} in stdout:\n{}\nstderr:\n{}",
            self.out,
            self.err
        );
        self
    }

    pub(crate) fn err_has(self, part: &str) -> Self {
        assert!(
            self.err.contains(part),
            "no {part:?} in stderr:\n{}",
            self.err
        );
        self
    }
}

impl From<std::process::Output> for Ran {
    fn from(output: std::process::Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The example worlds of the project.
pub(crate) fn example(name: &str) -> String {
    let worlds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/worlds");
    worlds.join(name).display().to_string()
}
