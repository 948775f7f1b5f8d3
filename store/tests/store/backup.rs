//! Backups of a store that is written meanwhile.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Digest, Position, Time};
use folkmoot_core::port::{Blobs as _, Checkpoints as _, EventLog as _, Labels};
use folkmoot_store::{BackupError, DeleteOrder, OpenError, OpenMode, Store};

use crate::fixture::*;

const DIR: &str = "FOLKMOOT_TEST_FULL_BACKUP";

crate::on_every_engine! {
    a_backup_opens_like_the_store
    a_backup_goes_on_and_is_backed_up
    a_backup_during_a_storm_is_a_prefix_with_all_that_was_acknowledged
    a_backup_of_an_empty_store_is_an_empty_store
    blobs_come_along_and_checkpoints_do_not
}

fn target() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("backup");
    (dir, path)
}

fn open(path: &Path) -> Store {
    Store::open(path, OpenMode::Existing).unwrap()
}

async fn a_backup_opens_like_the_store(log: Store) {
    let one = fill(&log, 1, 300).await;
    append(&log, with_key(post(1, 301), keyed("k", "x"))).await;
    let two = fill(&log, 2, 40).await;
    log.delete(
        &[world(2)],
        &DeleteOrder {
            by: Principal::World,
            at: Time(5),
        },
    )
    .await
    .unwrap();
    let three = fill(&log, 3, 40).await;
    let (_dir, path) = target();
    let backup = log.backup(&path).await.unwrap();
    assert_eq!(
        (backup.path.as_path(), backup.worlds, backup.events),
        (path.as_path(), 2, 341)
    );
    append(&log, post(1, 302)).await;
    let copy = open(&path);
    assert_eq!(read(&copy, 1, 0).await[..one.len()], one);
    assert_eq!(read(&copy, 1, 0).await.len(), one.len() + 1);
    assert_eq!(read(&copy, 3, 0).await, three);
    assert_eq!(
        copy.find_key(world(1), &key("k"))
            .await
            .unwrap()
            .unwrap()
            .commit
            .header
            .first,
        Position::new(301)
    );
    assert_eq!(copy.deleted().await.unwrap(), log.deleted().await.unwrap());
    assert!(
        try_read(&copy, 2, 0).await.is_err(),
        "{} commits of a deleted world",
        two.len()
    );
}

async fn a_backup_goes_on_and_is_backed_up(log: Store) {
    fill(&log, 1, 301).await;
    let (_dir, path) = target();
    log.backup(&path).await.unwrap();
    let copy = open(&path);
    append(&copy, post(1, 302)).await;
    append(&copy, creation(4)).await;
    copy.close().unwrap();
    let (_dir, again) = target();
    let copy = open(&path);
    copy.backup(&again).await.unwrap();
    assert_eq!(read(&open(&again), 1, 0).await, read(&copy, 1, 0).await);
}

async fn a_backup_during_a_storm_is_a_prefix_with_all_that_was_acknowledged(log: Store) {
    const WRITERS: u8 = 6;
    let heads: Arc<Vec<AtomicU64>> = Arc::new((0..=WRITERS).map(|_| AtomicU64::new(2)).collect());
    let storm = |number: u8| {
        let (log, heads) = (log.clone(), Arc::clone(&heads));
        async move {
            append(&log, creation(number)).await;
            for first in 3..400 {
                append(&log, post(number, first)).await;
                heads[usize::from(number)].store(first, Ordering::SeqCst);
            }
        }
    };
    let storms: Vec<_> = (1..=WRITERS)
        .map(|number| tokio::spawn(storm(number)))
        .collect();
    while heads[1].load(Ordering::SeqCst) < 60 {
        tokio::task::yield_now().await;
    }
    let before: Vec<u64> = heads
        .iter()
        .map(|head| head.load(Ordering::SeqCst))
        .collect();
    let (_dir, path) = target();
    log.backup(&path).await.unwrap();
    for storm in storms {
        storm.await.unwrap();
    }
    let copy = open(&path);
    for number in 1..=WRITERS {
        let (whole, copied) = (
            try_read(&log, number, 0).await.unwrap(),
            try_read(&copy, number, 0).await.unwrap(),
        );
        assert_eq!(copied, whole[..copied.len()], "world {number}");
        let head = copied.last().unwrap().commit.last().get();
        assert!(
            head >= before[usize::from(number)],
            "world {number} ends at {head} before {before:?}"
        );
        append(&copy, post(number, head + 1)).await;
    }
}

async fn a_backup_of_an_empty_store_is_an_empty_store(log: Store) {
    let (_dir, path) = target();
    fs::create_dir(&path).unwrap();
    log.backup(&path).await.unwrap();
    let copy = open(&path);
    assert_eq!(copy.worlds(&Labels::new(), None, 9).await.unwrap(), []);
    fill(&copy, 1, 5).await;
}

async fn blobs_come_along_and_checkpoints_do_not(log: Store) {
    fill(&log, 1, 5).await;
    let blob = log.put(world(1), b"a picture".to_vec()).await.unwrap();
    log.save(
        world(1),
        Position::new(5),
        Digest::of(&[]),
        b"state".to_vec(),
    )
    .await
    .unwrap();
    let (_dir, path) = target();
    let backup = log.backup(&path).await.unwrap();
    assert_eq!((backup.blobs, backup.blobs_damaged), (1, 0));
    let copy = open(&path);
    assert_eq!(
        copy.get(world(1), blob).await.unwrap(),
        Some(b"a picture".to_vec())
    );
    assert_eq!(copy.places(world(1)).await, []);
}

#[tokio::test]
async fn what_is_in_the_way_is_left_alone() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 5).await;
    let (dir, path) = target();
    log.backup(&path).await.unwrap();
    let error = log.backup(&path).await.unwrap_err();
    assert!(
        matches!(&error, BackupError::Occupied { path: named } if *named == path),
        "{error:?}"
    );
    let file = dir.path().join("file");
    fs::write(&file, b"text").unwrap();
    let error = log.backup(&file).await.unwrap_err();
    assert!(
        matches!(error, BackupError::Target(OpenError::NotADirectory { .. })),
        "{error:?}"
    );
    let error = log.backup(file.join("below")).await.unwrap_err();
    assert!(
        matches!(error, BackupError::Target(OpenError::CannotCreate { .. })),
        "{error:?}"
    );
    for inside in ["store", "store/backup", "store/log/../deep/backup"] {
        let error = log.backup(disk.dir.path().join(inside)).await.unwrap_err();
        assert!(
            matches!(error, BackupError::InsideStore { .. }),
            "{inside}: {error:?}"
        );
    }
    assert_eq!(fs::read(&file).unwrap(), b"text");
    assert_eq!(read(&open(&path), 1, 0).await, read(&log, 1, 0).await);
}

#[tokio::test]
async fn half_a_backup_says_so_and_does_not_open() {
    let log = Store::memory();
    fill(&log, 1, 5).await;
    let (_dir, path) = target();
    log.backup(&path).await.unwrap();
    fs::write(path.join("format"), b"folkmoot backup, unfinished\n").unwrap();
    for mode in [OpenMode::Existing, OpenMode::Create] {
        let error = Store::open(&path, mode).unwrap_err();
        assert!(matches!(error, OpenError::HalfBackup { .. }), "{error:?}");
        assert!(error.to_string().contains("half a backup"), "{error}");
    }
    let error = log.backup(&path).await.unwrap_err();
    assert!(matches!(error, BackupError::Occupied { .. }), "{error:?}");
}

#[tokio::test]
async fn a_damaged_blob_is_left_out_and_counted() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 5).await;
    let whole = log.put(world(1), b"whole".to_vec()).await.unwrap();
    log.put(world(1), b"damaged".to_vec()).await.unwrap();
    let folder = disk
        .dir
        .path()
        .join("store/blobs")
        .join(world(1).to_string());
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if fs::read(entry.path()).unwrap() == b"damaged" {
            fs::write(entry.path(), b"rotten").unwrap();
        }
    }
    let (_dir, path) = target();
    let backup = log.backup(&path).await.unwrap();
    assert_eq!((backup.blobs, backup.blobs_damaged), (1, 1));
    assert_eq!(
        open(&path).get(world(1), whole).await.unwrap(),
        Some(b"whole".to_vec())
    );
}

/// Runs the test below in a process of its own, under a limit of file sizes.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_that_opens() {
    let dir = tempfile::tempdir().unwrap();
    let own = std::env::current_exe().unwrap();
    let script =
        "trap '' XFSZ; ulimit -f 1024; exec \"$0\" --ignored --exact backup::onto_a_full_disk";
    let child = Command::new("sh")
        .args(["-c", script])
        .arg(own)
        .env(DIR, dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout).into_owned()
        + &String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "runs under a limit, started by the test above"]
async fn onto_a_full_disk() {
    let Some(dir) = std::env::var_os(DIR).map(PathBuf::from) else {
        return;
    };
    let log = Store::memory();
    append(&log, creation(1)).await;
    for first in 3..200 {
        append(&log, say(1, first, "word ".repeat(4_000))).await;
    }
    let path = dir.join("backup");
    let error = log.backup(&path).await.unwrap_err();
    assert!(
        matches!(error, BackupError::Target(OpenError::Full { .. })),
        "{error:?}"
    );
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
    append(&log, post(1, 200)).await;
}
