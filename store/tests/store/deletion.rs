//! Deleting worlds: what is left of them, and what is not.

use std::path::Path;
use std::sync::Arc;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Digest, Position, Time};
use folkmoot_core::port::{
    AppendError, BlobError, Blobs as _, Checkpoints as _, EventLog as _, Labels, ReadError,
};
use folkmoot_store::{
    DeleteError, DeleteOrder, Engine, FailingEngine, FrameNumber, MemoryEngine, OpenMode,
    SledEngine, Store, Table, Tombstone,
};
use futures::StreamExt as _;

use crate::fixture::*;

const CANARY: &str = "canary-5d11c0";

crate::on_every_engine! {
    a_deleted_world_is_neither_read_nor_written
    nothing_can_be_kept_for_a_deleted_world_and_its_name_is_free
    a_tombstone_says_how_far_the_world_had_come_and_who_ended_it
    worlds_that_do_not_exist_delete_nothing
    whoever_follows_a_world_is_at_the_end_when_it_is_deleted
    other_worlds_go_on_while_worlds_are_deleted
}

fn order() -> DeleteOrder {
    DeleteOrder {
        by: Principal::World,
        at: Time(77),
    }
}

/// A world whose commits, key, blob and checkpoint hold the canary, the half of it in runs and the other half not.
async fn with_canary(log: &Store, number: u8) {
    append(log, creation(number)).await;
    append(log, with_key(say(number, 3, CANARY), keyed(CANARY, "x"))).await;
    log.put(world(number), CANARY.into()).await.unwrap();
    log.save(
        world(number),
        Position::new(3),
        Digest::of(&[]),
        CANARY.into(),
    )
    .await
    .unwrap();
}

fn files_with_canary(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_with_canary(&entry.path()));
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap();
        if bytes
            .windows(CANARY.len())
            .any(|window| window == CANARY.as_bytes())
        {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

async fn a_deleted_world_is_neither_read_nor_written(log: Store) {
    with_canary(&log, 1).await;
    let blob = log.put(world(1), b"a picture".to_vec()).await.unwrap();
    log.delete(&[world(1)], &order()).await.unwrap();
    assert!(matches!(
        log.append(FIRST, vec![post(1, 4)]).await,
        Err(AppendError::NoSuchWorld(_))
    ));
    let repeat = with_key(say(1, 4, CANARY), keyed(CANARY, "x"));
    assert!(matches!(
        log.append(FIRST, vec![repeat]).await,
        Err(AppendError::NoSuchWorld(_))
    ));
    assert!(
        matches!(
            log.append(FIRST, vec![creation(1)]).await,
            Err(AppendError::NoSuchWorld(_))
        ),
        "its id came back"
    );
    assert!(matches!(
        log.read(world(1), Position::ZERO).await,
        Err(ReadError::NoSuchWorld(_))
    ));
    assert!(matches!(
        log.find_key(world(1), &key(CANARY)).await,
        Err(ReadError::NoSuchWorld(_))
    ));
    assert!(matches!(
        log.get(world(1), blob).await,
        Err(BlobError::NoSuchWorld(_))
    ));
    assert!(matches!(
        log.put(world(1), CANARY.into()).await,
        Err(BlobError::NoSuchWorld(_))
    ));
}

async fn nothing_can_be_kept_for_a_deleted_world_and_its_name_is_free(log: Store) {
    with_canary(&log, 1).await;
    let kept = fill(&log, 2, 30).await;
    log.delete(&[world(1)], &order()).await.unwrap();
    assert_eq!(log.latest(world(1), Digest::of(&[]), None).await, None);
    let late = log
        .save(world(1), Position::new(3), Digest::of(&[]), CANARY.into())
        .await;
    assert!(matches!(late, Err(AppendError::NoSuchWorld(_))));
    assert_eq!(log.find(&name(1)).await.unwrap(), None);
    assert_eq!(log.worlds(&Labels::new(), None, 9).await.unwrap().len(), 1);
    append(&log, creation_called(world(3), name(1))).await;
    assert_eq!(log.find(&name(1)).await.unwrap().unwrap().world, world(3));
    assert_eq!(read(&log, 2, 0).await, kept);
    append(&log, post(2, 31)).await;
}

async fn a_tombstone_says_how_far_the_world_had_come_and_who_ended_it(log: Store) {
    append(&log, creation(1)).await;
    let link = append(&log, post(1, 3)).await;
    let tombstones = log.delete(&[world(1)], &order()).await.unwrap();
    let [
        Tombstone {
            world: id,
            name: called,
            head,
            last,
            link: end,
            size,
            root: _,
            at,
            by,
            is_clean: true,
        },
    ] = tombstones.as_slice()
    else {
        panic!("{tombstones:?}")
    };
    assert_eq!((*id, called, head.get()), (world(1), &name(1), 3));
    assert_eq!(
        (*end, *size, *at, by),
        (link, 2, Time(77), &Principal::World)
    );
    assert_eq!(*last, post(1, 3).header.stamp.time);
    assert_eq!(log.deleted().await.unwrap(), tombstones);
}

async fn worlds_that_do_not_exist_delete_nothing(log: Store) {
    let kept = fill(&log, 1, 5).await;
    let error = log
        .delete(&[world(1), world(9)], &order())
        .await
        .unwrap_err();
    assert!(
        matches!(error, DeleteError::NoSuchWorld(id) if id == world(9)),
        "{error:?}"
    );
    assert_eq!(read(&log, 1, 0).await, kept);
    append(&log, post(1, 6)).await;
    assert_eq!(log.deleted().await.unwrap(), []);
    log.delete(&[world(1)], &order()).await.unwrap();
    let error = log.delete(&[world(1)], &order()).await.unwrap_err();
    assert!(matches!(error, DeleteError::NoSuchWorld(_)), "{error:?}");
}

async fn whoever_follows_a_world_is_at_the_end_when_it_is_deleted(log: Store) {
    let commits = fill(&log, 1, 9).await;
    let mut news = log.subscribe(world(1), Position::new(1)).await.unwrap();
    for commit in commits {
        assert_eq!(news.next().await.unwrap().unwrap().commit, commit);
    }
    let waits = tokio::spawn(async move { news.next().await });
    log.delete(&[world(1)], &order()).await.unwrap();
    assert!(
        waits
            .await
            .unwrap()
            .is_none_or(|end| matches!(end, Err(ReadError::NoSuchWorld(_))))
    );
}

async fn other_worlds_go_on_while_worlds_are_deleted(log: Store) {
    let writer = |number: u8| {
        let log = log.clone();
        async move { fill(&log, number, 60).await }
    };
    for number in 10..14 {
        fill(&log, number, 20).await;
    }
    let writers: Vec<_> = (1..4).map(|number| tokio::spawn(writer(number))).collect();
    for number in 10..14 {
        log.delete(&[world(number)], &order()).await.unwrap();
    }
    for (number, written) in (1..4).zip(writers) {
        let written = written.await.unwrap();
        assert_eq!(read(&log, number, 0).await, written);
    }
    assert_eq!(log.deleted().await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_deleted_canary_is_in_no_file() {
    let disk = OnDisk::new();
    let folder = disk.dir.path().join("store");
    let log = disk.open();
    with_canary(&log, 1).await;
    fill(&log, 2, 30).await;
    log.close().unwrap();
    let log = disk.open();
    append(
        &log,
        Commit {
            header: header(world(1), 4),
            events: vec![opening(2)],
        },
    )
    .await;
    assert!(!files_with_canary(&folder).is_empty());
    log.delete(&[world(1)], &order()).await.unwrap();
    assert_eq!(files_with_canary(&folder), Vec::<String>::new());
    assert_eq!(read(&log, 2, 0).await.len(), 29);
    log.close().unwrap();
    let log = disk.open();
    assert_eq!(files_with_canary(&folder), Vec::<String>::new());
    assert_eq!(read(&log, 2, 0).await.len(), 29);
    append(&log, post(2, 31)).await;
    assert_eq!(log.find(&name(1)).await.unwrap(), None);
    assert!(log.deleted().await.unwrap()[0].is_clean);
}

/// A process that died behind the tombstone, with more and more of the rest done.
#[tokio::test]
async fn a_deletion_leaves_no_frame_of_a_sweep_that_died_anywhere() {
    let mut is_dead = true;
    for deaths in 0..100 {
        let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
        let log = Store::with_engine(Arc::new(FailingEngine::after_changes(
            deaths,
            Arc::clone(&engine),
        )))
        .unwrap();
        with_canary(&log, 1).await;
        is_dead = log.close().is_err();
        let log = Store::with_engine(Arc::clone(&engine)).unwrap();
        log.delete(&[world(1)], &order()).await.unwrap();
        let frames = engine.read(FrameNumber(1), usize::MAX).unwrap();
        assert_eq!(frames, [], "after {deaths} changes");
        if !is_dead {
            break;
        }
    }
    assert!(!is_dead, "no sweep came to its end");
}

#[tokio::test]
async fn a_deletion_that_was_cut_anywhere_is_finished_at_the_next_opening() {
    let disk = OnDisk::new();
    let log = disk.open();
    with_canary(&log, 1).await;
    fill(&log, 2, 30).await;
    log.close().unwrap();
    drop(log);
    let unclean = {
        let copy = disk.killed();
        let log = copy.open();
        let tombstones = log.delete(&[world(1)], &order()).await.unwrap();
        log.close().unwrap();
        let row = tombstone_row(&tombstones[0]);
        assert_eq!(
            stored_tombstone(&copy, &row.0),
            encoded(&tombstones[0]),
            "the form of tombstones is another one"
        );
        row
    };
    let id = unclean.0.clone();
    let [blobs, checkpoints] =
        ["blobs", "checkpoints"].map(|folder| format!("{folder}/{}", world(1)));
    let remove = |engine: &SledEngine, table: Table, keys: &[u8]| {
        use folkmoot_store::Shelf as _;
        let rows = engine
            .range(table, keys, &[keys, &[0xff; 32]].concat(), 1_000_000)
            .unwrap();
        engine
            .remove(
                table,
                &rows.into_iter().map(|(key, _)| key).collect::<Vec<_>>(),
            )
            .unwrap();
    };
    for done in 0..6 {
        let cut = disk.killed();
        let folder = cut.dir.path().join("store");
        let engine = SledEngine::open(&folder, OpenMode::Existing).unwrap();
        folkmoot_store::Shelf::put(&engine, Table::Deleted, std::slice::from_ref(&unclean))
            .unwrap();
        for step in 0..done {
            match step {
                0 => remove(&engine, Table::Runs, &id),
                1 => remove(&engine, Table::Keys, &id),
                2 => std::fs::remove_dir_all(folder.join(&blobs)).unwrap(),
                3 => std::fs::remove_dir_all(folder.join(&checkpoints)).unwrap(),
                _ => engine.compact().unwrap(),
            }
        }
        drop(engine);
        let log = cut.open();
        assert_eq!(
            files_with_canary(&folder),
            Vec::<String>::new(),
            "after {done} steps"
        );
        assert_eq!(log.find(&name(1)).await.unwrap(), None);
        assert!(log.deleted().await.unwrap()[0].is_clean);
        assert_eq!(read(&log, 2, 0).await.len(), 29);
        log.close().unwrap();
        drop(log);
        append(&cut.open(), post(2, 31)).await;
    }
}

fn encoded(tombstone: &Tombstone) -> Vec<u8> {
    let mut value = serde_json::to_vec(tombstone).unwrap();
    value.extend_from_slice(&crc32fast::hash(&value).to_le_bytes());
    value
}

/// The row that is written before anything is removed.
fn tombstone_row(tombstone: &Tombstone) -> (Vec<u8>, Vec<u8>) {
    let id = tombstone.world.0.as_bytes().to_vec();
    (
        id,
        encoded(&Tombstone {
            is_clean: false,
            ..tombstone.clone()
        }),
    )
}

fn stored_tombstone(disk: &OnDisk, id: &[u8]) -> Vec<u8> {
    let engine = SledEngine::open(disk.dir.path().join("store"), OpenMode::Existing).unwrap();
    folkmoot_store::Shelf::get(&engine, Table::Deleted, id)
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn a_store_that_lost_all_its_worlds_opens_and_begins_new_ones() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 9).await;
    fill(&log, 2, 9).await;
    log.delete(&[world(1), world(2)], &order()).await.unwrap();
    let killed = disk.killed();
    log.close().unwrap();
    for disk in [disk, killed] {
        let log = disk.open();
        assert_eq!(log.worlds(&Labels::new(), None, 9).await.unwrap(), []);
        fill(&log, 3, 9).await;
    }
}

#[tokio::test]
async fn a_store_without_a_directory_deletes_from_its_engine() {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
    let log = Store::with_engine(Arc::clone(&engine)).unwrap();
    with_canary(&log, 1).await;
    log.delete(&[world(1)], &order()).await.unwrap();
    for table in [Table::Worlds, Table::Runs, Table::Keys, Table::Gone] {
        assert_eq!(
            engine.range(table, &[], &[0xff; 60], 1_000).unwrap(),
            [],
            "{table:?}"
        );
    }
    assert_eq!(engine.read(FrameNumber(0), 1_000).unwrap(), []);
}
