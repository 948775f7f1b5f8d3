use std::path::PathBuf;

use super::*;
use crate::engine::{Engine as _, FrameLog as _, FrameNumber, Shelf as _, Table};
use crate::home::opening::OpenMode;

const CANARY: &[u8] = b"canary-7f3a19";

fn open(home: &Path) -> FilesEngine {
    FilesEngine::open(home, OpenMode::Create).unwrap()
}

/// A store with frames and rows, and with a canary that was overwritten in a row, removed as a row, and trimmed as a frame.
fn with_a_canary(home: &Path) -> FilesEngine {
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

fn check(engine: &FilesEngine) {
    assert_eq!(engine.head().unwrap(), FrameNumber(2));
    assert_eq!(
        engine.read(FrameNumber(0), 1_000).unwrap(),
        [(FrameNumber(2), b"kept".to_vec())]
    );
    let rows = engine.range(Table::Runs, b"a", b"z", 1_000).unwrap();
    assert_eq!(rows, [(b"a".to_vec(), b"new".to_vec())]);
}

fn has_canary(home: &Path) -> bool {
    let holds = |path: PathBuf| {
        fs::read(path)
            .unwrap()
            .windows(CANARY.len())
            .any(|window| window == CANARY)
    };
    fs::read_dir(home.join(FOLDER))
        .unwrap()
        .any(|entry| holds(entry.unwrap().path()))
}

#[test]
fn what_was_removed_is_in_no_file_after_a_compaction() {
    let dir = tempfile::tempdir().unwrap();
    let engine = with_a_canary(dir.path());
    assert!(has_canary(dir.path()));
    engine.compact().unwrap();
    assert!(!has_canary(dir.path()));
    check(&engine);
    drop(engine);
    check(&open(dir.path()));
    assert!(!has_canary(dir.path()));
}

/// A process may die behind each byte of the copy, and behind each step that follows.
#[test]
fn a_compaction_that_was_cut_short_is_undone_or_finished_at_the_next_opening() {
    let dir = tempfile::tempdir().unwrap();
    drop(with_a_canary(dir.path()));
    let folder = dir.path().join(FOLDER);
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    let (old, old_mark) = (read(ROWS), read(super::super::mark::FILE));
    open(dir.path()).compact().unwrap();
    let (new, new_mark) = (read(ROWS), read(super::super::mark::FILE));
    let set = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    for len in 0..=new.len() {
        set(ROWS, &old);
        set(super::super::mark::FILE, &old_mark);
        set(&half_written(ROWS), &new[..len]);
        check(&open(dir.path()));
        assert!(!folder.join(half_written(ROWS)).exists());
    }
    for mark in [&old_mark, &new_mark] {
        set(ROWS, &new);
        set(super::super::mark::FILE, mark);
        check(&open(dir.path()));
        assert!(!has_canary(dir.path()));
    }
    // Renamed, and the note of it lost: what was copied is known to have been whole.
    for len in 0..new.len() {
        set(ROWS, &new[..len]);
        set(super::super::mark::FILE, &old_mark);
        assert!(
            FilesEngine::open(dir.path(), OpenMode::Existing).is_err(),
            "cut at {len}"
        );
    }
}

#[test]
fn a_copy_that_cannot_be_made_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let engine = with_a_canary(dir.path());
    let blocker = dir.path().join(FOLDER).join(half_written(ROWS));
    fs::create_dir(&blocker).unwrap();
    assert!(engine.compact().is_err());
    check(&engine);
    let term = engine.take_over().unwrap();
    engine
        .append(term, FrameNumber(2), &[b"more".to_vec()])
        .unwrap();
    fs::remove_dir(&blocker).unwrap();
    engine.compact().unwrap();
    assert_eq!(engine.head().unwrap(), FrameNumber(3));
}

#[test]
fn a_file_that_is_mostly_dead_is_rewritten_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = open(dir.path());
    engine.rewrite_bytes = 10_000;
    let len = || {
        fs::metadata(dir.path().join(FOLDER).join(ROWS))
            .unwrap()
            .len()
    };
    let term = engine.take_over().unwrap();
    for number in 0..100 {
        engine
            .append(term, FrameNumber(number), &[vec![7; 1_000]])
            .unwrap();
        engine.trim(FrameNumber(number)).unwrap();
    }
    assert!(len() < 15_000, "{}", len());
    assert_eq!(engine.head().unwrap(), FrameNumber(100));
    assert_eq!(
        engine.read(FrameNumber(0), 10_000).unwrap(),
        [(FrameNumber(100), vec![7; 1_000])]
    );
}
