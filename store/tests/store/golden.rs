//! Stores that released formats wrote. Each loads for ever.

use std::fs;
use std::path::{Path, PathBuf};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::port::EventLog as _;
use folkmoot_store::{EngineKind, OpenMode, Store};

use crate::fixture::*;

fn golden(kind: EngineKind) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(match kind {
        EngineKind::Sled => "tests/golden/v1",
        EngineKind::Files => "tests/golden/files/v1",
    })
}

/// What the golden store holds: a world in runs and shared frames, with keys and a commit over several frames.
fn contents() -> Vec<Commit> {
    let mut commits = vec![creation(1)];
    commits.extend((3..40).map(|first| post(1, first)));
    commits.push(with_key(
        say(1, 40, "long ".repeat(4_000)),
        keyed("golden", "a long message"),
    ));
    commits.extend((41..50).map(|first| post(1, first)));
    commits
}

/// Unpacks the golden store: every file is a zstd file of its own.
fn unpack(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            unpack(&entry.path(), &to.join(entry.file_name()));
        } else if let Some(name) = entry.file_name().to_str().unwrap().strip_suffix(".zst") {
            let bytes = zstd::decode_all(fs::File::open(entry.path()).unwrap()).unwrap();
            fs::write(to.join(name), bytes).unwrap();
        }
    }
}

fn pack(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            pack(&entry.path(), &to.join(name));
        } else {
            let packed = zstd::encode_all(fs::File::open(entry.path()).unwrap(), 19).unwrap();
            fs::write(to.join(format!("{name}.zst")), packed).unwrap();
        }
    }
}

#[tokio::test]
async fn the_store_of_format_1_loads() {
    loads(EngineKind::Sled).await;
}

#[tokio::test]
async fn the_store_of_format_1_in_a_plain_file_loads() {
    loads(EngineKind::Files).await;
}

async fn loads(kind: EngineKind) {
    let dir = tempfile::tempdir().unwrap();
    unpack(&golden(kind), &dir.path().join("store"));
    let log = Store::open(dir.path().join("store"), OpenMode::Existing).unwrap();
    let found = try_read(&log, 1, 0).await.unwrap();
    let link = found.last().unwrap().link.to_string();
    assert_eq!(
        link,
        fs::read_to_string(golden(kind).join("link.txt"))
            .unwrap()
            .trim()
    );
    assert!(bare(found) == contents(), "the commits differ");
    let long = log
        .find_key(world(1), &key("golden"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(long.commit.header.first.get(), 40);
    append(&log, post(1, 50)).await;
    log.close().unwrap();
}

/// Writes the golden store of the present format. Run it once per format, before the release.
#[tokio::test]
#[ignore = "writes the golden store anew"]
async fn write_the_golden_store() {
    write(EngineKind::Sled).await;
}

/// The same on the other engine.
#[tokio::test]
#[ignore = "writes the golden store anew"]
async fn write_the_golden_store_in_a_plain_file() {
    write(EngineKind::Files).await;
}

async fn write(kind: EngineKind) {
    let disk = OnDisk::of(kind);
    let commits = contents();
    let (in_runs, shared) = commits.split_at(30);
    let log = disk.open();
    for commit in in_runs {
        append(&log, commit.clone()).await;
    }
    log.close().unwrap();
    let log = disk.open();
    let mut link = None;
    for commit in shared {
        link = Some(append(&log, commit.clone()).await);
    }
    pack(&disk.killed().dir.path().join("store"), &golden(kind));
    fs::write(
        golden(kind).join("link.txt"),
        format!("{}\n", link.unwrap()),
    )
    .unwrap();
}
