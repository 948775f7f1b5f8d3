use std::path::PathBuf;

use super::lock::Lock;
use super::stat::{self, Stat};

fn process(pid: u32, parent: u32) -> Stat {
    Stat {
        pid,
        parent,
        group: 1,
        started: u64::from(pid),
        is_zombie: false,
    }
}

#[test]
fn a_process_whose_name_looks_like_fields_is_read_right() {
    let text = "42 (a) R 1 (b)) Z 7 5 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 9876 0 0";
    assert_eq!(
        stat::parse(42, text),
        Some(Stat {
            pid: 42,
            parent: 7,
            group: 5,
            started: 9876,
            is_zombie: true
        })
    );
    assert_eq!(stat::parse(42, "42 (cut) R 1 2"), None);
}

#[test]
fn this_process_is_found_with_its_parent() {
    let own = stat::read(std::process::id()).unwrap();
    assert_eq!(own.parent, std::os::unix::process::parent_id());
    assert!(stat::all().unwrap().contains(&own));
}

#[test]
fn descendants_are_found_through_all_generations_and_dead_parents() {
    let zombie = Stat {
        is_zombie: true,
        ..process(3, 2)
    };
    let all = [
        process(9, 3),
        process(2, 1),
        zombie,
        process(4, 8),
        process(8, 0),
        process(1, 0),
    ];
    assert_eq!(stat::descendants(&all, 1), [process(2, 1), process(9, 3)]);
    assert_eq!(stat::descendants(&all, 9), []);
}

#[test]
fn a_released_lock_leaves_no_file_and_can_be_taken_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.lock");
    for _ in 0..2 {
        let lock = Lock::wait(path.clone()).unwrap();
        assert!(path.exists());
        lock.release().unwrap();
        assert!(!path.exists());
    }
}

#[test]
fn a_lock_guards_the_file_that_is_there_and_not_one_that_was_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("a.lock");
    let first = Lock::wait(path.clone()).unwrap();
    let waiting = std::thread::spawn({
        let path = path.clone();
        move || Lock::wait(path).unwrap()
    });
    first.release().unwrap();
    let second = waiting.join().unwrap();
    assert!(
        path.exists(),
        "whoever comes next meets the second holder's file"
    );
    second.release().unwrap();
}

#[test]
fn a_lock_in_a_missing_folder_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = Lock::wait(folder.path().join("missing").join("a.lock")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}
