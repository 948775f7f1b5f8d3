//! The command over a database that nodes share. Where PostgreSQL is missing, each test says that it is skipped.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]
#![expect(
    dead_code,
    reason = "the tests of the ledger kill the server, and set it up in other ways"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use folkmoot::PersonName;
use folkmoot::core::ids::{NodeId, Seed, Stamp, Time};
use folkmoot::core::port::{Members as _, NodeCard};
use folkmoot::store::{OpenMode, PostgresLedger};
use folkmoot_server::{LocalUser, Secret, Sessions, Tokens};

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

    fn url(&self, schema: &str) -> String {
        let port = self.server.port;
        format!("postgres://{OWNER}@127.0.0.1:{port}/postgres?schema={schema}")
    }

    fn command(&self, schema: &str, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_folkmoot"));
        command.current_dir(self.folder.path()).args(words);
        command
            .env("FOLKMOOT_STORE", self.url(schema))
            .stdin(Stdio::null());
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

    /// Runs a command, which has to fail with `code` and these words.
    fn fails(&self, schema: &str, words: &[&str], code: i32, why: &[&str]) {
        let ran = self.command(schema, words).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(code), "{words:?}: {said}");
        for word in why {
            assert!(said.contains(word), "{words:?}: {said}");
        }
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

/// The ledger in a schema of the server.
async fn ledger(desk: &Desk<'_>, schema: &str) -> Arc<PostgresLedger> {
    let url = desk.url(schema).parse().unwrap();
    let ledger = PostgresLedger::open(&url, OpenMode::Create).await;
    Arc::new(ledger.unwrap())
}

#[tokio::test]
async fn tokens_and_login_links_are_those_of_all_nodes() {
    let Some(server) = Server::start("tokens over a database") else {
        return;
    };
    let desk = Desk::new(&server);
    // The first token comes before the first node.
    let secret = desk.run("known", &["token", "new", "--as", "ada"], 0);
    assert!(secret.starts_with("fmt_"));
    let token = || -> serde_json::Value {
        let listed = desk.run("known", &["--json", "token", "list"], 0);
        serde_json::from_str(&listed).unwrap()
    };
    assert_eq!(token()["as"], "ada");
    assert_eq!(token()["revoked"], serde_json::Value::Null);

    let ledger = ledger(&desk, "known").await;
    let user = LocalUser {
        uid: 12_345,
        display: PersonName::new("op").unwrap(),
    };
    let tokens = Tokens::shared(Arc::clone(&ledger) as _).await.unwrap();
    let sessions = Sessions::shared(Arc::clone(&ledger) as _, user, Some(tokens)).await;
    let sessions = sessions.unwrap();
    let secret = Secret::new(secret.trim());
    let begun = sessions.begin_with_token(&secret).await.unwrap();
    let (_, mut caller) = begun.unwrap();
    assert_eq!(caller.key(), "token:ada");
    let id = token()["id"].as_str().unwrap().to_owned();
    desk.run("known", &["token", "revoke", &id], 0);
    assert_ne!(token()["revoked"], serde_json::Value::Null);
    let ended = tokio::time::timeout(Duration::from_secs(60), caller.lease.ended());
    ended.await.unwrap();
    assert!(sessions.begin_with_token(&secret).await.is_err());

    // A link leads to a node that says where it is.
    desk.fails("known", &["login"], 3, &["no node", "--advertise"]);
    let node = NodeCard {
        node: NodeId::from_stamp(&Stamp {
            time: Time::SIMULATED_START,
            seed: Seed::new([7; 16]),
        }),
        name: "one".to_owned(),
        offers: BTreeSet::new(),
        schema: 1,
        room: 10,
        draining: false,
        advertise: None,
    };
    let minute = Duration::from_secs(60);
    ledger.join(&node, minute).await.unwrap();
    desk.fails("known", &["login"], 3, &["browsers find", "--public-url"]);
    let advertise = Some("https://rooms.example/".to_owned());
    let node = NodeCard { advertise, ..node };
    ledger.join(&node, minute).await.unwrap();
    let link = desk.run("known", &["login"], 0);
    let (page, code) = link.trim().split_once('#').unwrap();
    assert_eq!(page, "https://rooms.example/login");
    let begun = sessions.begin_with_code(&Secret::new(code), None).await;
    let (_, caller) = begun.unwrap();
    assert!(caller.key().starts_with("local:uid=") && !caller.key().contains("12345"));
}

#[test]
fn tokens_are_in_one_place() {
    let Some(server) = Server::start("places of tokens") else {
        return;
    };
    let desk = Desk::new(&server);
    let both = ["token", "new", "--as", "ada", "--tokens", "tokens"];
    desk.fails("places", &both, 2, &["one place", "leave --tokens out"]);
    desk.fails("places", &["token", "list"], 3, &["has no store"]);
    let folder = ["--store", "folder", "token", "list"];
    desk.fails("places", &folder, 2, &["--tokens FILE", "--store postgres"]);
    desk.run("places", &["token", "new", "--as", "ada"], 0);
    desk.fails("places", &["token", "revoke", "zzzz"], 2, &["token list"]);
}
