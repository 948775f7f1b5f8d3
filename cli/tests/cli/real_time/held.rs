//! Terminals beside a server that holds the store.

use rustix::process::Signal;
use serde_json::Value;

use super::Running;
use super::chat::Talker;
use super::serve::{HERE, Server};
use crate::desk::{Desk, Ran};
use crate::talk::OFFICE;

/// A room whose worker pushes twice and then asks where to; it waits for people each time.
pub(super) const ROOM: &str = r#"
world: room
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents:
  - { name: worker, prompt: You push., tools: [push, ask] }
tools:
  push:
    use: scripted
    description: Pushes a branch.
    effect: destructive
    schema: { type: object }
    results: [{ text: pushed, counts: data/runs.txt }]
  ask:
    use: scripted
    description: Asks where to.
    effect: read
    schema: { type: object }
    results: [{ needs_input: { question: Where to? } }, { text: "to {input}" }]
policy: { main_agent: worker }
replies:
  worker:
    - calls: [{ tool: push, args: { branch: main } }]
    - calls: [{ tool: push, args: { branch: dev } }]
    - calls: [{ tool: ask, args: {} }]
    - text: "it is done"
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("room.yaml", ROOM);
    desk
}

/// A terminal that has come into the room.
fn terminal(desk: &Desk, script: &str, name: &str) -> Talker {
    let mut talker = Talker::sit_down(desk, &["chat", script, "--as", name]);
    talker.types("/agents");
    talker.chat.until("idle");
    talker
}

/// Waits until `block` is on the page of `chat`; gives the position and the digits of the request
/// that waits.
fn request(desk: &Desk, chat: &mut Running, block: &str) -> (String, String) {
    chat.until(block);
    desk.asked("room")
}

#[test]
fn two_terminals_share_the_room_of_a_script_that_a_server_holds() {
    let desk = desk();
    let server = Server::start(&desk, &HERE);
    // Both come at once, and the room begins with whoever is first.
    let mut ada = Talker::sit_down(&desk, &["chat", "room.yaml", "--as", "ada"]);
    let mut bob = Talker::sit_down(&desk, &["chat", "room.yaml", "--as", "bob"]);
    for talker in [&mut ada, &mut bob] {
        talker.types("/agents");
        talker.chat.until("idle");
    }
    let mut log = Running::start(&desk, &["log", "room", "--follow", "--json"]);
    desk.run(&["say", "room", "please push", "--as", "eve"])
        .expect(0)
        .out_has("The process that holds the store goes on with it.");
    for talker in [&mut ada, &mut bob] {
        talker.chat.until("eve  ┊ please push");
    }

    let (first, shown) = request(&desk, &mut ada.chat, "worker asks to run push");
    desk.run(&["approvals", "room"])
        .expect(0)
        .out_has(&format!("folkmoot approve room {first} --shown {shown}"));
    desk.run(&["approve", "room", &first, "--shown", "00000000"])
        .expect(4);
    desk.run(&["deny", "room", &first, "--shown", &shown, "--as", "bob"])
        .expect(0)
        .out_has("bob denied room#");
    desk.run(&["approve", "room", &first])
        .expect(4)
        .err_has("decided before");

    let (second, shown) = request(&desk, &mut ada.chat, "worker asks to run push");
    assert_ne!(first, second);
    desk.run(&["approve", "room", &second, "--shown", &shown, "--as", "eve"])
        .expect(0)
        .out_has("eve allowed room#");

    let (question, _) = request(&desk, &mut ada.chat, "Where to?");
    desk.run(&["answer", "room", &question, "home", "--as", "eve"])
        .expect(0);
    for talker in [&mut ada, &mut bob] {
        talker.chat.until("worker  ┊ it is done");
    }
    assert_eq!(desk.runs(), 1, "the denied call did not run");
    for (talker, name) in [(ada, "ada"), (bob, "bob")] {
        let (code, out) = talker.leaves();
        assert_eq!(code, Some(0), "{name}: {out}");
        assert_eq!(out.matches("it is done").count(), 1, "{name}: {out}");
    }

    log.until("\"TurnClosed\"");
    server.end();
    let (code, out) = log.end();
    assert_eq!(code, Some(0), "a log that is followed ends with its holder");
    let positions: Vec<u64> = out
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["position"]
                .as_u64()
                .unwrap()
        })
        .collect();
    assert_eq!(positions, (1..=positions.len() as u64).collect::<Vec<_>>());
    desk.run(&["verify", "room"]).expect(0);
}

#[test]
fn a_room_of_a_server_goes_on_without_its_terminals() {
    let desk = desk();
    let server = Server::start(&desk, &HERE);
    let mut ada = terminal(&desk, "room.yaml", "ada");
    ada.types("please push");
    ada.chat.until("o once");
    ada.types("/quit");
    assert_eq!(ada.leaves().0, Some(0));
    let mut bob = Talker::sit_down(&desk, &["chat", "room", "--as", "bob"]);
    bob.chat.until("worker asks to run push");
    bob.chat.until("o once");
    bob.types("d");
    bob.types("not today");
    bob.types("n");
    bob.chat.until("worker asks to run push");
    assert_eq!(bob.leaves().0, Some(4), "one more request waits");
    server.end();
}

#[test]
fn one_server_serves_the_rooms_of_two_scripts_to_two_terminals() {
    let desk = desk();
    desk.write("office.yaml", OFFICE);
    let server = Server::start(&desk, &HERE);
    let mut ada = terminal(&desk, "room.yaml", "ada");
    let mut bob = terminal(&desk, "office.yaml", "bob");
    bob.types("hello");
    bob.chat.until("clerk  ┊ first");
    ada.types("please push");
    ada.chat.until("worker asks to run push");
    assert_eq!(bob.leaves().0, Some(0));
    assert_eq!(ada.leaves().0, Some(4));
    let worlds = desk.run(&["worlds", "--json"]).expect(0).values();
    let names: Vec<&str> = worlds
        .iter()
        .filter_map(|world| world["name"].as_str())
        .collect();
    assert_eq!(names, ["office", "room"]);
    server.end();
}

#[test]
fn a_terminal_says_that_its_server_has_gone() {
    for signal in [Signal::INT, Signal::KILL] {
        let desk = desk();
        let server = Server::start(&desk, &HERE);
        let mut all = ["ada", "bob"].map(|name| {
            let mut command = desk.command(&["chat", "room.yaml", "--as", name]);
            command.stderr(std::fs::File::create(desk.path(name)).unwrap());
            let mut talker = Talker::begin(command);
            talker.types("/agents");
            talker.chat.until("idle");
            talker
        });
        all[0].types("please push");
        for talker in &mut all {
            talker.chat.until("o once");
        }
        server.running.signal(signal);
        for (talker, name) in all.into_iter().zip(["ada", "bob"]) {
            // Nobody types: the terminal ends of itself.
            let (code, out) = talker.chat.end();
            assert_eq!(code, Some(3), "{out}");
            let said = std::fs::read_to_string(desk.path(name)).unwrap();
            assert!(
                said.contains("the process that held the room has closed it"),
                "{said}"
            );
            assert!(said.contains("folkmoot chat room"), "{said}");
            drop(talker.input);
        }
        drop(server);
        desk.run(&["verify", "room"]).expect(0);
        assert_eq!(
            desk.request("room")["tool"],
            "push",
            "the request still waits"
        );
    }
}

#[test]
fn a_room_that_is_open_with_another_definition_is_not_changed_behind_its_people() {
    let desk = desk();
    let server = Server::start(&desk, &HERE);
    let ada = terminal(&desk, "room.yaml", "ada");
    desk.write("room.yaml", &ROOM.replace("You push.", "You push well."));
    desk.run(&["chat", "room.yaml", "--as", "bob"])
        .expect(3)
        .err_has("has room open with another definition")
        .err_has("folkmoot chat room");
    desk.run(&["chat", "room", "--as", "worker"])
        .expect(2)
        .err_has("worker");
    desk.run(&["chat", "nowhere", "--as", "bob"])
        .expect(3)
        .err_has("there is no world called nowhere");
    assert_eq!(ada.leaves().0, Some(0));
    server.end();
}

#[test]
fn a_recording_is_refused_where_another_process_asks_the_models() {
    let desk = desk();
    let live = ROOM.replace("provider: scripted }", "provider: openai-chat, model: m }");
    desk.write("live.yaml", &live);
    let server = Server::start(&desk, &HERE);
    let mut chat = desk.command(&["chat", "live.yaml", "--record", "models.jsonl"]);
    chat.env("OPENAI_API_KEY", "none");
    Ran::of(chat)
        .expect(3)
        .err_has("--record")
        .err_has(&format!("process {}", server.running.child.id()));
    assert!(
        !desk.path("models.jsonl").exists(),
        "no file is left behind"
    );
    let worlds = desk.run(&["worlds"]).expect(0);
    assert!(worlds.out.contains("There is no world"), "{worlds:?}");
    server.end();
}

/// A text without ids and times, which differ each time.
fn plain(text: &str) -> String {
    let varies = regex::Regex::new(
        r#"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|"time":\d+|"expires_at":\d+|"base":"[^"]+"|"call":"[0-9a-f]{32}"|"fingerprint":"[0-9a-f]+""#,
    );
    varies.unwrap().replace_all(text, "*").into_owned()
}

#[test]
fn a_run_at_a_server_prints_what_a_run_prints() {
    let gate = crate::desk::GATE;
    let allowed = gate.replace(
        "  - idle: {}\n",
        "  - approve: { agent: worker, tool: push }\n    as: ada\n  - idle: {}\n",
    );
    let unmet = OFFICE.to_owned() + "  - expect: { message: { from: clerk, contains: last } }\n";
    let failed = OFFICE.to_owned() + "  - approve: { agent: clerk }\n    as: ada\n";
    let branched = OFFICE.to_owned()
        + "  - fork: { as: other }\n  - { say: Elsewhere, as: ada, in: other }\n  - idle: {}\n";
    let empty = OFFICE.split_once("script:").unwrap().0;
    let broken = OFFICE.replace("agents:", "agent:");
    let scripts = [
        (gate, 4),
        (&allowed, 0),
        (&unmet, 1),
        (&failed, 1),
        (&branched, 0),
        (empty, 0),
        (&broken, 2),
    ];
    let [own, held] = [Desk::new(), Desk::new()];
    let server = Server::start(&held, &HERE);
    for (number, (script, code)) in scripts.into_iter().enumerate() {
        let file = format!("script-{number}.yaml");
        for form in ["lines", "json"] {
            let world = format!("{form}-{number}");
            let mut words = vec!["run", file.as_str(), "--world", world.as_str()];
            words.extend((form == "json").then_some("--json"));
            let [own, held] = [&own, &held].map(|desk| {
                desk.write(&file, script);
                desk.run(&words)
            });
            assert_eq!(own.code, code, "{own:?}");
            assert_eq!(held.code, code, "{held:?}");
            let [shown, expected] = [&held, &own].map(|ran| plain(&ran.out));
            for (shown, expected) in shown.lines().zip(expected.lines()) {
                assert_eq!(shown, expected, "{script}");
            }
            assert_eq!(shown, expected, "{script}");
            assert_eq!(held.err, own.err, "{script}");
        }
    }
    server.end();
}

#[test]
fn a_run_at_a_server_waits_and_goes_on_like_a_run() {
    let desk = Desk::with_gate();
    let server = Server::start(&desk, &HERE);
    let mut run = Running::start(&desk, &["run", "gate.yaml", "--wait"]);
    run.until("in another terminal");
    let command = run.until("folkmoot approve gate ");
    let (request, shown) = desk.asked("gate");
    assert!(command.contains(&shown), "{command}");
    desk.run(&["run", "gate.yaml"])
        .expect(3)
        .err_has("another terminal runs a script in gate");
    // Whoever chats in the room meanwhile sees the same.
    let mut bob = Talker::sit_down(&desk, &["chat", "gate", "--as", "bob"]);
    bob.chat.until("worker asks to run push");
    bob.chat.until("o once");
    bob.types("o");
    bob.chat.until("worker  ┊ @ada it is done");
    let (code, out) = run.end();
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains(&format!("bob allows gate#{request}")), "{out}");
    assert!(out.contains("3 steps, all as the script says"), "{out}");
    // The room is open with Bob in it; the script finds it as it left it.
    desk.run(&["run", "gate.yaml"])
        .expect(0)
        .out_has("3 steps, checked again, all as before");
    desk.run(&["run", "gate.yaml", "--fresh"])
        .expect(4)
        .out_has("approve gate-2 ");
    assert_eq!(bob.leaves().0, Some(0));
    assert_eq!(desk.runs(), 1);
    server.end();
}

#[test]
fn a_run_at_a_server_is_stopped_and_ends_with_it() {
    let desk = Desk::with_gate();
    let server = Server::start(&desk, &HERE);
    let mut run = Running::start(&desk, &["run", "gate.yaml", "--wait"]);
    run.until("folkmoot deny gate ");
    run.signal(Signal::INT);
    assert_eq!(run.end().0, Some(130));
    let stopped = desk
        .run(&["log", "gate", "--json", "--kind", "Stopped"])
        .expect(0)
        .values();
    assert_eq!(stopped[0]["principal"]["person"]["display"], "tester");
    let mut command = desk.command(&["run", "gate.yaml", "--world", "other", "--wait"]);
    command.stderr(std::fs::File::create(desk.path("said")).unwrap());
    let mut run = Running::spawn(command);
    run.until("folkmoot deny other ");
    server.running.signal(Signal::INT);
    assert_eq!(run.end().0, Some(3));
    let said = std::fs::read_to_string(desk.path("said")).unwrap();
    assert!(
        said.contains("the process that holds the store went away"),
        "{said}"
    );
    assert_eq!(server.running.end().0, Some(130));
    desk.run(&["run", "gate.yaml", "--world", "other"])
        .expect(4);
    assert_eq!(desk.runs(), 0);
}

#[test]
fn a_run_that_a_server_cannot_do_is_refused_before_anything_is_done() {
    let desk = Desk::with_gate();
    let live =
        crate::desk::GATE.replace("provider: scripted }", "provider: openai-chat, model: m }");
    let live = live.split_once("replies:").unwrap().0.to_owned();
    desk.write("live.yaml", &live);
    desk.write(
        "restarts.yaml",
        &(crate::desk::GATE.to_owned() + "  - restart: {}\n"),
    );
    let server = Server::start(&desk, &HERE);
    desk.run(&["run", "restarts.yaml"])
        .expect(2)
        .err_has("step 4 (`restart`) closes the room")
        .err_has("--store DIR");
    // It is the server that asks the models, and it has no key.
    desk.run(&["run", "live.yaml"])
        .expect(3)
        .err_has("OPENAI_API_KEY");
    let mut recorded = desk.command(&["run", "live.yaml", "--record", "models.jsonl"]);
    recorded.env("OPENAI_API_KEY", "none");
    Ran::of(recorded).expect(3).err_has("--record");
    assert!(!desk.path("models.jsonl").exists());
    desk.run(&["worlds"]).expect(0).out_has("There is no world");
    server.end();
}
