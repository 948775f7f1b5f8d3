//! A run through a gateway, recorded, and played without a network.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::desk::{Desk, Ran};

const KEY: &str = "sk-gateway-1";

const ROOM: &str = r#"
world: room
models: { live: MODEL }
defaults: { model: live }
agents: [{ name: worker, prompt: You greet. }]
policy: { main_agent: worker }
script:
  - say: Hello
    as: ada
  - expect: { message: { from: worker, equals: "@ada Good day." } }
"#;

const LIVE: &str = "{ provider: openai-chat, model: small-1, stream: false }";
const PLAYED: &str = "{ provider: recorded, model: small-1, wire: openai-chat, from: run.jsonl }";

/// A server that answers every request with the next of these, and keeps the requests.
struct Gateway {
    url: String,
    received: Arc<Mutex<Vec<String>>>,
}

impl Gateway {
    fn start(answers: &[(&'static str, String)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (keeps, answers) = (Arc::clone(&received), answers.to_vec());
        std::thread::spawn(move || {
            for (stream, (status, body)) in listener.incoming().zip(answers.into_iter().cycle()) {
                let mut stream = stream.unwrap();
                let mut bytes = vec![0; 64 * 1024];
                let mut end = 0;
                while !is_whole(&bytes[..end]) {
                    let more = stream.read(&mut bytes[end..]).unwrap();
                    assert!(more > 0, "the request is cut");
                    end += more;
                }
                keeps
                    .lock()
                    .unwrap()
                    .push(String::from_utf8(bytes[..end].to_vec()).unwrap());
                let len = body.len();
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n"
                );
                stream
                    .write_all(format!("{head}content-length: {len}\r\n\r\n{body}").as_bytes())
                    .unwrap();
            }
        });
        Self { url, received }
    }

    fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let len = head.lines().find_map(|line| {
        line.to_lowercase()
            .strip_prefix("content-length: ")?
            .parse()
            .ok()
    });
    len.is_none_or(|len: usize| body.len() >= len)
}

fn answer() -> (&'static str, String) {
    let choice =
        json!({ "index": 0, "message": { "content": "@ada Good day." }, "finish_reason": "stop" });
    ("200 OK", json!({ "choices": [choice] }).to_string())
}

fn busy() -> (&'static str, String) {
    let message = format!("{KEY} of org-AbCdEf123456 is busy");
    (
        "503 Service Unavailable",
        json!({ "error": { "message": message } }).to_string(),
    )
}

/// Runs the room through `gateway`, recorded; whatever goes elsewhere comes to `elsewhere`.
fn record(desk: &Desk, gateway: &Gateway, elsewhere: &Gateway) -> Ran {
    let through = r#"gateway: { base_url: "${GATE}/{provider}/v1", key: "${GATE_KEY}", headers: { x-room: a } }"#;
    desk.write(
        "room.yaml",
        &format!("{}{through}\n", ROOM.replace("MODEL", LIVE)),
    );
    let mut command = desk.command(&["run", "room.yaml", "--record", "run.jsonl"]);
    command
        .env("GATE", &gateway.url)
        .env("GATE_KEY", KEY)
        .env("NO_PROXY", "127.0.0.1");
    command.envs(["HTTP_PROXY", "HTTPS_PROXY"].map(|name| (name, &elsewhere.url)));
    Ran::of(command)
}

#[test]
fn a_run_goes_through_the_gateway_alone_and_its_recording_plays() {
    let desk = Desk::new();
    let (gateway, elsewhere) = (
        Gateway::start(&[busy(), answer()]),
        Gateway::start(&[answer()]),
    );
    record(&desk, &gateway, &elsewhere)
        .expect(0)
        .err_has("recorded in run.jsonl: 2 exchanges");

    let received = gateway.received();
    assert_eq!((received.len(), elsewhere.received().len()), (2, 0));
    let keys = received.iter().map(|one| {
        assert!(
            one.starts_with("POST /openai-chat/v1/chat/completions HTTP/1.1\r\n"),
            "{one}"
        );
        assert!(
            one.contains("x-room: a\r\n")
                && one.contains(&format!("authorization: Bearer {KEY}\r\n")),
            "{one}"
        );
        one.lines()
            .find(|line| line.starts_with("idempotency-key: "))
            .unwrap()
    });
    let keys: Vec<_> = keys.collect();
    assert_eq!(keys[0], keys[1], "both attempts are one call");

    let recording = std::fs::read_to_string(desk.path("run.jsonl")).unwrap();
    assert!(
        !recording.contains(KEY) && !recording.contains("org-AbCdEf"),
        "{recording}"
    );
    let lines: Vec<Value> = recording
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!([&lines[0]["status"], &lines[1]["status"]], [503, 200]);

    desk.write("room.yaml", &ROOM.replace("MODEL", PLAYED));
    let played = desk
        .run(&["run", "room.yaml", "--world", "played"])
        .expect(0);
    assert!(played.out.contains("Good day."), "{}", played.out);
    let [live, again] = ["room", "played"].map(|world| desk.kinds(world));
    assert_eq!(live, again, "the same happened");
    assert_eq!(gateway.received().len(), 2);
}

#[test]
fn a_live_model_is_waited_for_as_long_as_it_says_by_the_clock_of_the_machine() {
    let desk = Desk::new();
    let busy = (
        "429 Too Many Requests\r\nretry-after: 1",
        json!({ "error": { "message": "wait" } }).to_string(),
    );
    let gateway = Gateway::start(&[busy, answer()]);
    let before = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis();
    record(&desk, &gateway, &gateway).expect(0);
    let log = desk.run(&["log", "room", "--json"]).expect(0).values();
    let time_of = |kind: &str| {
        let times = log
            .iter()
            .filter(|event| event["kind"] == kind)
            .map(|event| event["time"].as_u64().unwrap());
        times.map(u128::from).collect::<Vec<_>>()
    };
    let (called, failed) = (time_of("ModelCalled"), time_of("ModelFailed"));
    assert!(
        called[0] >= before && called[0] < before + 3_600_000,
        "{called:?} is not the machine's time"
    );
    assert!(
        called[1] >= failed[0] + 1_000,
        "{failed:?}, and again at {called:?}"
    );
    desk.write(
        "sim.yaml",
        &format!("{}clock: simulated\n", ROOM.replace("MODEL", LIVE)),
    );
    desk.run(&["check", "sim.yaml"]).expect(0);
    desk.write(
        "wrong.yaml",
        &format!("{}  - advance: 1s\n", ROOM.replace("MODEL", LIVE)),
    );
    desk.run(&["check", "wrong.yaml"])
        .expect(2)
        .err_has("`advance` needs the simulated clock");
}

#[test]
fn a_changed_request_is_told_in_the_log() {
    let desk = Desk::new();
    let gateway = Gateway::start(&[answer()]);
    record(&desk, &gateway, &gateway).expect(0);
    let expects = "  - expect: { notices: [turn_failed] }\n";
    let (before, _) = ROOM.split_once("  - expect").unwrap();
    desk.write(
        "room.yaml",
        &(before
            .replace("MODEL", PLAYED)
            .replace("You greet.", "You part.")
            + expects),
    );
    desk.run(&["run", "room.yaml", "--world", "played"])
        .expect(0);
    let log = desk
        .run(&["log", "played", "--json", "--kind", "ModelFailed"])
        .expect(0);
    let detail = "the request is not that of exchange 1: messages[0].content";
    assert!(
        log.out.contains(detail) && log.out.contains("You part."),
        "{}",
        log.out
    );
}

#[test]
fn a_recording_that_cannot_begin_stops_the_run_before_it_begins() {
    let desk = Desk::new();
    let gateway = Gateway::start(&[answer()]);
    desk.write("run.jsonl", "mine\n");
    record(&desk, &gateway, &gateway)
        .expect(3)
        .err_has("run.jsonl is not empty");
    desk.write(
        "room.yaml",
        &ROOM.replace("MODEL", "{ provider: scripted }"),
    );
    let why = "nothing to record: no agent's model asks a provider over the network";
    desk.run(&["run", "room.yaml", "--record", "other.jsonl"])
        .expect(2)
        .err_has(why);
    assert_eq!(
        std::fs::read_to_string(desk.path("run.jsonl")).unwrap(),
        "mine\n"
    );
    assert!(!desk.path("store").exists() && !desk.path("other.jsonl").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_recording_that_breaks_off_is_told_and_fails_the_command_but_not_the_run() {
    let desk = Desk::new();
    let gateway = Gateway::start(&[answer()]);
    std::os::unix::fs::symlink("/dev/full", desk.path("run.jsonl")).unwrap();
    let ran = record(&desk, &gateway, &gateway)
        .expect(3)
        .err_has("ends after 0 exchanges: No space left");
    assert!(ran.out.contains("Good day."), "{}", ran.out);
}
