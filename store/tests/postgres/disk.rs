//! Disks that are full: small ones in memory, which only root can make. Elsewhere the tests say that they are skipped.

#![expect(
    clippy::print_stderr,
    reason = "where no disk can be mounted, a test says that it is skipped"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use folkmoot_store::{Landing, LedgerError, Rows as _};

use crate::rows::{begin, next, node, open, salts};
use crate::server::{NOBODY, Server};

/// How long something may take that a test waits for.
const WITHIN: Duration = Duration::from_secs(120);

/// The bytes of a row. No compression makes them fewer.
const BYTES: usize = 60_000;

/// A disk in memory. Dropped, it goes.
struct Disk(PathBuf);

impl Disk {
    /// `None`, and says so, where it may not be made.
    fn at(path: &Path, size: &str, test: &str) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        let how = format!("size={size},uid={NOBODY},gid={NOBODY},mode=700");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &how, "tmpfs"]).arg(path);
        let is_made = mount.output().is_ok_and(|ran| ran.status.success());
        if !is_made {
            eprintln!("skipped: {test}: no disk can be mounted here");
        }
        is_made.then(|| Self(path.to_owned()))
    }

    fn grow(&self, size: &str) {
        let mut mount = Command::new("mount");
        mount
            .args(["-o", &format!("remount,size={size}")])
            .arg(&self.0);
        assert!(mount.status().unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // The server may still have files there.
        Command::new("umount")
            .arg("-l")
            .arg(&self.0)
            .status()
            .unwrap();
    }
}

/// A folder that the server's user comes through.
fn open_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// A text of its own for each row.
fn salt(at: u64) -> String {
    let mut state = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(33 + u8::try_from(state % 94).unwrap())
    };
    (0..BYTES).map(|_| letter()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_takes_nothing_more_keeps_what_it_has_and_goes_on_with_more_room() {
    let test = "a disk that is full";
    let folder = open_folder();
    let place = folder.path().join("small");
    let Some(disk) = Disk::at(&place, "40m", test) else {
        return;
    };
    let Some(server) = Server::start(test) else {
        return;
    };
    server.sql(
        "postgres",
        &format!("CREATE TABLESPACE small LOCATION '{}'", place.display()),
    );
    server.sql("postgres", "CREATE DATABASE little TABLESPACE small");
    let ledger = open(&server.url().replace("/postgres?", "/little?")).await;
    let holder = node();
    let world = begin(&ledger, holder).await;
    let mut kept = vec!["birth".to_owned()];
    let refused = loop {
        let at = kept.len() as u64 + 1;
        match ledger.append(holder, &[next(world, at, &salt(at))]).await {
            Ok(landed) => assert_eq!(landed, [Landing::Appended]),
            Err(error) => break error,
        }
        kept.push(salt(at));
        assert!(kept.len() < 1_000, "it is never full");
    };
    assert!(matches!(refused, LedgerError::Full(_)), "{refused:?}");
    assert!(kept.len() > 20, "{}", kept.len());
    assert!(salts(&ledger, world).await == kept);
    disk.grow("80m");
    let at = kept.len() as u64 + 1;
    let landed = ledger.append(holder, &[next(world, at, &salt(at))]).await;
    assert_eq!(landed.unwrap(), [Landing::Appended]);
    kept.push(salt(at));
    assert!(salts(&ledger, world).await == kept);
    drop(server);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_that_dies_of_a_full_journal_has_what_was_acknowledged_when_it_has_room() {
    let test = "a journal that is full";
    let Some(server) = Server::start(test) else {
        return;
    };
    let folder = open_folder();
    let place = folder.path().join("journal");
    let Some(disk) = Disk::at(&place, "64m", test) else {
        return;
    };
    let ledger = open(&server.url()).await;
    let holder = node();
    let world = begin(&ledger, holder).await;
    server.stop();
    let own = server.data().join("pg_wal");
    let copied = Command::new("cp")
        .arg("-a")
        .arg(own.join("."))
        .arg(&place)
        .status();
    assert!(copied.unwrap().success());
    fs::rename(&own, server.data().join("old_wal")).unwrap();
    symlink(&place, &own).unwrap();
    chown(&place, Some(NOBODY), Some(NOBODY)).unwrap();
    server.run();
    let mut kept = vec!["birth".to_owned()];
    let mut is_full = false;
    let deadline = Instant::now() + WITHIN;
    // Some go on after it was full.
    let mut behind = 0;
    while behind < 20 {
        assert!(
            Instant::now() < deadline,
            "{} rows: {}",
            kept.len(),
            server.log()
        );
        let at = kept.len() as u64 + 1;
        match ledger.append(holder, &[next(world, at, &salt(at))]).await {
            Ok(landed) => {
                assert_eq!(landed, [Landing::Appended]);
                kept.push(salt(at));
                behind += u32::from(is_full);
            }
            Err(LedgerError::Full(_) | LedgerError::Unknown(_) | LedgerError::Unreachable(_)) => {
                if server.log().contains("No space left on device") && !is_full {
                    is_full = true;
                    disk.grow("512m");
                }
                // It may have ended, or have come back by itself.
                server.try_run();
            }
            Err(error) => panic!("{error}: {error:?}"),
        }
    }
    assert!(salts(&ledger, world).await == kept);
    drop(server);
}
