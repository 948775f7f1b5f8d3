//! The conformance suite of blobs, run on every engine.

use folkmoot_core::ids::Digest;
use folkmoot_core::port::{BlobError, Blobs as _};
use folkmoot_core::spec::limits::BLOB_BYTES_MAX;
use folkmoot_store::Store;

use crate::fixture::*;

crate::on_every_engine! {
    blobs_come_back_under_the_digest_of_their_bytes
    a_blob_put_twice_is_one_blob
    a_blob_is_of_its_world_alone
    a_blob_needs_a_world
    a_blob_of_the_largest_size_is_kept_and_a_larger_one_refused
    many_writers_may_put_the_same_blob
    a_closed_store_keeps_and_gives_no_blobs
}

async fn blobs_come_back_under_the_digest_of_their_bytes(store: Store) {
    append(&store, creation(1)).await;
    for bytes in [Vec::new(), b"abc".to_vec(), vec![7; 300_000]] {
        let blob = store.put(world(1), bytes.clone()).await.unwrap();
        assert_eq!(blob, Digest::sha256(&bytes));
        assert_eq!(
            store.size(world(1), blob).await.unwrap(),
            Some(bytes.len() as u64)
        );
        assert_eq!(store.get(world(1), blob).await.unwrap(), Some(bytes));
    }
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(
        Digest::sha256(b"abc").to_string(),
        abc,
        "any other program names it alike"
    );
    let unknown = Digest::sha256(b"unknown");
    assert_eq!(store.get(world(1), unknown).await.unwrap(), None);
    assert_eq!(store.size(world(1), unknown).await.unwrap(), None);
}

async fn a_blob_put_twice_is_one_blob(store: Store) {
    append(&store, creation(1)).await;
    let first = store.put(world(1), b"twice".to_vec()).await.unwrap();
    assert_eq!(store.put(world(1), b"twice".to_vec()).await.unwrap(), first);
    assert_eq!(
        store.get(world(1), first).await.unwrap(),
        Some(b"twice".to_vec())
    );
}

async fn a_blob_is_of_its_world_alone(store: Store) {
    append(&store, creation(1)).await;
    append(&store, creation(2)).await;
    let blob = store.put(world(1), b"mine".to_vec()).await.unwrap();
    assert_eq!(store.get(world(2), blob).await.unwrap(), None);
    assert_eq!(store.size(world(2), blob).await.unwrap(), None);
}

async fn a_blob_needs_a_world(store: Store) {
    let blob = Digest::sha256(b"lost");
    let of_nobody =
        |error: BlobError| matches!(error, BlobError::NoSuchWorld(id) if id == world(1));
    assert!(of_nobody(
        store.put(world(1), b"lost".to_vec()).await.unwrap_err()
    ));
    assert!(of_nobody(store.get(world(1), blob).await.unwrap_err()));
    assert!(of_nobody(store.size(world(1), blob).await.unwrap_err()));
    append(&store, creation(1)).await;
    assert_eq!(store.get(world(1), blob).await.unwrap(), None);
}

async fn a_blob_of_the_largest_size_is_kept_and_a_larger_one_refused(store: Store) {
    append(&store, creation(1)).await;
    let blob = store.put(world(1), vec![1; BLOB_BYTES_MAX]).await.unwrap();
    assert_eq!(
        store.get(world(1), blob).await.unwrap(),
        Some(vec![1; BLOB_BYTES_MAX])
    );
    let larger = vec![1; BLOB_BYTES_MAX + 1];
    let named = Digest::sha256(&larger);
    let error = store.put(world(1), larger).await.unwrap_err();
    let (is, most) = (BLOB_BYTES_MAX + 1, BLOB_BYTES_MAX);
    assert!(
        matches!(error, BlobError::TooLarge { bytes, max } if bytes == is && max == most),
        "{error:?}"
    );
    assert_eq!(store.get(world(1), named).await.unwrap(), None);
}

async fn many_writers_may_put_the_same_blob(store: Store) {
    append(&store, creation(1)).await;
    let writers = (0..16).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.put(world(1), vec![3; 100_000]).await.unwrap() })
    });
    let blob = Digest::sha256(&vec![3; 100_000]);
    for writer in writers.collect::<Vec<_>>() {
        assert_eq!(writer.await.unwrap(), blob);
    }
    assert_eq!(
        store.get(world(1), blob).await.unwrap(),
        Some(vec![3; 100_000])
    );
}

async fn a_closed_store_keeps_and_gives_no_blobs(store: Store) {
    append(&store, creation(1)).await;
    let blob = store.put(world(1), b"kept".to_vec()).await.unwrap();
    store.close().unwrap();
    assert!(matches!(
        store.put(world(1), b"more".to_vec()).await,
        Err(BlobError::Stopped(_))
    ));
    assert!(matches!(
        store.get(world(1), blob).await,
        Err(BlobError::Stopped(_))
    ));
}

#[tokio::test]
async fn a_blob_outlives_a_kill_as_soon_as_it_is_put() {
    let disk = OnDisk::new();
    let store = disk.open();
    append(&store, creation(1)).await;
    let blob = store.put(world(1), b"kept".to_vec()).await.unwrap();
    let copy = disk.killed();
    assert_eq!(
        copy.open().get(world(1), blob).await.unwrap(),
        Some(b"kept".to_vec())
    );
}
