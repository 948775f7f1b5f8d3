//! `rebuild`: a new store of what is whole of an old one.

use std::fs;
use std::path::{Path, PathBuf};

use crate::desk::{Desk, example};

/// A room whose log is signed, what was anchored of it, and a bundle of all of it.
fn told() -> Desk {
    let desk = Desk::new();
    desk.run(&["key", "new", "desk.key", "--name", "example.com/desk"])
        .expect(0);
    desk.run(&["--key", "desk.key", "run", &example("release-room.yaml")])
        .expect(0);
    desk.run(&["run", &example("denied.yaml")]).expect(0);
    desk.run(&[
        "--key",
        "desk.key",
        "anchor",
        "release-room",
        "-o",
        "room.note",
    ])
    .expect(0);
    desk.run(&[
        "export",
        "release-room",
        "--format",
        "bundle",
        "-o",
        "room.json",
    ])
    .expect(0);
    desk
}

fn database(desk: &Desk) -> PathBuf {
    desk.path("store").join("log/db")
}

/// Changes a bit in every 40th part of what is used of a file.
fn rot(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    (0..used).step_by(used / 40).for_each(|at| bytes[at] ^= 64);
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_sound_store_is_rebuilt_whole_and_verifies_against_an_anchor() {
    let desk = told();
    let log = desk.run(&["log", "release-room", "--json"]).expect(0).out;
    desk.run(&["rebuild", "--to", "new"])
        .expect(0)
        .out_has("release-room: whole, ")
        .out_has("2 worlds and ");
    desk.run(&["--store", "new", "doctor"])
        .expect(0)
        .out_has("fine, engine files,");
    desk.run(&["doctor"])
        .expect(0)
        .out_has("fine, engine sled,");
    assert_eq!(
        desk.run(&["--store", "new", "log", "release-room", "--json"])
            .expect(0)
            .out,
        log
    );
    desk.run(&[
        "--store",
        "new",
        "verify",
        "release-room",
        "--against",
        "room.note",
    ])
    .expect(0);
    desk.run(&[
        "--store", "new", "rebuild", "--to", "third", "--engine", "sled",
    ])
    .expect(0);
    desk.run(&[
        "--store",
        "third",
        "verify",
        "release-room",
        "--against",
        "room.note",
    ])
    .expect(0);
    desk.run(&["--store", "third", "doctor"])
        .expect(0)
        .out_has("fine, engine sled,");
    desk.run(&["rebuild", "--to", "new"])
        .expect(2)
        .err_has("is not empty");
    desk.run(&["rebuild", "--to", "store/new"])
        .expect(2)
        .err_has("is inside the store");
}

#[test]
fn what_is_lost_is_named_and_an_export_brings_it_back() {
    let desk = told();
    let path = database(&desk);
    rot(&path);
    let rotten = fs::read(&path).unwrap();
    desk.run(&["worlds"])
        .expect(5)
        .err_has("`folkmoot rebuild --to DIR` saves what is whole");
    let poor = desk
        .run(&["rebuild", "--to", "poor", "--json"])
        .expect(5)
        .document();
    assert_eq!(poor["is_whole"], false);
    assert!(!poor["store"].as_array().unwrap().is_empty());
    let rich = desk
        .run(&["rebuild", "--to", "rich", "--from-export", "room.json"])
        .expect(5);
    assert!(rich.out.contains("release-room: "), "{}", rich.out);
    desk.run(&[
        "--store",
        "rich",
        "verify",
        "release-room",
        "--against",
        "room.note",
    ])
    .expect(0);
    assert_eq!(
        fs::read(&path).unwrap(),
        rotten,
        "the old store is as it was"
    );
    // Without any old store, what was exported is all that there is to keep.
    desk.run(&[
        "--store",
        "none",
        "rebuild",
        "--to",
        "only",
        "--from-export",
        "room.json",
    ])
    .expect(0);
    desk.run(&["--store", "only", "verify", "--all"]).expect(0);
    desk.run(&["--store", "none", "rebuild", "--to", "nothing"])
        .expect(3)
        .err_has("there is no store at none");
    assert!(!desk.path("nothing").exists());
}

#[test]
fn an_export_that_is_not_whole_is_refused() {
    let desk = told();
    let bundle = fs::read_to_string(desk.path("room.json")).unwrap();
    desk.write("bad.json", &bundle.replacen("release", "relaese", 1));
    desk.run(&["rebuild", "--to", "new", "--from-export", "bad.json"])
        .expect(5)
        .err_has("bad.json: it is damaged");
    desk.run(&[
        "export",
        "release-room",
        "--format",
        "bundle",
        "--events",
        "5",
        "-o",
        "some.json",
    ])
    .expect(0);
    desk.run(&["rebuild", "--to", "new", "--from-export", "some.json"])
        .expect(3)
        .err_has("chosen events only");
    assert!(!desk.path("new").exists());
}
