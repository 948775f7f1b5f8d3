//! A store file that was cut or changed: an error, or everything; never less without a word, never something else.

use std::fs::{self, File};
use std::path::PathBuf;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::port::{EventLog as _, Labels};
use folkmoot_store::{OpenMode, Store};

use crate::fixture::*;

const WORLDS: u8 = 3;
const FLIPS: u64 = 60;

/// A store with commits in runs and in shared frames, its commits, and where its database is.
async fn sample() -> (OnDisk, Vec<Vec<Commit>>) {
    let disk = OnDisk::new();
    let log = disk.open();
    let mut all = Vec::new();
    for number in 0..WORLDS {
        all.push(fill(&log, number, 60).await);
    }
    log.close().unwrap();
    let log = disk.open();
    for number in 0..WORLDS {
        for first in 61..80 {
            append(&log, post(number, first)).await;
            all[usize::from(number)].push(post(number, first));
        }
    }
    (disk.killed(), all)
}

fn database(disk: &OnDisk) -> PathBuf {
    disk.dir.path().join("store/log/db")
}

/// Whether the store was refused, or served an error; panics if it served less or something else in silence.
async fn is_noticed(disk: &OnDisk, all: &[Vec<Commit>], what: &str) -> bool {
    let Ok(log) = Store::open(disk.dir.path().join("store"), OpenMode::Existing) else {
        return true;
    };
    let listed = log.worlds(&Labels::new(), None, 10).await.unwrap().len();
    assert_eq!(listed, all.len(), "{what}: a world is gone");
    let mut noticed = false;
    for (number, commits) in (0..).zip(all) {
        match try_read(&log, number, 0).await {
            Ok(found) => assert!(
                &bare(found) == commits,
                "{what}: world {number} has lost or changed commits"
            ),
            Err(_) => noticed = true,
        }
    }
    noticed
}

#[tokio::test]
async fn a_changed_byte_is_noticed_or_harmless() {
    let (whole, all) = sample().await;
    let bytes = fs::read(database(&whole)).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    let mut noticed = 0;
    for flip in 0..FLIPS {
        let at = (flip * 2_654_435_761 % used as u64) as usize;
        let copy = whole.killed();
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (flip % 8);
        fs::write(database(&copy), changed).unwrap();
        noticed += u64::from(is_noticed(&copy, &all, &format!("byte {at} of {used}")).await);
    }
    assert!(
        noticed > FLIPS / 2,
        "only {noticed} of {FLIPS} changes were noticed"
    );
}

#[tokio::test]
async fn a_truncated_file_is_noticed_or_harmless() {
    let (whole, all) = sample().await;
    let bytes = fs::read(database(&whole)).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap() as u64;
    let mut noticed = 0;
    for part in 0..20 {
        let copy = whole.killed();
        let len = used * part / 20;
        File::options()
            .write(true)
            .open(database(&copy))
            .unwrap()
            .set_len(len)
            .unwrap();
        noticed += u64::from(is_noticed(&copy, &all, &format!("{len} of {used} bytes")).await);
    }
    assert!(noticed > 15, "only {noticed} of 20 cuts were noticed");
}
