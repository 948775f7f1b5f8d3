//! Blobs and saved folds.

use std::time::Duration;

use folkmoot_core::ids::{Incarnation, Time};
use folkmoot_store::{CheckpointRow, PutRange, Saving};

use super::bench::{Bench, at, fill, is_invalid, key, world};

pub(crate) async fn blobs_are_of_one_world(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    fill(bench, 2, 2).await;
    let ledger = bench.ledger();
    for bytes in [vec![9; 100], vec![1; 50]] {
        ledger.put_blob(world(1), key("a"), bytes).await.unwrap();
    }
    assert_eq!(
        ledger.blob(world(1), key("a")).await.unwrap(),
        Some(vec![1; 50])
    );
    assert_eq!(
        ledger.blob_size(world(1), key("a")).await.unwrap(),
        Some(50)
    );
    assert_eq!(ledger.blob(world(2), key("a")).await.unwrap(), None);
    assert_eq!(ledger.blob_size(world(2), key("a")).await.unwrap(), None);
    ledger
        .put_blob(world(2), key("a"), Vec::new())
        .await
        .unwrap();
    assert_eq!(
        ledger
            .remove_blobs(world(1), &[key("a"), key("b")], Time(u64::MAX))
            .await
            .unwrap(),
        1
    );
    assert_eq!(ledger.blob(world(1), key("a")).await.unwrap(), None);
    assert_eq!(
        ledger.blob(world(2), key("a")).await.unwrap(),
        Some(Vec::new())
    );
}

pub(crate) async fn blobs_come_in_pages_with_their_times(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let ledger = bench.ledger();
    let mut names = [key("a"), key("b"), key("c")];
    names.sort();
    for name in names {
        ledger.put_blob(world(1), name, vec![1]).await.unwrap();
        bench.pass(Duration::from_secs(60)).await;
    }
    let first = ledger.blobs(world(1), None, 2).await.unwrap();
    let second = ledger.blobs(world(1), Some(names[1]), 2).await.unwrap();
    let all: Vec<_> = first.iter().chain(&second).copied().collect();
    assert_eq!((first.len(), second.len()), (2, 1));
    assert_eq!(all.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
    // Putting it again makes it younger.
    ledger.put_blob(world(1), names[0], vec![1]).await.unwrap();
    let again = ledger.blobs(world(1), None, 9).await.unwrap();
    assert!(again[0].1 > all[0].1);
    assert_eq!(again[1..], all[1..]);
    assert_eq!(ledger.blobs(world(9), None, 9).await.unwrap(), []);
}

pub(crate) async fn blob_of_no_world_is_refused(bench: &dyn Bench) {
    let put = bench.ledger().put_blob(world(1), key("a"), vec![1]).await;
    assert!(is_invalid(&put));
    assert_eq!(
        bench
            .ledger()
            .remove_blobs(world(1), &[key("a")], Time(u64::MAX))
            .await
            .unwrap(),
        0
    );
}

pub(crate) async fn blob_that_is_put_again_stays(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let ledger = bench.ledger();
    for word in ["a", "b"] {
        let put = ledger.put_blob(world(1), key(word), vec![1]).await;
        put.unwrap();
    }
    bench.pass(Duration::from_secs(1)).await;
    ledger.put_blob(world(1), key("a"), vec![1]).await.unwrap();
    let put = ledger.blobs(world(1), None, 9).await.unwrap();
    let of = |word: &str| put.iter().find(|(blob, _)| *blob == key(word)).unwrap().1;
    let both = [key("a"), key("b")];
    for (before, removed) in [(of("b"), 0), (of("a"), 1), (of("a"), 0)] {
        let gone = ledger.remove_blobs(world(1), &both, before).await;
        assert_eq!(gone.unwrap(), removed);
    }
    let left = ledger.blobs(world(1), None, 9).await.unwrap();
    assert_eq!(left, [(key("a"), of("a"))]);
}

pub(crate) async fn touched_blob_stays(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    fill(bench, 2, 2).await;
    let ledger = bench.ledger();
    for (id, word) in [(1, "a"), (1, "b"), (2, "a")] {
        let put = ledger.put_blob(world(id), key(word), vec![1]).await;
        put.unwrap();
    }
    let before = ledger.blobs(world(2), None, 9).await.unwrap();
    bench.pass(Duration::from_secs(1)).await;
    // One is not there, and one is named twice.
    let named = [key("a"), key("c"), key("a")];
    ledger.touch_blobs(world(1), &named).await.unwrap();
    let now = ledger.blob_time().await.unwrap();
    let both = [key("a"), key("b")];
    let gone = ledger.remove_blobs(world(1), &both, now).await;
    assert_eq!(gone.unwrap(), 1);
    let left = ledger.blobs(world(1), None, 9).await.unwrap();
    assert_eq!(left, [(key("a"), now)]);
    let bytes = ledger.blob(world(1), key("a")).await.unwrap();
    assert_eq!(bytes, Some(vec![1]));
    // The blob of that name in another world is another one.
    assert_eq!(ledger.blobs(world(2), None, 9).await.unwrap(), before);
    ledger.touch_blobs(world(1), &[]).await.unwrap();
    ledger.touch_blobs(world(9), &both).await.unwrap();
    assert_eq!(ledger.blobs(world(9), None, 9).await.unwrap(), []);
}

pub(crate) async fn worlds_are_found_by_when_their_blobs_were_put(bench: &dyn Bench) {
    for id in [1, 2, 3] {
        fill(bench, id, 2).await;
    }
    let ledger = bench.ledger();
    let mut times = Vec::new();
    // Two at one time of one world, and one world at two times.
    for (id, word) in [(2, "a"), (2, "b"), (1, "a"), (3, "a"), (1, "b")] {
        if word == "a" {
            bench.pass(Duration::from_secs(60)).await;
        }
        let put = ledger.put_blob(world(id), key(word), vec![1]).await;
        put.unwrap();
        times.push(ledger.blob_time().await.unwrap());
    }
    let all = [
        (times[0], world(2)),
        (times[2], world(1)),
        (times[3], world(1)),
        (times[3], world(3)),
    ];
    let ever = PutRange {
        since: Time(0),
        before: Time(u64::MAX),
    };
    let found = ledger.puts(ever, None, 9).await.unwrap();
    assert_eq!(found, all);
    for (at, last) in all.iter().enumerate() {
        let behind = ledger.puts(ever, Some(*last), 2).await.unwrap();
        let end = all.len().min(at + 3);
        assert_eq!(behind, all[at + 1..end]);
    }
    let range = PutRange {
        since: times[2],
        before: times[3],
    };
    assert_eq!(ledger.puts(range, None, 9).await.unwrap(), all[1..2]);
    // A touched blob is found where it is now.
    bench.pass(Duration::from_secs(60)).await;
    ledger.touch_blobs(world(1), &[key("a")]).await.unwrap();
    let now = ledger.blob_time().await.unwrap();
    assert_eq!(ledger.puts(range, None, 9).await.unwrap(), []);
    let last = ledger.puts(ever, Some(all[3]), 9).await.unwrap();
    assert_eq!(last, [(now, world(1))]);
}

fn fold(position: u64, rules: &str, byte: u8) -> CheckpointRow {
    CheckpointRow {
        world: world(1),
        at: at(position),
        incarnation: Incarnation(1),
        decider: key(rules),
        link: key("link"),
        state: vec![byte; 1_000],
    }
}

pub(crate) async fn folds_are_kept_by_place(bench: &dyn Bench) {
    fill(bench, 1, 5).await;
    let ledger = bench.ledger();
    for row in [fold(5, "old", 1), fold(3, "new", 2), fold(5, "new", 3)] {
        assert_eq!(ledger.save_checkpoint(row).await.unwrap(), Saving::Saved);
    }
    let places = [(at(3), key("new")), (at(5), key("new"))];
    assert_eq!(ledger.checkpoints(world(1)).await.unwrap(), places);
    assert_eq!(
        ledger.checkpoint(world(1), at(5)).await.unwrap(),
        Some(fold(5, "new", 3))
    );
    assert_eq!(ledger.checkpoint(world(1), at(4)).await.unwrap(), None);
    ledger
        .remove_checkpoints(world(1), &[at(3), at(9)])
        .await
        .unwrap();
    assert_eq!(ledger.checkpoints(world(1)).await.unwrap(), places[1..]);
}

pub(crate) async fn fold_of_no_world_is_not_saved(bench: &dyn Bench) {
    let saved = bench.ledger().save_checkpoint(fold(5, "new", 1)).await;
    assert_eq!(saved.unwrap(), Saving::NoSuchWorld);
    assert_eq!(bench.ledger().checkpoints(world(1)).await.unwrap(), []);
}
