//! Reading commands change no byte of a store, and a forged state lets nothing start.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::desk::{Desk, example};

/// All files below a folder with what is in them.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            all.extend(files(&entry.path()));
        } else {
            all.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    all
}

/// A desk with a room that is over and one that waits.
fn two_rooms() -> Desk {
    let desk = Desk::with_gate();
    desk.run(&["run", &example("release-room.yaml")]).expect(0);
    desk.run(&["run", "gate.yaml"]).expect(4);
    desk
}

/// Changes a bit in the middle of what is used of a file.
pub(crate) fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes[used / 2] ^= 4;
    fs::write(path, bytes).unwrap();
}

#[test]
fn reading_commands_leave_every_byte_of_a_sound_store() {
    let desk = two_rooms();
    let before = files(&desk.path("store"));
    for command in [
        ["worlds"].as_slice(),
        &["log", "release-room"],
        &["replay", "gate"],
        &["why", "gate", "10"],
        &["approvals", "gate"],
        &["usage", "release-room"],
        &["diff", "gate", "release-room"],
        &["verify", "--all"],
        &["export", "release-room", "--format", "md"],
        &[
            "export",
            "release-room",
            "--format",
            "bundle",
            "-o",
            "bundle.json",
        ],
        &[
            "erase",
            "gate",
            "4",
            "--basis",
            "asked",
            "--as",
            "ada",
            "--dry-run",
        ],
        &["backup", "copy"],
        &["doctor"],
    ] {
        desk.run(command).expect(0);
        assert!(
            files(&desk.path("store")) == before,
            "{command:?} has changed the store"
        );
    }
}

#[test]
fn a_damaged_store_is_read_as_it_is_and_refused_by_whoever_writes() {
    let desk = two_rooms();
    flip(&desk.path("store/log/db"));
    let before = files(&desk.path("store"));
    let verified = desk.run(&["verify", "--all"]).expect(5);
    verified.out_has("at byte ").out_has(": whole");
    let listed = desk.run(&["worlds"]);
    listed
        .err_has("is damaged")
        .err_has("`folkmoot rebuild --to DIR`");
    desk.run(&["doctor"]).expect(5).out_has("is damaged");
    desk.run(&["backup", "copy"])
        .expect(5)
        .err_has("folkmoot rebuild");
    for writes in [
        ["run", "gate.yaml"].as_slice(),
        &["resume", "gate"],
        &["deny", "gate", "10", "--as", "ada"],
    ] {
        desk.run(writes)
            .expect(5)
            .err_has("`folkmoot verify --all`")
            .err_has("`folkmoot rebuild --to DIR`");
    }
    assert!(files(&desk.path("store")) == before);
    desk.run(&["rebuild", "--to", "new"]);
    assert!(files(&desk.path("store")) == before);
    desk.run(&["--store", "new", "worlds"]).expect(0);
}

/// The checksum that ends a saved state.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| {
        if crc & 1 == 1 {
            crc >> 1 ^ 0xedb8_8320
        } else {
            crc >> 1
        }
    };
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), step)
    })
}

/// Changes the state that was saved of the only world, so that nothing shows it.
fn forge(desk: &Desk, change: impl Fn(&str) -> String) {
    let (path, bytes) = files(&desk.path("store/checkpoints")).pop_last().unwrap();
    // Mark, position, rules, world and link stand before it.
    let begin = 8 + 8 + 32 + 16 + 32;
    let state = change(std::str::from_utf8(&bytes[begin..bytes.len() - 4]).unwrap());
    let mut forged = [&bytes[..begin], state.as_bytes()].concat();
    forged.extend(crc32(&forged).to_le_bytes());
    fs::write(path, forged).unwrap();
}

#[test]
fn a_forged_state_lets_no_call_start_that_nobody_allowed() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    forge(&desk, |state| {
        let forged = state.replace(
            r#"{"awaits_approval":{"request":10,"next":1}}"#,
            r#"{"ready":{"next":1}}"#,
        );
        assert_ne!(forged, state);
        forged
    });
    desk.run(&["verify", "gate"])
        .expect(5)
        .out_has("saved fold");
    let resumed = desk.run(&["resume", "gate"]);
    assert_ne!(resumed.code, 0);
    resumed
        .err_has("does not say that a person allowed it")
        .err_has("checkpoints");
    assert_eq!(desk.runs(), 0);
    assert!(!desk.kinds("gate").contains(&"ToolStarted".to_owned()));
    // Without the forged state the world goes on.
    fs::remove_dir_all(desk.path("store/checkpoints")).unwrap();
    desk.run(&["approve", "gate", "10", "--as", "ada"])
        .expect(0);
    desk.run(&["resume", "gate"]).expect(0);
    assert_eq!(desk.runs(), 1);
}

/// A desk with a room in which the definition and the first answer stand beside the log.
fn large_room() -> (Desk, PathBuf) {
    let desk = Desk::new();
    let text = "word ".repeat(20_000);
    desk.write(
        "large.yaml",
        &format!(
            "world: large
models: {{scripted: {{provider: scripted}}}}
defaults: {{model: scripted}}
agents: [{{name: bob, prompt: You answer.}}]
replies: {{bob: [{{text: '{text}'}}, {{text: second answer}}]}}
script:
  - {{say: '@bob hello', as: ada}}
  - {{idle: {{}}}}
  - {{say: '@bob and now?', as: ada}}
"
        ),
    );
    desk.run(&["run", "large.yaml"]).expect(0);
    desk.run(&["run", &example("release-room.yaml")]).expect(0);
    let content: Vec<PathBuf> = files(&desk.path("store/content")).into_keys().collect();
    let [_, file] = content.as_slice() else {
        panic!("{content:?}")
    };
    (desk, file.clone())
}

#[test]
fn content_that_is_lost_closes_nothing_else() {
    type Spoil = fn(&Path);
    let lose: Spoil = |path| fs::remove_file(path).unwrap();
    let cut: Spoil = |path| fs::write(path, &fs::read(path).unwrap()[1..]).unwrap();
    for (what, spoil) in [
        ("is missing", lose),
        ("is not what was written", flip),
        ("is not what was written", cut),
    ] {
        let (desk, file) = large_room();
        let events = desk.run(&["log", "large", "--json"]).expect(0).values();
        let said = events
            .iter()
            .position(|event| event["kind"] == "ModelAnswered")
            .unwrap();
        spoil(&file);
        let before = files(&desk.path("store"));
        let named = format!(
            "of the world large: the content of event {}, the file content/",
            said + 1
        );
        let read = desk
            .run(&["log", "large", "--json"])
            .expect(5)
            .err_has(&named)
            .err_has(what)
            .values();
        assert_eq!(read.len(), events.len());
        for (at, (read, event)) in read.iter().zip(&events).enumerate() {
            assert_eq!(read == event, at != said, "event {}", at + 1);
        }
        desk.run(&["log", "large"])
            .expect(5)
            .out_has("second answer")
            .err_has(&named)
            .err_has("rebuild --to DIR`");
        let last = (events.len() - 1).to_string();
        for command in [
            ["replay", "large"].as_slice(),
            &["why", "large", &last],
            &["usage", "large"],
        ] {
            // A saved fold may have all that is asked for.
            let ran = desk.run(command);
            assert!(
                !ran.out.is_empty() && matches!(ran.code, 0 | 5),
                "{command:?}: {ran:?}"
            );
        }
        desk.run(&["diff", "large", "release-room"])
            .expect(5)
            .out_has("large");
        desk.run(&["export", "large", "--format", "md"])
            .expect(5)
            .out_has("second answer");
        desk.run(&["export", "large", "--format", "bundle", "-o", "bundle.json"])
            .expect(5)
            .err_has(what);
        desk.run(&["verify", "large"])
            .expect(5)
            .out_has("the content of event");
        desk.run(&["worlds"])
            .out_has("large")
            .out_has("release-room");
        desk.run(&["log", "release-room"]).expect(0);
        assert!(
            files(&desk.path("store")) == before,
            "reading has changed the store"
        );
        desk.run(&["resume", "large"]).expect(5).err_has(what);
        desk.run(&["rebuild", "--to", "new"]);
        let rebuilt = desk
            .run(&["--store", "new", "log", "large", "--json"])
            .expect(0)
            .values();
        assert_eq!(rebuilt[..events.len()].len(), events.len());
        desk.run(&["--store", "new", "resume", "large"]).expect(0);
    }
}

#[test]
fn commands_that_an_error_names_go_to_the_same_store() {
    let desk = two_rooms();
    let named = desk
        .run(&["--store", "./store", "log", "nowhere"])
        .expect(3);
    named.err_has("`folkmoot --store ./store worlds`");
    flip(&desk.path("store/log/db"));
    let refused = desk
        .run(&["--store", "./store", "run", "gate.yaml"])
        .expect(5);
    refused
        .err_has("`folkmoot --store ./store verify --all`")
        .err_has("`folkmoot --store ./store rebuild --to DIR`");
}
