//! A server, and those who sign in to it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{DEADLINE, Running, waiting};
use crate::desk::{Desk, Ran};

/// A server, with the address at which it listens.
pub(crate) struct Server {
    pub(super) running: Running,
    pub(super) address: String,
}

impl Server {
    pub(crate) fn start(desk: &Desk, arguments: &[&str]) -> Self {
        let mut running = Running::start(desk, &[&["serve"], arguments].concat());
        let line = running.until("listening at http://");
        let (_, address) = line.trim_end().split_once("http://").unwrap();
        Self {
            address: address.replace("0.0.0.0", "127.0.0.1"),
            running,
        }
    }

    /// The status and the body of an answer.
    pub(super) fn ask(&self, line: &str, token: &str, body: &Value) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let request = format!(
            "{line} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    fn me(&self, token: &str) -> (u16, Value) {
        self.ask("GET /v1/me", token, &Value::Null)
    }

    pub(crate) fn end(self) {
        self.running.signal(Signal::TERM);
        assert_eq!(self.running.end().0, Some(0));
    }
}

pub(crate) const HERE: [&str; 2] = ["--listen", "127.0.0.1:0"];

#[test]
fn a_folder_of_templates_that_is_not_there_is_said_at_once() {
    let desk = Desk::new();
    desk.run(&[&["serve", "--templates", "nowhere"], &HERE[..]].concat())
        .expect(3)
        .err_has("--templates nowhere: the folder of the templates cannot be read: No such file");
}

#[test]
fn a_login_link_signs_the_user_of_the_machine_in_once() {
    let desk = Desk::new();
    let server = Server::start(&desk, &HERE);
    let made = desk.run(&["login"]).expect(0).err_has("works once");
    let start = format!("http://{}/login#", server.address);
    let code = made.out.trim_end().strip_prefix(&start).unwrap();
    let sent = json!({ "code": code, "display": "Ada" });
    let (status, session) = server.ask("POST /v1/session", "x", &sent);
    assert_eq!(status, 201, "{session}");
    let uid = rustix::process::getuid().as_raw();
    assert_eq!(session["who"]["key"], format!("local:uid={uid}"));
    assert_eq!(server.ask("POST /v1/session", "x", &sent).0, 401);
    let token = session["token"].as_str().unwrap();
    let (status, me) = server.me(token);
    assert_eq!(
        (status, &me["who"], &me["operates_server"]),
        (200, &session["who"], &json!(true))
    );
    assert_eq!(server.me("").0, 401);
    server.end();

    let server = Server::start(&desk, &HERE);
    assert_eq!(server.me(token), (200, me), "a session survives the server");
    let ended = server.ask("DELETE /v1/session", token, &Value::Null);
    assert_eq!((ended.0, server.me(token).0), (204, 401));
    let told = desk.run(&["login", "--json"]).expect(0).document();
    assert_eq!(told["minutes"], 10);
    assert!(
        told["link"].as_str().unwrap().contains("/login#fmc_"),
        "{told}"
    );
    server.end();
}

#[test]
fn a_backup_has_no_sessions_of_browsers() {
    let desk = Desk::new();
    let server = Server::start(&desk, &HERE);
    let link = desk.run(&["login"]).expect(0).out;
    let (_, code) = link.trim_end().split_once('#').unwrap();
    let (status, session) = server.ask("POST /v1/session", "x", &json!({ "code": code }));
    assert_eq!(status, 201, "{session}");
    let token = session["token"].as_str().unwrap();
    assert!(desk.path("store/sessions.jsonl").exists());
    desk.run(&["backup", "copy"]).expect(0);
    assert_eq!(server.me(token).0, 200);
    server.end();
    assert!(!desk.path("copy/sessions.jsonl").exists());
    let of_copy = Server::start(&desk, &[&HERE[..], &["--store", "copy"]].concat());
    assert_eq!(of_copy.me(token).0, 401, "a copy lets nobody in");
    of_copy.end();
}

#[test]
fn only_a_person_is_given_a_login_and_only_by_a_server() {
    let desk = Desk::new();
    desk.run(&["login"])
        .expect(3)
        .err_has("start `folkmoot serve`");
    let server = Server::start(&desk, &HERE);
    let mut of_tool = desk.command(&["login"]);
    of_tool.env("FOLKMOOT_TOOL", "1");
    let refused = Ran::of(of_tool).expect(4).err_has("cannot sign in");
    assert_eq!(refused.out, "");
    server.end();
    let (desk, running) = waiting();
    desk.run(&["login"]).expect(3).err_has("is no server");
    drop(running);
}

#[test]
fn a_server_that_others_can_reach_knows_whom_it_serves() {
    let desk = Desk::new();
    let all = ["--listen", "0.0.0.0:0"];
    desk.run(&[&["serve"], &all[..]].concat())
        .expect(3)
        .err_has("folkmoot token new");
    assert!(!desk.path("store").exists(), "nothing was begun");
    let with_tokens = [&all[..], &["--tokens", "tokens"]].concat();
    desk.run(&[&["serve"], &with_tokens[..]].concat())
        .expect(3)
        .err_has("there is no file tokens");
    let token = desk.token(&["new", "--as", "ada"]).expect(0).out;
    let server = Server::start(&desk, &with_tokens);
    let (status, me) = server.me(token.trim_end());
    assert_eq!((status, &me["who"]["key"]), (200, &json!("token:ada")));
    let id = desk.token(&["list", "--json"]).expect(0).document();
    desk.token(&["revoke", id["id"].as_str().unwrap()])
        .expect(0);
    // The deadline of the process ends this, if the server never looks at its file.
    while server.me(token.trim_end()).0 != 401 {}
    server.end();
}

#[test]
fn template_with_files_opens_no_room_where_others_reach_the_server_unless_it_says_local() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("templates")).unwrap();
    let template = "world: room\nmodels: { m: { provider: scripted } }\n\
                    agents: [{ name: bob, model: m, tools: [read] }]\ntools: { read: { use: fs.read, root: . } }\n";
    desk.write("templates/unsaid.yaml", template);
    desk.write("templates/said.yaml", &format!("local: true\n{template}"));
    let token = desk
        .token(&["new", "--as", "ada", "--create"])
        .expect(0)
        .out;
    let mut opened = 0;
    let mut open = |place: &[&str], template: &str| {
        let arguments = ["--tokens", "tokens", "--templates", "templates"];
        let server = Server::start(&desk, &[&arguments, place].concat());
        opened += 1;
        let body = json!({ "template": template, "name": format!("{template}-{opened}") });
        let answer = server.ask("POST /v1/worlds", token.trim_end(), &body);
        server.end();
        answer
    };
    let here = ["--listen", "127.0.0.1:0"];
    let there = ["--listen", "0.0.0.0:0"];
    // Others reach this one through a proxy.
    let behind = [
        "--listen",
        "127.0.0.1:0",
        "--public-url",
        "https://rooms.example.org",
    ];
    for (place, template) in [
        (&here[..], "unsaid"),
        (&here, "said"),
        (&there, "said"),
        (&behind, "said"),
    ] {
        let (status, room) = open(place, template);
        assert_eq!(status, 201, "{place:?} {template}: {room}");
    }
    for place in [&there[..], &behind] {
        let (status, problem) = open(place, "unsaid");
        assert_eq!(status, 503, "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("`local: true`"), "{detail}");
    }
    // A template says nothing about what a tool may do to the templates.
    let writes = format!("local: true\n{template}").replace("fs.read", "fs.write");
    desk.write("templates/writes.yaml", &writes);
    let (status, problem) = open(&here, "writes");
    assert_eq!(status, 503, "{problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("holds what no tool may change"), "{detail}");
}

#[test]
fn settings_of_a_server_that_cannot_be_used_are_named() {
    let desk = Desk::new();
    desk.write("jwt.yaml", "issuer: x\n");
    for (words, why) in [
        (&["--jwt", "jwt.yaml"][..], "jwt.yaml"),
        (&["--jwt", "missing.yaml"], "missing.yaml"),
        (&["--public-url", "rooms.example.com"], "is no origin"),
        (&["--allow-origin", "*"], "is no origin"),
    ] {
        let words = [&["serve"], &HERE[..], words].concat();
        desk.run(&words).expect(3).err_has(why);
    }
}
