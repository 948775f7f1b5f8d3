//! Copying a store into one that nodes share, and back into a folder.

use std::sync::Arc;

use folkmoot_core::event::Span;
use folkmoot_core::ids::{NodeId, Position};
use folkmoot_core::port::{Blobs as _, CommitStream, Custody as _, EventLog as _, Labels};
use folkmoot_store::{
    Against, Choice, Evidence, MemoryLedger, OpenMode, SharedStore, Store, TakeInError, TakenIn,
    Wanted,
};
use futures::TryStreamExt as _;

use crate::erase::noise;
use crate::fixture::*;
use crate::fork::fork;

/// The number of worlds that [`filled`] makes.
const WORLDS: u8 = 4;

/// A store with all that a log can have: keys, large content, erased content, files, a fork that shares and one that has a
/// copy, and a fork of that.
async fn filled() -> Store {
    let store = Store::memory();
    fill(&store, 1, 40).await;
    append(&store, with_key(post(1, 41), keyed("k", "x"))).await;
    append(&store, say(1, 42, noise(400_000, 1))).await;
    append(&store, say(1, 43, noise(90_000, 2))).await;
    let span = |at| Span {
        from: Position::new(at),
        to: Position::new(at),
    };
    let erased = [span(20), span(43)];
    let by = Position::new(44);
    append(&store, post(1, 44)).await;
    store.erase(world(1), &erased, by).await.unwrap();
    store.put(world(1), b"a file".to_vec()).await.unwrap();
    fork(&store, (1, 30), 2).await;
    append(&store, post(2, 33)).await;
    fork(&store, (1, 44), 3).await;
    store.copy_base(world(3)).await.unwrap();
    fork(&store, (3, 46), 4).await;
    append(&store, with_key(post(4, 49), keyed("k", "x"))).await;
    store
}

fn shared() -> (Arc<MemoryLedger>, SharedStore) {
    let ledger = Arc::<MemoryLedger>::default();
    let node = NodeId::from_stamp(&header(world(9), 9).stamp);
    (Arc::clone(&ledger), SharedStore::new(ledger, node))
}

async fn evidence(store: &Store, number: u8) -> Evidence {
    let wanted = Wanted {
        world: world(number),
        choice: Choice::All,
        size: None,
        grown_from: Vec::new(),
    };
    store.evidence(wanted).await.unwrap()
}

/// Compares all that two stores have, byte for byte.
async fn are_the_same(one: &Store, other: &Store) {
    let list = async |store: &Store| store.worlds(&Labels::new(), None, 100).await.unwrap();
    assert_eq!(list(one).await, list(other).await);
    for number in 1..=WORLDS {
        let of = async |store: &Store| {
            let log: CommitStream = store.read(world(number), Position::new(1)).await.unwrap();
            let log: Vec<_> = log.try_collect().await.unwrap();
            (log, store.tree_head(world(number)).await.unwrap())
        };
        assert_eq!(of(one).await, of(other).await, "world {number}");
        assert_eq!(evidence(one, number).await, evidence(other, number).await);
        let found = async |store: &Store| {
            let found = store.verify(world(number), Against::default());
            found.await.unwrap()
        };
        assert_eq!(found(one).await, found(other).await, "world {number}");
        let known = |store: &Store| {
            let (store, world) = (store.clone(), world(number));
            async move { store.find_key(world, &key("k")).await.unwrap() }
        };
        assert_eq!(known(one).await, known(other).await, "world {number}");
    }
    let file = folkmoot_core::ids::Digest::sha256(b"a file");
    assert_eq!(
        other.get(world(1), file).await.unwrap(),
        Some(b"a file".to_vec())
    );
}

#[tokio::test]
async fn a_copy_among_nodes_and_one_of_that_in_a_folder_are_the_same() {
    let store = filled().await;
    let (_, nodes) = shared();
    let taken = store.copy_into(&nodes).await.unwrap();
    let TakenIn { worlds, blobs, .. } = taken;
    assert_eq!((worlds, blobs), (usize::from(WORLDS), 1));
    let nodes = Store::from(nodes);
    are_the_same(&store, &nodes).await;
    let dir = tempfile::tempdir().unwrap();
    let backup = nodes.backup(dir.path().join("back")).await.unwrap();
    assert_eq!((backup.worlds, backup.events), (worlds, taken.events));
    let back = Store::open(dir.path().join("back"), OpenMode::Existing).unwrap();
    are_the_same(&store, &back).await;
}

#[tokio::test]
async fn a_copy_that_is_made_again_goes_on() {
    let store = filled().await;
    let (_, nodes) = shared();
    let first = store.copy_into(&nodes).await.unwrap();
    assert_eq!(store.copy_into(&nodes).await.unwrap(), first);
    append(&store, post(1, 45)).await;
    let more = store.copy_into(&nodes).await.unwrap();
    assert_eq!(more.events, first.events + 1);
    are_the_same(&store, &nodes.into()).await;
}

#[tokio::test]
async fn a_copy_never_writes_over_another_world() {
    let store = filled().await;
    let (_, nodes) = shared();
    let other = creation_called(world(7), name(1));
    append(&nodes, other).await;
    let refused = store.copy_into(&nodes).await.unwrap_err();
    assert!(matches!(refused, TakeInError::NameTaken(_)), "{refused:?}");
    let (_, nodes) = shared();
    store.copy_into(&nodes).await.unwrap();
    append(&nodes, say(1, 45, "it went on there")).await;
    append(&store, say(1, 45, "and here")).await;
    let refused = store.copy_into(&nodes).await.unwrap_err();
    assert!(matches!(refused, TakeInError::Different(_)), "{refused:?}");
    assert_eq!(read(&nodes, 1, 45).await, [say(1, 45, "it went on there")]);
}

#[tokio::test]
async fn a_shared_store_says_how_it_is_copied() {
    let (_, from) = shared();
    let (_, to) = shared();
    let refused = Store::from(from).copy_into(&to).await.unwrap_err();
    assert!(refused.to_string().contains("backup"), "{refused}");
}
