//! A full disk: writes are refused, nothing is lost, and there is room again later.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{Digest, Incarnation, WorldId};
use folkmoot::core::port::{AppendError, Appended, BlobError, Blobs, EventLog};
use folkmoot::{Gatekeeper, Store};
use folkmoot_server::{DiskReserve, ServerLimits};

use super::harness::Served;

/// A disk that is full while it is said to be.
#[derive(Debug, Default)]
struct Disk(AtomicBool);

#[async_trait]
impl Gatekeeper for Disk {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        if self.0.load(Ordering::Acquire) {
            return Err(AppendError::Full(std::io::ErrorKind::StorageFull.into()));
        }
        log.append(incarnation, commits).await
    }

    fn read(&self, _commits: usize) {}
}

#[tokio::test]
async fn full_disk_refuses_writes_loses_nothing_and_can_be_written_again() {
    let disk = Arc::new(Disk::default());
    let served = Served::gated(
        &Store::memory(),
        ServerLimits::default(),
        Arc::clone(&disk) as Arc<dyn Gatekeeper>,
    )
    .await;
    let room = served.room().await;
    let path = format!("/v1/worlds/{room}/messages");
    let post = |text: &str| format!(r#"{{"text":"{text}"}}"#);
    assert_eq!(served.ask("POST", &path, &post("one")).await.status, 201);

    disk.0.store(true, Ordering::Release);
    // The open world, the world that is opened again, and a new one.
    for (path, body) in [
        (path.as_str(), post("two")),
        (path.as_str(), post("three")),
        ("/v1/worlds", r#"{"template":"desk"}"#.to_owned()),
    ] {
        let refused = served.ask("POST", path, &body).await;
        assert_eq!(refused.status, 507, "{}", refused.text);
        assert_eq!(refused.code(), "storage_full");
    }
    let read = served.ask("GET", &path, "").await;
    assert_eq!(read.status, 200, "{}", read.text);
    assert!(read.text.contains("one") && !read.text.contains("two"));

    disk.0.store(false, Ordering::Release);
    assert_eq!(served.ask("POST", &path, &post("four")).await.status, 201);
    let read = served.ask("GET", &path, "").await.text;
    assert!(read.contains("one") && read.contains("four") && !read.contains("two"));
}

#[tokio::test]
async fn room_on_the_disk_is_kept_free() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::memory();
    for (bytes_min, status) in [(u64::MAX, 507), (0, 201)] {
        let reserve = Arc::new(DiskReserve::of(folder.path(), bytes_min));
        let served = Served::gated(&store, ServerLimits::default(), reserve).await;
        let opened = served
            .ask("POST", "/v1/worlds", r#"{"template":"desk"}"#)
            .await;
        assert_eq!(opened.status, status, "{}", opened.text);
    }
}

/// A reserve of files alone, so that a room can be opened.
#[derive(Debug)]
struct FilesAlone(DiskReserve);

#[async_trait]
impl Gatekeeper for FilesAlone {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        log.append(incarnation, commits).await
    }

    async fn keep(
        &self,
        blobs: &dyn Blobs,
        world: WorldId,
        bytes: Vec<u8>,
    ) -> Result<Digest, BlobError> {
        self.0.keep(blobs, world, bytes).await
    }

    fn read(&self, _commits: usize) {}
}

#[tokio::test]
async fn files_are_refused_where_they_would_take_the_reserve() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes_min, status) in [(u64::MAX, 507), (0, 201)] {
        let reserve = FilesAlone(DiskReserve::of(folder.path(), bytes_min));
        let store = Store::memory();
        let served = Served::gated(&store, ServerLimits::default(), Arc::new(reserve)).await;
        let path = format!("/v1/worlds/{}/blobs?name=a.txt", served.room().await);
        let kept = served.ask("POST", &path, "a file").await;
        assert_eq!(kept.status, status, "{}", kept.text);
        assert_eq!(kept.text.contains("storage_full"), status == 507);
    }
}
