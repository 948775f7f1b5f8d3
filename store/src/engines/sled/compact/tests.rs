use std::path::PathBuf;

use super::*;
use crate::engine::{Engine as _, FrameLog as _, FrameNumber, Shelf as _, Table};
use crate::home::opening::OpenMode;

const CANARY: &[u8] = b"canary-7f3a19";

fn open(home: &Path) -> SledEngine {
    SledEngine::open(home, OpenMode::Create).unwrap()
}

/// A store with frames and rows, and with a canary that was overwritten in a row, removed as a row, and trimmed as a frame.
fn with_a_canary(home: &Path) -> SledEngine {
    let engine = open(home);
    let term = engine.take_over().unwrap();
    engine
        .append(term, FrameNumber(0), &[CANARY.to_vec(), b"kept".to_vec()])
        .unwrap();
    engine.trim(FrameNumber(1)).unwrap();
    engine
        .put(
            Table::Runs,
            &[
                (b"a".to_vec(), CANARY.to_vec()),
                (b"b".to_vec(), CANARY.to_vec()),
            ],
        )
        .unwrap();
    engine
        .put(Table::Runs, &[(b"a".to_vec(), b"new".to_vec())])
        .unwrap();
    engine.remove(Table::Runs, &[b"b".to_vec()]).unwrap();
    engine
}

fn check(engine: &SledEngine) {
    assert_eq!(engine.head().unwrap(), FrameNumber(2));
    assert_eq!(
        engine.read(FrameNumber(0), 1_000).unwrap(),
        [(FrameNumber(2), b"kept".to_vec())]
    );
    let rows = engine.range(Table::Runs, b"a", b"z", 1_000).unwrap();
    assert_eq!(rows, [(b"a".to_vec(), b"new".to_vec())]);
}

fn has_canary(folder: &Path) -> bool {
    let holds = |path: PathBuf| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(CANARY.len()).any(|window| window == CANARY)
    };
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            if path.is_dir() {
                has_canary(&path)
            } else {
                holds(path)
            }
        })
        .fold(false, |a, b| a | b)
}

fn clone(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            clone(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn what_was_removed_is_in_no_file_after_a_compaction() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    let engine = with_a_canary(&home);
    assert!(
        has_canary(&home),
        "sled forgets by itself now: this test shows nothing"
    );
    engine.compact().unwrap();
    assert!(!has_canary(&home));
    check(&engine);
    let term = engine.take_over().unwrap();
    engine
        .append(term, FrameNumber(2), &[b"after".to_vec()])
        .unwrap();
    engine.compact().unwrap();
    drop(engine);
    let engine = open(&home);
    assert!(engine.take_over().unwrap() > term);
    assert_eq!(
        engine.read(FrameNumber(3), 1_000).unwrap(),
        [(FrameNumber(3), b"after".to_vec())]
    );
    assert!(!has_canary(&home));
}

/// A process that died at each step of a compaction, and what its directory looks like then.
#[test]
fn a_compaction_that_was_cut_anywhere_is_finished_or_undone_at_the_next_opening() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    let engine = with_a_canary(&home);
    engine.with(|trees| copy(trees, &home)).unwrap();
    drop(engine);
    let complete = home.join(COPY).join(COMPLETE);
    let at = |name: &str, change: &dyn Fn(&Path)| {
        let cut = dir.path().join(name);
        clone(&home, &cut);
        change(&cut);
        let engine = open(&cut);
        check(&engine);
        assert!(
            !cut.join(COPY).exists() && !cut.join(LOG).join(COMPLETE).exists(),
            "{name}"
        );
        engine.compact().unwrap();
        check(&engine);
        assert!(!has_canary(&cut), "{name}");
        engine.take_over().unwrap();
    };
    assert!(complete.exists());
    at("begun", &|home| {
        fs::remove_dir_all(home.join(COPY)).unwrap();
        fs::create_dir(home.join(COPY)).unwrap();
    });
    at("half filled", &|home| {
        fs::remove_file(home.join(COPY).join(COMPLETE)).unwrap();
        fs::write(home.join(COPY).join("db"), b"half").unwrap();
    });
    at("half marked", &|home| {
        fs::rename(
            home.join(COPY).join(COMPLETE),
            home.join(COPY).join(".complete.new"),
        )
        .unwrap();
    });
    at("marked", &|_| {});
    at("old half removed", &|home| {
        fs::remove_file(home.join(LOG).join("db")).unwrap()
    });
    at("old removed", &|home| {
        fs::remove_dir_all(home.join(LOG)).unwrap()
    });
    at("renamed", &|home| {
        fs::remove_dir_all(home.join(LOG)).unwrap();
        fs::rename(home.join(COPY), home.join(LOG)).unwrap();
    });
}

#[test]
fn a_complete_copy_is_what_counts() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    let engine = with_a_canary(&home);
    engine.with(|trees| copy(trees, &home)).unwrap();
    drop(engine);
    drop(open(&home));
    assert!(!has_canary(&home), "the original was kept");
}

#[test]
fn an_unfinished_copy_without_its_original_is_damage_and_stays() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    drop(with_a_canary(&home));
    fs::rename(home.join(LOG), home.join(COPY)).unwrap();
    assert!(SledEngine::open(&home, OpenMode::Existing).is_err());
    assert!(home.join(COPY).join("db").exists());
}

#[test]
fn a_copy_that_cannot_be_made_leaves_a_working_engine() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    let engine = with_a_canary(&home);
    fs::write(home.join(COPY), b"in the way").unwrap();
    engine.compact().unwrap_err();
    check(&engine);
    fs::remove_file(home.join(COPY)).unwrap();
    engine.compact().unwrap();
    check(&engine);
    assert!(!has_canary(&home));
}
