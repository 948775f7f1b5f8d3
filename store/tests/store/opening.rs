//! Every way in which a store does not open, and what is said about it.

use std::fs;
use std::path::Path;

use folkmoot_store::{OpenError, OpenMode, Store};

use crate::fixture::*;

fn refused(path: &Path, mode: OpenMode) -> OpenError {
    Store::open(path, mode).unwrap_err()
}

#[tokio::test]
async fn a_missing_store_is_made_only_if_that_is_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b/store");
    let error = refused(&path, OpenMode::Existing);
    assert!(
        matches!(&error, OpenError::Missing { path: p } if *p == path),
        "{error:?}"
    );
    assert!(!dir.path().join("a").exists(), "looking made a folder");
    drop(Store::open(&path, OpenMode::Create).unwrap());
    drop(Store::open(&path, OpenMode::Existing).unwrap());
}

#[tokio::test]
async fn a_store_in_use_is_refused_with_the_pid() {
    let disk = OnDisk::new();
    let held = disk.open();
    let error = refused(&disk.dir.path().join("store"), OpenMode::Create);
    let own = std::process::id();
    assert!(
        matches!(error, OpenError::Locked { pid: Some(pid), .. } if pid == own),
        "{error:?}"
    );
    assert!(error.to_string().contains(&format!("process {own}")));
    drop(held);
    drop(disk.open());
}

#[tokio::test]
async fn a_closed_store_can_be_opened_while_old_handles_live() {
    let disk = OnDisk::new();
    let old = disk.open();
    fill(&old, 1, 5).await;
    old.close().unwrap();
    let new = disk.open();
    assert_eq!(read(&new, 1, 5).await, [post(1, 5)]);
    old.close().unwrap();
}

#[test]
fn a_path_that_leads_in_circles_is_not_called_missing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    std::os::unix::fs::symlink("store", &path).unwrap();
    let error = refused(&path, OpenMode::Existing);
    assert!(
        matches!(&error, OpenError::Io { path: p, .. } if *p == path),
        "{error:?}"
    );
}

#[test]
fn a_text_file_is_not_a_store() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.txt");
    fs::write(&path, "not a store").unwrap();
    for mode in [OpenMode::Create, OpenMode::Existing] {
        assert!(matches!(
            refused(&path, mode),
            OpenError::NotADirectory { .. }
        ));
    }
    assert!(matches!(
        refused(&path.join("store"), OpenMode::Create),
        OpenError::CannotCreate { .. }
    ));
    assert_eq!(fs::read_to_string(&path).unwrap(), "not a store");
}

#[test]
fn a_foreign_directory_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("letter"), "dear").unwrap();
    assert!(matches!(
        refused(dir.path(), OpenMode::Create),
        OpenError::Foreign { .. }
    ));
    fs::write(dir.path().join("format"), "something else 1\n").unwrap();
    assert!(matches!(
        refused(dir.path(), OpenMode::Create),
        OpenError::Foreign { .. }
    ));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn a_store_whose_making_was_cut_off_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    for half in ["", "folkmoot st", "folkmoot store 2\n"] {
        let path = dir.path().join(format!("after {} bytes", half.len()));
        fs::create_dir(&path).unwrap();
        fs::write(path.join(".format.new"), half).unwrap();
        assert!(matches!(
            refused(&path, OpenMode::Existing),
            OpenError::Missing { .. }
        ));
        drop(Store::open(&path, OpenMode::Create).unwrap());
        drop(Store::open(&path, OpenMode::Existing).unwrap());
    }
}

#[test]
fn a_newer_format_is_named() {
    let disk = OnDisk::new();
    drop(disk.open());
    fs::write(disk.dir.path().join("store/format"), "folkmoot store 3\n").unwrap();
    let error = refused(&disk.dir.path().join("store"), OpenMode::Create);
    assert!(
        matches!(
            error,
            OpenError::NewerFormat {
                found: 3,
                known: 2,
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_store_whose_log_is_gone_is_damaged_and_not_empty() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 5).await;
    drop(log);
    fs::remove_dir_all(disk.dir.path().join("store/log")).unwrap();
    let error = refused(&disk.dir.path().join("store"), OpenMode::Create);
    assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
}

#[cfg(unix)]
#[test]
fn a_read_only_directory_is_said_to_be_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let locked = dir.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        eprintln!("skipped: this user may write everywhere");
        return;
    }
    let error = refused(&locked.join("store"), OpenMode::Create);
    assert!(matches!(error, OpenError::ReadOnly { .. }), "{error:?}");
}

#[test]
fn a_torn_snapshot_does_not_keep_the_store_from_opening() {
    let disk = OnDisk::new();
    drop(disk.open());
    let torn = disk
        .dir
        .path()
        .join("store/log/snap.0000000000000000.generating");
    fs::write(&torn, "half of").unwrap();
    drop(disk.open());
    assert!(!torn.exists());
}

/// sled does not sync the file of its settings: what a power cut leaves of it may be zeros.
#[tokio::test]
async fn a_database_that_was_begun_and_not_finished_is_begun_again() {
    let disk = OnDisk::new();
    drop(disk.open());
    let store = disk.dir.path().join("store");
    fs::rename(store.join("log"), store.join("log.begun")).unwrap();
    fs::write(store.join("log.begun/conf"), [0; 40]).unwrap();
    fs::remove_file(store.join("head")).unwrap();
    let commits = fill(&disk.open(), 1, 5).await;
    assert_eq!(read(&disk.open(), 1, 0).await, commits);
    assert!(!store.join("log.begun").exists());
}
