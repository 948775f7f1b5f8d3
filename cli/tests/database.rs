//! The command over a database that nodes share. Where PostgreSQL is missing, each test says that it is skipped.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]
#![expect(
    dead_code,
    reason = "the tests of the ledger kill the server, and set it up in other ways"
)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[path = "../../store/tests/postgres/server.rs"]
mod server;

use server::{OWNER, Server};

/// A folder to work in, and a schema of the server for each word.
struct Desk<'a> {
    server: &'a Server,
    folder: tempfile::TempDir,
}

impl<'a> Desk<'a> {
    fn new(server: &'a Server) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { server, folder }
    }

    fn command(&self, schema: &str, words: &[&str]) -> Command {
        let port = self.server.port;
        let url = format!("postgres://{OWNER}@127.0.0.1:{port}/postgres?schema={schema}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_folkmoot"));
        command.current_dir(self.folder.path()).args(words);
        command.env("FOLKMOOT_STORE", url).stdin(Stdio::null());
        command
    }

    /// Runs a command, which has to end with `code`; gives what it printed.
    fn run(&self, schema: &str, words: &[&str], code: i32) -> String {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(schema, words).output().unwrap();
        let (said, complained) = (
            String::from_utf8_lossy(&stdout),
            String::from_utf8_lossy(&stderr),
        );
        assert_eq!(status.code(), Some(code), "{words:?}: {said}{complained}");
        said.into_owned()
    }

    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

#[test]
fn every_example_runs_is_checked_again_and_reads_the_same_in_a_folder() {
    let Some(server) = Server::start("every example over a database") else {
        return;
    };
    let desk = Desk::new(&server);
    let worlds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/worlds");
    let mut count = 0;
    for entry in fs::read_dir(worlds).unwrap() {
        let path = entry.unwrap().path();
        // The one asks a real model, the other wants the feature `data`.
        let is_other = path.ends_with("chat.yaml") || path.ends_with("data-copilot.yaml");
        if is_other || path.extension().is_none_or(|end| end != "yaml") {
            continue;
        }
        count += 1;
        let schema = format!("example_{count}");
        let script = path.to_str().unwrap();
        desk.run(&schema, &["run", script], 0);
        desk.run(&schema, &["run", script], 0);
        desk.run(&schema, &["verify", "--all"], 0);
        let copy = desk.folder.path().join(&schema);
        let copy = copy.to_str().unwrap();
        desk.run(&schema, &["backup", copy], 0);
        for world in desk.run(&schema, &["--json", "worlds"], 0).lines() {
            let world: serde_json::Value = serde_json::from_str(world).unwrap();
            let name = world["name"].as_str().unwrap();
            let here = desk.run(&schema, &["--json", "log", name], 0);
            let there = desk.run(&schema, &["--store", copy, "--json", "log", name], 0);
            assert_eq!(here, there, "{name}");
        }
    }
    assert!(count >= 6, "only {count} examples were found");
}

const ASKS: &str = "
world: desk
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted, tools: [note] }]
tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: It is noted. }] }
script:
  - say: Please note it.
    as: ada
  - expect: { requests: 1 }
";

/// The word by which a request is named that waits in the world `desk`.
fn shown(desk: &Desk<'_>) -> String {
    let waiting = desk.run("asks", &["approvals", "desk"], 0);
    let (_, shown) = waiting.split_once("--shown ").unwrap();
    shown.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_person_decides_from_another_process_whether_the_room_runs_or_not() {
    let Some(server) = Server::start("decisions over a database") else {
        return;
    };
    let desk = Desk::new(&server);
    let script = desk.script("asks.yaml", ASKS);
    let script = script.to_str().unwrap();
    let approve = |shown: &str| {
        let words = ["approve", "desk", "10", "--shown", shown, "--as", "bob"];
        desk.run("asks", &words, 0)
    };
    // Nobody has the room.
    desk.run("asks", &["run", script], 4);
    assert!(approve(&shown(&desk)).contains("bob allowed desk#10"));
    assert!(
        desk.run("asks", &["resume", "desk"], 0)
            .contains("It is noted.")
    );
    // The room runs in another process, which waits.
    let words = ["run", script, "--world", "desk2", "--wait"];
    let mut running = desk
        .command("asks", &words)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    let waits =
        |line: &std::io::Result<String>| line.as_ref().unwrap().contains("in another terminal");
    assert!(lines.any(|line| waits(&line)));
    let shown = {
        let waiting = desk.run("asks", &["approvals", "desk2"], 0);
        let (_, shown) = waiting.split_once("--shown ").unwrap();
        shown.split_whitespace().next().unwrap().to_owned()
    };
    let words = ["approve", "desk2", "10", "--shown", &shown, "--as", "bob"];
    assert!(desk.run("asks", &words, 0).contains("bob allowed desk2#10"));
    lines.for_each(drop);
    assert!(running.wait().unwrap().success());
}

#[test]
fn a_person_decides_though_the_process_that_had_the_room_was_killed() {
    let Some(server) = Server::start("decisions behind a dead process") else {
        return;
    };
    let desk = Desk::new(&server);
    let script = desk.script("asks.yaml", ASKS);
    let words = ["run", script.to_str().unwrap(), "--wait"];
    let mut command = desk.command("asks", &words);
    let mut running = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("in another terminal")));
    let shown = shown(&desk);
    running.kill().unwrap();
    running.wait().unwrap();
    let words = ["approve", "desk", "10", "--shown", &shown, "--as", "bob"];
    // Nobody answers within the 30 seconds that a command waits, if nobody takes the room.
    let said = desk.run("asks", &words, 0);
    assert!(said.contains("bob allowed desk#10"), "{said}");
    // It was given back.
    let said = desk.run("asks", &["resume", "desk"], 0);
    assert!(said.contains("It is noted."), "{said}");
}

#[test]
fn a_wrong_place_is_named_and_no_password_is_shown() {
    let Some(server) = Server::start("wrong places of a database") else {
        return;
    };
    let desk = Desk::new(&server);
    let port = server.port;
    for (url, code, said) in [
        (
            format!("postgres://{OWNER}@127.0.0.1:{port}/nope"),
            3,
            "nope",
        ),
        (
            format!("postgres://stranger:hush@127.0.0.1:{port}/postgres"),
            3,
            "stranger",
        ),
        (
            format!("postgres://{OWNER}@127.0.0.1:{port}/postgres?schema=none"),
            3,
            "none",
        ),
        (
            "postgres://owner@127.0.0.1:1/postgres".to_owned(),
            3,
            "127.0.0.1:1",
        ),
        ("postgres://:hush@".to_owned(), 2, "postgres://USER@HOST"),
    ] {
        let mut command = desk.command("unused", &["worlds"]);
        let Output { status, stderr, .. } = command.env("FOLKMOOT_STORE", &url).output().unwrap();
        let complaint = String::from_utf8_lossy(&stderr);
        assert_eq!(status.code(), Some(code), "{url}: {complaint}");
        assert!(complaint.contains(said), "{url}: {complaint}");
        assert!(!complaint.contains("hush"), "{url}: {complaint}");
    }
}
