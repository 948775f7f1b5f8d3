//! The command over a database that nodes share. Where PostgreSQL is missing, each test says that it is skipped.
#![expect(
    clippy::indexing_slicing,
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

#[path = "database/locks.rs"]
mod locks;

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
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
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
fn a_payment_that_a_restored_database_lacks_is_asked_about_and_not_made_again() {
    let settings = "restore_command = 'false'\n";
    let Some(server) = Server::with("a restored database", settings, &[]) else {
        return;
    };
    let desk = Desk::new(&server);
    let script = ASKS.replace("effect: write", "effect: destructive");
    let script = script.replace("{ text: ok }", "{ text: ok, counts: runs.txt }");
    let script = desk.script("pays.yaml", &script);
    desk.run("asks", &["run", script.to_str().unwrap()], 4);
    let words = ["approve", "desk", "10", "--as", "bob"];
    desk.run("asks", &words, 0);
    desk.run("asks", &["resume", "desk"], 0);
    let runs = || fs::read_to_string(desk.folder.path().join("runs.txt")).unwrap();
    let once = runs();
    // The backup was made after somebody had allowed it, and before it was made.
    let words = ["--json", "log", "desk", "--kind", "ToolStarted"];
    let started: serde_json::Value = serde_json::from_str(&desk.run("asks", &words, 0)).unwrap();
    let at = started["position"].as_u64().unwrap();
    let cut = format!(
        "DELETE FROM asks.commit WHERE first >= {at}; DELETE FROM asks.checkpoint; UPDATE asks.world SET reach = NULL"
    );
    server.sql("postgres", &cut);
    server.stop();
    server.write("recovery.signal", "");
    server.recover();
    let said = desk.run("asks", &["resume", "desk"], 4);
    assert!(said.contains("approve"), "{said}");
    assert_eq!(runs(), once);
    let words = ["--json", "log", "desk", "--kind", "Restored"];
    assert_eq!(desk.run("asks", &words, 0).lines().count(), 1);
}

/// A folder store with a finished room, a fork of it that waits, and its proofs: anchors and a bundle.
fn folder_with_proofs(desk: &Desk<'_>) -> String {
    let script = desk.script("asks.yaml", ASKS);
    let folder = "rooms".to_owned();
    let at = |words: &[&str], code| {
        let words: Vec<&str> = ["--store", &folder].iter().chain(words).copied().collect();
        desk.run("unused", &words, code)
    };
    desk.script("desk.pub", &at(&["key", "new", "desk.key"], 0));
    let signed = |words: &[&str], code| at(&[&["--key", "desk.key"], words].concat(), code);
    signed(&["run", script.to_str().unwrap()], 4);
    signed(&["fork", "desk", "--at", "9", "--as", "other"], 0);
    let copies = ["fork", "desk", "--at", "10", "--as", "whole", "--copy"];
    signed(&copies, 0);
    let waiting = signed(&["approvals", "desk"], 0);
    let (_, request) = waiting.split_once("desk#").unwrap();
    let request = request.split(|c: char| !c.is_numeric()).next().unwrap();
    let denies = ["deny", "desk", request, "--reason", "no", "--as", "bob"];
    signed(&denies, 0);
    signed(&["anchor", "--all", "-o", "all.anchor"], 0);
    export(desk, &folder, "before");
    folder
}

/// Exports all worlds, as bundles.
fn export(desk: &Desk<'_>, store: &str, name: &str) {
    for world in ["desk", "other", "whole"] {
        let file = format!("{name}-{world}.bundle");
        let form = ["export", world, "--format", "bundle", "-o", &file];
        let words = [&["--store", store, "--key", "desk.key"], &form[..]].concat();
        desk.run("unused", &words, 0);
        desk.run("unused", &["check-bundle", &file, "--trust", "desk.pub"], 0);
    }
}

/// Asserts that a document is what `docs/guide/json.schema.json` says of `name`.
fn assert_fits(name: &str, value: &serde_json::Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/json.schema.json");
    let schemas: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let whole = serde_json::json!({ "$ref": format!("#/$defs/{name}"), "$defs": schemas["$defs"] });
    let wrong = jsonschema::validate(&whole, value);
    assert!(wrong.is_ok(), "{wrong:?}: {value:#}");
}

fn database(desk: &Desk<'_>, schema: &str) -> String {
    let port = desk.server.port;
    format!("postgres://{OWNER}@127.0.0.1:{port}/postgres?schema={schema}")
}

/// The log of each world there.
fn logs(desk: &Desk<'_>, store: &str) -> Vec<String> {
    ["desk", "other", "whole"]
        .map(|world| desk.run("unused", &["--store", store, "--json", "log", world], 0))
        .to_vec()
}

#[test]
fn a_store_that_moves_to_a_database_and_back_has_the_same_proofs() {
    let Some(server) = Server::start("copies into a database and back") else {
        return;
    };
    let desk = Desk::new(&server);
    let folder = folder_with_proofs(&desk);
    let url = database(&desk, "copied");
    let said = desk.run("unused", &["copy", &folder, &url], 0);
    assert!(
        said.contains("3 worlds") && !said.contains("hush"),
        "{said}"
    );
    let words = ["--json", "copy", &folder, &url];
    let copied = desk.run("unused", &words, 0);
    assert_fits("copied", &serde_json::from_str(&copied).unwrap());
    // Done again, there is nothing to do.
    assert_eq!(desk.run("unused", &["copy", &folder, &url], 0), said);
    desk.run("unused", &["copy", &url, "back"], 0);
    for store in [url.as_str(), "back"] {
        assert_eq!(logs(&desk, store), logs(&desk, &folder), "{store}");
        let words = [
            "--store",
            store,
            "verify",
            "--all",
            "--against",
            "all.anchor",
        ];
        desk.run("unused", &words, 0);
    }
    for store in [url.as_str(), "back"] {
        let name = if store == "back" {
            "folder"
        } else {
            "database"
        };
        export(&desk, store, name);
        let read = |name: &str, world: &str| {
            fs::read(desk.folder.path().join(format!("{name}-{world}.bundle"))).unwrap()
        };
        for world in ["desk", "other", "whole"] {
            assert!(
                read(name, world) == read("before", world),
                "{store}: {world}"
            );
        }
    }
    // The room goes on there.
    let denied = desk.run("copied", &["resume", "desk"], 0);
    assert!(denied.contains("It is noted."), "{denied}");
    let other = database(&desk, "other");
    let refused = desk.command("unused", &["copy", &url, &other]).output();
    let refused = refused.unwrap();
    let why = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{why}");
    assert!(why.contains("by way of a folder"), "{why}");
}

#[test]
fn a_copy_that_was_killed_goes_on() {
    let Some(server) = Server::start("copies that were cut off") else {
        return;
    };
    let desk = Desk::new(&server);
    let script = desk.script("asks.yaml", ASKS);
    let script = script.to_str().unwrap();
    let at = |words: &[&str], code| {
        let words: Vec<&str> = ["--store", "rooms"].iter().chain(words).copied().collect();
        desk.run("unused", &words, code)
    };
    at(&["run", script], 4);
    let url = database(&desk, "cut");
    desk.run("unused", &["copy", "rooms", &url], 0);
    // What a killed copy leaves: a beginning of the world, and a holder that renews no more.
    let dead = "018f0000-0000-7000-8000-000000000001";
    let late = format!(
        "
        INSERT INTO cut.node (node, name, offers, schema, room, draining, until)
            VALUES ('{dead}', 'dead', '{{}}', 1, 0, false, cut.now_ms() - 1000);
        UPDATE cut.world SET holder = '{dead}', due = NULL"
    );
    server.sql("postgres", &late);
    at(&["deny", "desk", "10", "--reason", "no", "--as", "bob"], 0);
    at(&["resume", "desk"], 0);
    let said = desk.run("unused", &["copy", "rooms", &url], 0);
    assert!(said.contains("1 world "), "{said}");
    let log = |store: &str| desk.run("unused", &["--store", store, "--json", "log", "desk"], 0);
    assert_eq!(log(&url), log("rooms"));
    // It went on at both ends: there is no common log any more.
    at(&["say", "desk", "hello", "--as", "ada"], 0);
    desk.run("cut", &["say", "desk", "hello", "--as", "bob"], 0);
    let refused = desk
        .command("cut", &["copy", "rooms", &url])
        .output()
        .unwrap();
    let why = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{why}");
    assert!(why.contains("desk is there already"), "{why}");
}

#[test]
fn a_store_that_cannot_be_copied_whole_is_not_copied() {
    let Some(server) = Server::start("copies that are refused") else {
        return;
    };
    let desk = Desk::new(&server);
    let refused = |words: &[&str], code: i32, said: &str| {
        let Output { status, stderr, .. } = desk.command("refused", words).output().unwrap();
        let why = String::from_utf8_lossy(&stderr);
        assert_eq!(status.code(), Some(code), "{words:?}: {why}");
        assert!(why.contains(said), "{words:?}: {why}");
    };
    let url = database(&desk, "refused");
    let sealed = ASKS.replace("script:", "policy: { privacy: sealed }\nscript:");
    let sealed = desk.script("sealed.yaml", &sealed);
    let words = ["--store", "sealed", "run", sealed.to_str().unwrap()];
    desk.run("refused", &words, 4);
    refused(&["copy", "sealed", &url], 3, "keys");
    let script = desk.script("asks.yaml", ASKS);
    let words = ["--store", "held", "run", script.to_str().unwrap(), "--wait"];
    let mut command = desk.command("refused", &words);
    let mut running = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("in another terminal")));
    refused(&["copy", "held", &url], 3, "backup FOLDER");
    desk.run("refused", &["copy", "held", "copied"], 0);
    running.kill().unwrap();
    running.wait().unwrap();
    refused(&["copy", "held", "copied"], 2, "not empty");
    refused(&["copy", "nowhere", &url], 3, "nowhere");
    refused(&["copy", "held", "postgres://:hush@"], 2, "<TO>: ");
    // None of them made a store there.
    desk.run("refused", &["worlds"], 3);
    // Nor is one of sealed rooms lost: it is copied into a folder, without its keys.
    desk.run("refused", &["copy", "sealed", "sealed2"], 0);
}

#[test]
fn the_nodes_and_the_health_of_a_database_are_shown() {
    let Some(server) = Server::start("nodes of a database") else {
        return;
    };
    let desk = Desk::new(&server);
    let script = desk.script("asks.yaml", ASKS);
    desk.run("asks", &["run", script.to_str().unwrap()], 4);
    assert!(desk.run("asks", &["nodes"], 0).contains("No node shares"));
    let words = ["run", script.to_str().unwrap(), "--world", "held", "--wait"];
    let mut command = desk.command("asks", &words);
    let mut running = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("in another terminal")));
    let nodes = desk.run("asks", &["--json", "nodes"], 0);
    let node: serde_json::Value = serde_json::from_str(nodes.trim()).unwrap();
    assert_fits("node", &node);
    assert_eq!(
        (&node["worlds"], &node["is_late"]),
        (&1.into(), &false.into())
    );
    let shown = desk.run("asks", &["nodes"], 0);
    assert!(
        shown.contains("lives") && shown.contains(node["name"].as_str().unwrap()),
        "{shown}"
    );
    let doctor = desk.run("asks", &["--json", "doctor"], 0);
    let doctor: serde_json::Value = serde_json::from_str(&doctor).unwrap();
    assert_fits("doctor", &doctor);
    let store = &doctor["store"];
    assert_eq!(
        (&store["state"], &store["worlds"]),
        (&"database".into(), &2.into())
    );
    assert_eq!(store["faults"], serde_json::json!([]), "{store}");
    assert!(desk.run("asks", &["doctor"], 0).contains("PostgreSQL"));
    running.kill().unwrap();
    running.wait().unwrap();
    // Its time is over by the database's clock, which nobody waits for here.
    server.sql("postgres", "UPDATE asks.node SET until = asks.now_ms() - 1");
    server.sql(
        "postgres",
        "UPDATE asks.world SET due = asks.now_ms() - 5000 WHERE name = 'desk'",
    );
    let late = desk.run("asks", &["nodes"], 0);
    assert!(late.contains("past its time"), "{late}");
    assert!(
        late.contains("1 world has been due") && late.contains("folkmoot serve"),
        "{late}"
    );
    let doctor = desk.run("none", &["--json", "doctor"], 3);
    assert_fits("doctor", &serde_json::from_str(&doctor).unwrap());
    let words = ["--store", "rooms", "nodes"];
    let refused = desk.command("asks", &words).output().unwrap();
    let why = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{why}");
    assert!(why.contains("only a database has nodes"), "{why}");
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
