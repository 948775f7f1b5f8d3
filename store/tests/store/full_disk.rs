//! A file that may not grow: the append says so, the store stops, and what was acknowledged is there afterwards.
#![cfg(unix)]

use std::path::PathBuf;
use std::process::Command;

use folkmoot_core::port::{AppendError, EventLog as _};
use folkmoot_store::{OpenMode, Store};

use crate::fixture::*;

const DIR: &str = "FOLKMOOT_TEST_FULL_DISK";

/// Runs the test below in a process of its own, under a limit of file sizes.
#[tokio::test]
async fn a_full_disk_stops_the_store_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let own = std::env::current_exe().unwrap();
    let script = "trap '' XFSZ; ulimit -f 2048; exec \"$0\" --ignored --exact full_disk::until_the_disk_is_full";
    let child = Command::new("sh")
        .args(["-c", script])
        .arg(own)
        .env(DIR, dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout).into_owned()
        + &String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{said}");
    let acknowledged: u64 = std::fs::read_to_string(dir.path().join("acknowledged"))
        .unwrap()
        .parse()
        .unwrap();
    let log = Store::open(dir.path().join("store"), OpenMode::Existing).unwrap();
    let found = read(&log, 1, 0).await;
    let head = found.last().unwrap().last().get();
    assert!(
        head == acknowledged || head == acknowledged + 1,
        "{acknowledged} acknowledged, {head} there"
    );
    append(&log, post(1, head + 1)).await;
}

#[tokio::test]
#[ignore = "runs under a limit, started by the test above"]
async fn until_the_disk_is_full() {
    let Some(dir) = std::env::var_os(DIR).map(PathBuf::from) else {
        return;
    };
    let log = Store::open(dir.join("store"), OpenMode::Create).unwrap();
    append(&log, creation(1)).await;
    let mut head = 2;
    let error = loop {
        match log
            .append(FIRST, vec![say(1, head + 1, "word ".repeat(2_000))])
            .await
        {
            Ok(_) => head += 1,
            Err(error) => break error,
        }
    };
    assert!(
        matches!(error, AppendError::Full(_)),
        "after {head}: {error:?}"
    );
    let next = log
        .append(FIRST, vec![post(1, head + 1)])
        .await
        .unwrap_err();
    assert!(matches!(next, AppendError::Stopped(_)), "{next:?}");
    std::fs::write(dir.join("acknowledged"), head.to_string()).unwrap();
    log.close().unwrap();
}
