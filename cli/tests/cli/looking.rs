//! Reading commands change no byte of a store, and a forged state lets nothing start.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::desk::{Desk, example};

/// All files below a folder with what is in them.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
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
fn flip(path: &Path) {
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
        &["export", "release-room", "--format", "bundle", "-o", "bundle.json"],
        &["erase", "gate", "4", "--basis", "asked", "--as", "ada", "--dry-run"],
        &["backup", "copy"],
        &["doctor"],
    ] {
        desk.run(command).expect(0);
        assert!(files(&desk.path("store")) == before, "{command:?} has changed the store");
    }
}

#[test]
fn a_damaged_store_is_read_as_it_is_and_refused_by_whoever_writes() {
    let desk = two_rooms();
    flip(&desk.path("store/log/db"));
    let before = files(&desk.path("store"));
    let verified = desk.run(&["verify", "--all"]).expect(5);
    verified.out_has("at byte ").out_has("events are whole");
    let listed = desk.run(&["worlds"]);
    listed.err_has("is damaged").err_has("`folkmoot rebuild --to DIR`");
    desk.run(&["doctor"]).expect(5).out_has("is damaged");
    desk.run(&["backup", "copy"]).expect(5).err_has("folkmoot rebuild");
    for writes in [["run", "gate.yaml"].as_slice(), &["resume", "gate"], &["deny", "gate", "10", "--as", "ada"]] {
        desk.run(writes).expect(5).err_has("`folkmoot verify --all`").err_has("`folkmoot rebuild --to DIR`");
    }
    assert!(files(&desk.path("store")) == before);
    desk.run(&["rebuild", "--to", "new"]);
    assert!(files(&desk.path("store")) == before);
    desk.run(&["--store", "new", "worlds"]).expect(0);
}

/// The checksum that ends a saved state.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
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
        let forged = state.replace(r#"{"awaits_approval":{"request":10,"next":1}}"#, r#"{"ready":{"next":1}}"#);
        assert_ne!(forged, state);
        forged
    });
    desk.run(&["verify", "gate"]).expect(5).out_has("saved fold");
    let resumed = desk.run(&["resume", "gate"]);
    assert_ne!(resumed.code, 0);
    resumed.err_has("does not say that a person allowed it").err_has("checkpoints");
    assert_eq!(desk.runs(), 0);
    assert!(!desk.kinds("gate").contains(&"ToolStarted".to_owned()));
    // Without the forged state the world goes on.
    fs::remove_dir_all(desk.path("store/checkpoints")).unwrap();
    desk.run(&["approve", "gate", "10", "--as", "ada"]).expect(0);
    desk.run(&["resume", "gate"]).expect(0);
    assert_eq!(desk.runs(), 1);
}
