//! Content beside the log that is missing or damaged: nothing else of its world is lost, and nobody writes before it is said.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::desk::{Desk, Ran, example};
use crate::looking::{files, flip};

/// A room with two long answers of bob, in which bob then waits to be allowed a call.
const ROOM: &str = "
world: large
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents: [{ name: bob, prompt: You answer., tools: [push] }]
tools:
  push: { use: scripted, description: Pushes., effect: destructive, schema: { type: object }, results: [{ text: pushed }] }
policy: { main_agent: bob }
replies:
  bob: [{ text: 'FIRST' }, { text: 'SECOND' }, { calls: [{ tool: push, args: {} }] }, { text: it is done }]
script:
  - { say: hello, as: ada }
  - { idle: {} }
  - { say: and now?, as: ada }
  - { idle: {} }
  - { say: please push, as: ada }
  - { idle: {} }
  - { expect: { message: { from: bob, contains: it is done } } }
";

/// The room on a desk, with another one in the same store.
pub(crate) struct Room {
    pub(crate) desk: Desk,
    /// The files of what bob answered first and then, as they are named in the store.
    pub(crate) files: [PathBuf; 2],
    /// The events of these answers.
    said: [u64; 2],
    events: u64,
}

impl Room {
    pub(crate) fn new() -> Self {
        let desk = Desk::new();
        let script = ROOM
            .replace("FIRST", &"one ".repeat(25_000))
            .replace("SECOND", &"two ".repeat(25_000));
        desk.write("large.yaml", &script);
        desk.run(&["run", &example("release-room.yaml")]).expect(0);
        desk.run(&["run", "large.yaml"]).expect(4);
        let events = desk.run(&["log", "large", "--json"]).expect(0).values();
        let is_answer = |event: &&serde_json::Value| event["kind"] == "ModelAnswered";
        let said: Vec<u64> = events
            .iter()
            .filter(is_answer)
            .map(|event| event["position"].as_u64().unwrap())
            .collect();
        let all: Vec<PathBuf> = files(&desk.path("store/content")).into_keys().collect();
        let of = |at: u64| {
            all.iter()
                .find(|path| name(path).starts_with(&format!("c{at:016x}")))
                .unwrap()
                .clone()
        };
        let events = events.len() as u64;
        Self {
            files: [of(said[0]), of(said[1])],
            said: [said[0], said[1]],
            desk,
            events,
        }
    }

    fn run(&self, command: &str) -> Ran {
        self.desk.run(&command.split(' ').collect::<Vec<_>>())
    }

    fn bytes(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files(&self.desk.path("store"))
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

type Spoil = fn(&Path);

fn lose(path: &Path) {
    fs::remove_file(path).unwrap();
}

fn cut(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
}

/// The ways to lose a content, with what is said of it.
const WAYS: [(Spoil, &str); 3] = [
    (lose, "is missing"),
    (cut, "is not what was written"),
    (flip, "is not what was written"),
];

#[test]
fn reading_goes_on_around_lost_content_and_never_calls_it_erased() {
    for (spoil, what) in WAYS {
        let room = Room::new();
        spoil(&room.files[0]);
        let (before, [lost, other]) = (room.bytes(), room.said);
        let named = format!("of the world large: the content of event {lost}, the file content/");
        let told = |ran: Ran| {
            ran.expect(5)
                .err_has(&named)
                .err_has(&name(&room.files[0]))
                .err_has(what)
        };
        let log = told(room.run("log large --json")).values();
        assert_eq!(log.len() as u64, room.events);
        for event in &log {
            let is_lost = event["content"].get("lost").is_some();
            assert_eq!(is_lost, event["position"] == lost, "{event}");
            assert!(event["content"].get("erased").is_none(), "{event}");
        }
        let shown = told(room.run("log large"));
        assert!(
            shown.out.contains("two two") && shown.out.contains("[content lost]"),
            "{shown:?}"
        );
        assert!(!shown.out.contains("[erased]"), "{shown:?}");
        let why = told(room.run(&format!("why large {lost}")));
        assert!(
            why.out.contains("[content lost]") && !why.out.contains("[erased]"),
            "{why:?}"
        );
        told(room.run("diff large release-room")).out_has("large");
        told(room.run("usage large")).out_has("bob");
        told(room.run("approvals large")).out_has("push");
        let read = told(room.run("export large --format md"));
        assert!(
            read.out.contains("two two")
                && read.out.contains("content lost")
                && !read.out.contains("erased")
        );
        let lines = told(room.run("export large --format jsonl")).values();
        let lost_line = lines.iter().find(|line| line["lost"] == true).unwrap();
        assert_eq!(lost_line["position"], lost);
        assert!(lines.iter().all(|line| line.get("erased").is_none()));
        let page = told(room.run("export large --format html"))
            .out_has("two two")
            .out_has(what)
            .out_has("[content lost]");
        assert!(!page.out.contains("[erased]"));
        room.run("export large --format bundle -o bundle.json")
            .expect(5)
            .err_has(what);
        room.run("verify large")
            .expect(5)
            .out_has(what)
            .out_has(&lost.to_string());
        room.run("verify release-room").expect(0);
        room.run("log release-room").expect(0);
        // It is not needed there.
        room.run(&format!("why large {other}")).out_has("two two");
        assert!(room.bytes() == before, "reading has changed the store");
    }
}

#[test]
fn whoever_would_write_to_a_world_is_told_of_lost_content_before_a_byte_is_written() {
    for (spoil, what) in WAYS {
        let room = Room::new();
        let request = room.run("approvals large --json").values()[0]["request"].to_string();
        spoil(&room.files[0]);
        let before = room.bytes();
        let decisions = ["approve", "deny"].map(|how| format!("{how} large {request} --as ada"));
        let others = [
            "resume large",
            "run large.yaml",
            "chat large --as ada",
            "fork large --as branch",
        ];
        for command in decisions.iter().map(String::as_str).chain(others) {
            let refused = room.run(command).expect(5);
            refused
                .err_has(&format!(
                    "of the world large: the content of event {}, the file content/",
                    room.said[0]
                ))
                .err_has(&name(&room.files[0]))
                .err_has(what)
                .err_has("`folkmoot verify large`")
                .err_has("`folkmoot rebuild --to DIR`")
                .err_has("`folkmoot erase large ");
            let after = room.bytes();
            let changed: Vec<_> = before
                .iter()
                .filter(|(path, bytes)| after.get(*path) != Some(bytes))
                .collect();
            assert!(
                changed.is_empty() && before.len() == after.len(),
                "{command} has changed {:?}",
                changed[0].0
            );
        }
        // Other worlds are none the worse.
        room.run("resume release-room").expect(0);
    }
}

#[test]
fn lost_content_and_its_neighbours_can_be_erased_and_then_the_world_goes_on() {
    for (spoil, _) in WAYS {
        let room = Room::new();
        let [lost, other] = room.said;
        let request = room.run("approvals large --json").values()[0]["request"].to_string();
        spoil(&room.files[0]);
        let erase = |at: u64| room.run(&format!("erase large {at} --basis asked --as eve"));
        erase(other)
            .expect(0)
            .out_has("erased the content of 1 event ");
        assert!(!room.files[1].exists());
        room.run("resume large").expect(5);
        erase(lost)
            .expect(0)
            .out_has("erased the content of 1 event ");
        assert!(!room.files[0].exists());
        room.run("log large").expect(0).out_has("[erased]");
        room.run("verify large").expect(0);
        room.run(&format!("approve large {request} --as ada"))
            .expect(0);
        room.run("resume large").expect(0);
        room.run("verify large").expect(0);
    }
}

#[test]
fn a_world_with_lost_content_can_be_deleted() {
    for (spoil, _) in WAYS {
        let room = Room::new();
        fs::remove_dir_all(room.desk.path("store/checkpoints")).unwrap();
        spoil(&room.files[0]);
        room.run("delete large --yes")
            .expect(0)
            .out_has("large is deleted");
        room.run("verify --all").expect(0);
    }
}
