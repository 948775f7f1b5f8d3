//! Commands at a server elsewhere, with `--server`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use super::chat::Talker;
use super::serve::Server;
use crate::desk::{Desk, Ran};
use crate::real_time::held::ROOM;

/// A server with the room of a script, in which a call waits, and somebody who has a token for it.
struct Elsewhere {
    desk: Desk,
    server: Server,
    token: String,
    /// The token of somebody who may not decide.
    writer: String,
}

impl Elsewhere {
    fn begin() -> Self {
        let desk = Desk::new();
        let steps = "script:\n  - say: please push\n    as: ada\n";
        desk.write("room.yaml", &format!("{ROOM}{steps}"));
        let token = |words: &[&str]| {
            let made = desk.token(&[&["new"], words].concat()).expect(0);
            made.out.trim_end().to_owned()
        };
        let ada = token(&["--as", "ada"]);
        let writer = token(&["--as", "bob", "--may", "read,post"]);
        let listen = ["--listen", "127.0.0.1:0", "--tokens", "tokens"];
        let server = Server::start(&desk, &listen);
        desk.run(&["run", "room.yaml"]).expect(4);
        Self {
            desk,
            server,
            token: ada,
            writer,
        }
    }

    fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    fn ask(&self, arguments: &[&str]) -> Ran {
        ask(&self.desk, &self.url(), &self.token, arguments)
    }

    /// The position of the request that waits, and the digits of what it shows.
    fn asked(&self) -> (String, String) {
        let request = self
            .ask(&["approvals", "room", "--json"])
            .expect(0)
            .document();
        let shown = request["asks"]["shown"].as_str().unwrap_or_default();
        let shown = shown.chars().take(8).collect();
        (request["request"].to_string(), shown)
    }
}

fn ask(desk: &Desk, url: &str, token: &str, arguments: &[&str]) -> Ran {
    let mut command = desk.command(arguments);
    // No store is touched: there is none of this name.
    command
        .args(["--server", url])
        .env("FOLKMOOT_STORE", "none");
    command.env("FOLKMOOT_TOKEN", token);
    let ran = Ran::of(command);
    assert!(!desk.path("none").exists(), "{ran:?}");
    ran
}

#[test]
fn a_room_elsewhere_is_talked_in_and_decided_about() {
    let there = Elsewhere::begin();
    there.ask(&["worlds"]).expect(0).out_has("parked");
    let room = there.ask(&["worlds", "--json"]).expect(0).document();
    assert_eq!(
        (&room["name"], &room["waiting"]),
        (&"room".into(), &1.into())
    );
    there
        .ask(&["worlds", "--label", "team=red"])
        .expect(0)
        .out_has("There is no room");

    let (first, shown) = there.asked();
    let program = format!("folkmoot --server {}", there.url());
    let all = there.ask(&["approvals"]).expect(0);
    for verb in ["approve", "deny"] {
        let command = format!("  {program} {verb} room {first} --shown {shown}\n");
        assert!(all.out.contains(&command), "{all:?}");
    }
    there
        .ask(&["deny", "room", &first])
        .expect(2)
        .err_has(&format!("`{program} approvals room`"));
    there
        .ask(&["deny", "room", &first, "--shown", "00000000"])
        .expect(4)
        .err_has("shown_differs");
    let why = ["--reason", "not main", "--tell-agent"];
    there
        .ask(&[&["deny", "room", &first, "--shown", &shown], &why[..]].concat())
        .expect(0)
        .out_has(&format!("denied: room#{first}"));
    there
        .ask(&["approve", "room", &first, "--shown", &shown])
        .expect(4)
        .err_has("already_decided");

    wait(&there, "dev");
    let (second, shown) = there.asked();
    let narrow = r#"{"path":"/branch","one_of":["dev","test"]}"#;
    let reach = ["--scope", "uses:2", "--where", narrow, "--json"];
    let allowed =
        there.ask(&[&["approve", "room", &second, "--shown", &shown], &reach[..]].concat());
    assert_eq!(allowed.expect(0).document()["how"], "allowed");
    let granted = there
        .desk
        .run(&["grants", "room", "--json"])
        .expect(0)
        .document();
    assert_eq!(granted["tool"], "push", "{granted}");

    wait(&there, "Where to?");
    let (question, _) = there.asked();
    there
        .ask(&["answer", &format!("room#{question}"), "home"])
        .expect(0)
        .out_has(&format!("answered: room#{question}"));
    let said = there
        .ask(&["say", "room", "thank you", "--json"])
        .expect(0)
        .document();
    let log = there
        .desk
        .run(&["log", "room", "--json", "--kind", "MessagePosted"]);
    let posted = log.expect(0).values().pop().unwrap();
    assert_eq!(posted["position"], said["at"]);
    assert_eq!(posted["principal"]["person"]["subject"], "ada");
    there.server.end();
}

#[test]
fn whoever_may_not_decide_is_offered_no_command_and_told_who_may() {
    let there = Elsewhere::begin();
    let (request, shown) = there.asked();
    let bob = |words: &[&str]| ask(&there.desk, &there.url(), &there.writer, words);
    let who = "everybody else whose token gives the right to decide may";
    let seen = bob(&["approvals", "room"])
        .expect(0)
        .out_has("It is not for you to decide: your token does not")
        .out_has(who);
    assert!(!seen.out.contains("folkmoot"), "{seen:?}");
    bob(&["deny", "room", &request, "--shown", &shown])
        .expect(4)
        .err_has("refused: ")
        .err_has(who);
    there.server.end();
}

#[test]
fn a_room_elsewhere_is_stopped_by_whoever_may() {
    let there = Elsewhere::begin();
    ask(&there.desk, &there.url(), &there.writer, &["stop", "room"])
        .expect(4)
        .err_has("refused: ");
    there
        .ask(&["stop", "room", "--as", "ada"])
        .expect(2)
        .err_has("leave --as out");
    let stopped = there.ask(&["stop", "room", "--json"]).expect(0).document();
    assert_eq!(
        (&stopped["world"], &stopped["how"]),
        (&"room".into(), &"stopped".into())
    );
    let log = there
        .desk
        .run(&["log", "room", "--json", "--kind", "Stopped"]);
    let stop = log.expect(0).document();
    assert_eq!(stop["principal"]["person"]["subject"], "ada");
    there
        .ask(&["approvals", "room"])
        .expect(0)
        .out_has("Nothing waits for a person in room.");
    there.ask(&["stop", "room"]).expect(4).err_has("nothing");
    there.server.end();
}

/// Waits until a request with `part` in it waits. The deadline of the server ends this.
fn wait(there: &Elsewhere, part: &str) {
    while !there
        .ask(&["approvals", "room"])
        .expect(0)
        .out
        .contains(part)
    {}
}

#[test]
fn what_a_server_says_no_to_is_told_with_what_to_do() {
    let there = Elsewhere::begin();
    let url = there.url();
    let (desk, token) = (&there.desk, &there.token);
    ask(desk, &url, "", &["worlds"])
        .expect(3)
        .err_has("FOLKMOOT_TOKEN");
    ask(desk, &url, "fmt_unknown", &["worlds"])
        .expect(3)
        .err_has("does not know the token in FOLKMOOT_TOKEN");
    ask(desk, &url, "two\nlines", &["worlds"])
        .expect(3)
        .err_has("FOLKMOOT_TOKEN: the token has characters");
    for wrong in ["rooms.example.org", "ftp://rooms.example.org", ""] {
        ask(desk, wrong, token, &["worlds"])
            .expect(2)
            .err_has("--server")
            .err_has("http://127.0.0.1:7077");
    }
    for command in [&["say", "nowhere", "hello"][..], &["approvals", "nowhere"]] {
        there
            .ask(command)
            .expect(3)
            .err_has("there is nothing here that you may read")
            .err_has(&format!("`folkmoot worlds --server {url}`"));
    }
    let said = ["say", "room", "hello"];
    for (more, why) in [
        (&["--as", "bob"][..], "leave --as out"),
        (&["--resume"], "leave --resume out"),
    ] {
        there
            .ask(&[&said[..], more].concat())
            .expect(2)
            .err_has(why);
    }
    there
        .ask(&["worlds", "--deleted"])
        .expect(2)
        .err_has("--deleted");
    for command in [
        &["log", "room"][..],
        &["run", "room.yaml"],
        &["join", "room"],
    ] {
        there.ask(command).expect(2).err_has("--server is for");
    }
    there.server.end();
    ask(desk, &url, token, &["worlds"])
        .expect(3)
        .err_has(&format!("no server answers at {url}"))
        .err_has("folkmoot serve");
}

/// The address of a server that answers everything with this.
fn answering(status: &str, body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    url
}

#[test]
fn a_server_that_is_busy_or_none_of_ours_is_named() {
    let desk = Desk::new();
    let problem = |status: u16, code: &str, detail: &str| {
        format!(r#"{{"status":{status},"code":"{code}","detail":"{detail}"}}"#)
    };
    let busy = problem(429, "limit_reached", "30 commands a minute; again in 9 s");
    ask(
        &desk,
        &answering("429 Too Many Requests", &busy),
        "t",
        &["worlds"],
    )
    .expect(3)
    .err_has("takes no more of you now: 30 commands a minute; again in 9 s");
    let starting = problem(503, "unavailable", "the server starts");
    ask(
        &desk,
        &answering("503 Service Unavailable", &starting),
        "t",
        &["worlds"],
    )
    .expect(3)
    .err_has("has not been ready for");
    let failed = problem(500, "damaged", "the store is damaged");
    ask(
        &desk,
        &answering("500 Internal Server Error", &failed),
        "t",
        &["worlds"],
    )
    .expect(3)
    .err_has("failed: the store is damaged");
    ask(&desk, &answering("200 OK", "<html>"), "t", &["worlds"])
        .expect(3)
        .err_has("is no Folkmoot server");
}

fn sit_down(there: &Elsewhere) -> Talker {
    let mut command = there
        .desk
        .command(&["chat", "room", "--server", &there.url()]);
    command.env("FOLKMOOT_TOKEN", &there.token);
    Talker::begin(command)
}

#[test]
fn a_chat_goes_on_in_a_room_elsewhere() {
    let there = Elsewhere::begin();
    let mut ada = sit_down(&there);
    ada.chat.until("worker asks to run push");
    ada.chat.until("o once");
    ada.types("o");
    ada.chat.until("allowed: ada, room#");
    ada.chat.until("worker asks to run push");
    ada.chat.until("o once");
    ada.types("/grants");
    ada.chat.until("not possible from here");
    ada.types("/agents");
    ada.chat.until("@worker");
    ada.types("/approvals");
    ada.chat
        .until(&format!("folkmoot --server {} deny room", there.url()));
    ada.chat.until("o once");
    ada.types("o");
    ada.chat.until("Where to?");
    ada.chat.until("type the answer");
    ada.types("home");
    ada.chat.until("worker  ┊ it is done");
    ada.types("thank you");
    ada.chat.until("ada  ┊ thank you");
    let (code, out) = ada.leaves();
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(there.desk.runs(), 2);
    there.server.end();
}

#[test]
fn what_is_piped_into_a_chat_elsewhere_is_answered_before_it_ends() {
    let there = Elsewhere::begin();
    let (request, shown) = there.asked();
    there
        .ask(&["deny", "room", &request, "--shown", &shown])
        .expect(0);
    wait(&there, "dev");
    let mut ada = sit_down(&there);
    ada.types("thank you");
    let (code, out) = ada.leaves();
    assert_eq!(code, Some(4), "{out}");
    assert!(out.contains("ada  ┊ thank you"), "{out}");
    let (_, rest) = out.split_once("waits for a person").unwrap();
    assert!(rest.contains(" approve room "), "{out}");
    assert!(!out.contains("resume"), "{out}");
    there
        .ask(&["chat", "nowhere"])
        .expect(3)
        .err_has("nothing here that you may read");
    there
        .ask(&["chat", "room.yaml"])
        .expect(2)
        .err_has("reads no scripts");
    there
        .ask(&["chat", "room", "--record", "x"])
        .expect(2)
        .err_has("--record");
    there.server.end();
}
