//! Rewriting, copying and deleting.

use folkmoot_core::ids::{Digest, Incarnation, WorldId};
use folkmoot_store::{
    Burial, CheckpointRow, ForkBase, GoneRange, Landing, LedgerError, Rewrite, Row, RowRange,
    Saving,
};

use super::bench::{
    Bench, append, append_by, at, beside, chain, fill, first, fork, is_invalid, key, name, node,
    places, record, row, rows, world,
};

pub(crate) async fn reach_is_kept_for_the_holder_alone(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    for (number, bytes) in [(1, vec![1; 9]), (2, vec![2; 9]), (1, vec![3; 5])] {
        let saved = bench.ledger().save_reach(node(number), world(1), bytes);
        saved.await.unwrap();
    }
    let entry = bench.ledger().entry(world(1)).await.unwrap().unwrap();
    assert_eq!(entry.reach, Some(vec![3; 5]));
    bench
        .ledger()
        .save_reach(node(1), world(9), vec![1])
        .await
        .unwrap();
}

pub(crate) async fn record_is_rewritten_under_its_link(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let mut large = row(1, 3, "large");
    large.row.last = at(5);
    large.row.beside = vec![
        beside(3, vec![3; 10]),
        beside(4, vec![4; 10]),
        beside(5, vec![5; 10]),
    ];
    assert_eq!(
        append(bench, chain(1, [large.clone()])).await,
        Landing::Appended
    );
    let rewrite = Rewrite {
        world: world(1),
        first: at(3),
        replaces: Digest::of(&[&large.row.record]),
        record: record("large", 500),
        without: vec![at(3), at(5)],
    };
    for _ in 0..2 {
        assert!(bench.ledger().rewrite(rewrite.clone()).await.unwrap());
    }
    let expected = Row {
        record: rewrite.record,
        beside: vec![beside(4, vec![4; 10])],
        ..large.row
    };
    assert_eq!(rows(bench, 1, 3).await, [expected]);
}

pub(crate) async fn record_with_another_link_is_refused(bench: &dyn Bench) {
    fill(bench, 1, 4).await;
    let rewrite = |first: u64, word: &str| Rewrite {
        world: world(1),
        first: at(first),
        replaces: Digest::of(&[&record(word, 0)]),
        record: record(word, 0),
        without: Vec::new(),
    };
    let before = rows(bench, 1, 1).await;
    assert!(is_invalid(
        &bench.ledger().rewrite(rewrite(3, "another")).await
    ));
    // Event 2 stands in the row that begins at 1.
    assert!(is_invalid(
        &bench.ledger().rewrite(rewrite(2, "birth of 1")).await
    ));
    let mut short = rewrite(3, "1 says 3");
    short.record.truncate(30);
    assert!(is_invalid(&bench.ledger().rewrite(short).await));
    assert_eq!(rows(bench, 1, 1).await, before);
}

pub(crate) async fn stale_rewrite_changes_nothing(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let read = rows(bench, 1, 3).await.remove(0).record;
    let rewrite = |len| Rewrite {
        world: world(1),
        first: at(3),
        replaces: Digest::of(&[&read]),
        record: record("1 says 3", len),
        without: Vec::new(),
    };
    for (len, is_done) in [(100, true), (200, false), (100, true)] {
        let done = bench.ledger().rewrite(rewrite(len)).await.unwrap();
        assert_eq!(done, is_done, "{len}");
        assert_eq!(rows(bench, 1, 3).await[0].record.len(), 100);
    }
}

pub(crate) async fn barred_folds_go_and_are_not_saved_again(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let fold = |incarnation| CheckpointRow {
        world: world(1),
        at: at(3),
        incarnation: Incarnation(incarnation),
        decider: key("rules"),
        link: key("1 says 3"),
        state: vec![1, 2, 3],
    };
    let saved = bench.ledger().save_checkpoint(fold(1)).await.unwrap();
    assert_eq!(saved, Saving::Saved);
    bench.ledger().bar(&[world(1), world(9)]).await.unwrap();
    assert_eq!(bench.ledger().checkpoints(world(1)).await.unwrap(), []);
    let entry = bench.ledger().entry(world(1)).await.unwrap().unwrap();
    assert_eq!(entry.barred, Some(Incarnation(1)));
    let saved = bench.ledger().save_checkpoint(fold(1)).await.unwrap();
    assert_eq!(saved, Saving::Barred);
    assert_eq!(bench.ledger().checkpoints(world(1)).await.unwrap(), []);
    let saved = bench.ledger().save_checkpoint(fold(2)).await.unwrap();
    assert_eq!(saved, Saving::Saved);
}

pub(crate) async fn files_of_an_erasure_are_counted_once(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let note = async |by: u64, files: u64| {
        let noted = bench.ledger().note_files(world(1), at(by), files).await;
        noted.unwrap()
    };
    assert_eq!(
        [note(3, 2).await, note(3, 0).await, note(3, 5).await],
        [2, 2, 5]
    );
    assert_eq!(note(4, 0).await, 0);
    assert!(is_invalid(
        &bench.ledger().note_files(world(9), at(3), 1).await
    ));
}

pub(crate) async fn base_is_copied_without_keys(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let mut keyed = row(1, 4, "keyed");
    keyed.row.key = Some(key("k"));
    keyed.row.beside = vec![beside(4, vec![4; 10])];
    keyed.gone = vec![at(3)];
    assert_eq!(
        append(bench, chain(3, [keyed.clone(), row(1, 5, "own")])).await,
        Landing::Appended
    );
    assert_eq!(append(bench, fork(2, 1, 4)).await, Landing::Appended);
    let range = RowRange {
        world: world(1),
        from: at(1),
        to: at(4),
    };
    for _ in 0..2 {
        bench.ledger().copy_base(world(2), &[range]).await.unwrap();
    }
    assert_eq!(places(bench, 2).await, [(1, 2), (3, 3), (4, 4), (5, 5)]);
    let expected = Row {
        world: world(2),
        key: None,
        ..keyed.row
    };
    assert_eq!(rows(bench, 2, 4).await[0], expected);
    assert_eq!(
        bench.ledger().by_key(world(2), key("k")).await.unwrap(),
        None
    );
    let all = GoneRange {
        from: at(1),
        to: at(9),
        until: at(9),
    };
    assert_eq!(bench.ledger().gone(world(2), all).await.unwrap(), [at(3)]);
    let entry = bench.ledger().entry(world(2)).await.unwrap().unwrap();
    let base = ForkBase {
        parent: world(1),
        at: at(4),
        is_copied: true,
    };
    assert_eq!((entry.base, entry.head), (Some(base), at(5)));
    assert!(is_invalid(
        &bench.ledger().copy_base(world(1), &[range]).await
    ));
}

pub(crate) async fn copy_with_a_gap_is_refused(bench: &dyn Bench) {
    fill(bench, 1, 4).await;
    assert_eq!(append(bench, fork(2, 1, 4)).await, Landing::Appended);
    for (from, to) in [(3, 4), (1, 3)] {
        let range = RowRange {
            world: world(1),
            from: at(from),
            to: at(to),
        };
        let copied = bench.ledger().copy_base(world(2), &[range]).await;
        assert!(matches!(copied, Err(LedgerError::Damaged(_))), "{copied:?}");
        assert_eq!(places(bench, 2).await, [(5, 5)]);
    }
}

pub(crate) async fn parent_of_a_copy_may_go(bench: &dyn Bench) {
    fill(bench, 1, 4).await;
    assert_eq!(append(bench, fork(2, 1, 4)).await, Landing::Appended);
    let range = RowRange {
        world: world(1),
        from: at(1),
        to: at(4),
    };
    bench.ledger().copy_base(world(2), &[range]).await.unwrap();
    let before = bench.ledger().entry(world(2)).await.unwrap();
    assert_eq!(delete(bench, 1, &[1]).await, Burial::Deleted);
    assert_eq!(places(bench, 2).await.len(), 4);
    assert_eq!(bench.ledger().entry(world(2)).await.unwrap(), before);
    assert_eq!(
        append(bench, chain(5, [row(2, 6, "on")])).await,
        Landing::Appended
    );
}

async fn delete(bench: &dyn Bench, by: u8, numbers: &[u8]) -> Burial {
    let worlds: Vec<(WorldId, Vec<u8>)> = numbers
        .iter()
        .map(|number| (world(*number), vec![*number; 20]))
        .collect();
    bench.ledger().delete(node(by), &worlds).await.unwrap()
}

pub(crate) async fn deleted_world_leaves_its_tombstone_and_frees_its_name(bench: &dyn Bench) {
    fill(bench, 1, 4).await;
    let blob = bench.ledger().put_blob(world(1), key("blob"), vec![1]);
    blob.await.unwrap();
    assert_eq!(delete(bench, 1, &[1]).await, Burial::Deleted);
    assert_eq!(bench.ledger().entry(world(1)).await.unwrap(), None);
    assert_eq!(bench.ledger().find(&name(1)).await.unwrap(), None);
    assert_eq!(bench.ledger().last(world(1)).await.unwrap(), None);
    assert_eq!(rows(bench, 1, 1).await, []);
    assert_eq!(
        bench.ledger().blob(world(1), key("blob")).await.unwrap(),
        None
    );
    let tombstones = bench.ledger().tombstones(None, 9).await.unwrap();
    assert_eq!(tombstones, [(world(1), vec![1; 20])]);
    // Its id is gone for good, its name is not.
    let missing = Landing::NoSuchWorld(world(1));
    assert_eq!(append(bench, first(1)).await, missing);
    assert_eq!(append(bench, chain(4, [row(1, 5, "a")])).await, missing);
    let mut heir = first(2);
    heir.rows[0].birth.as_mut().unwrap().name = name(1);
    assert_eq!(append(bench, heir).await, Landing::Appended);
    assert_eq!(delete(bench, 1, &[1]).await, Burial::NoSuchWorld(world(1)));
}

pub(crate) async fn only_the_holder_deletes(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    assert_eq!(append_by(bench, 2, first(2)).await, Landing::Appended);
    let fenced = |number, by| Burial::Fenced {
        world: world(number),
        holder: by,
    };
    assert_eq!(delete(bench, 2, &[1]).await, fenced(1, Some(node(1))));
    // All of them or none.
    assert_eq!(delete(bench, 1, &[1, 2]).await, fenced(2, Some(node(2))));
    bench
        .members()
        .release(node(1), world(1), None)
        .await
        .unwrap();
    assert_eq!(delete(bench, 1, &[1]).await, fenced(1, None));
    assert_eq!(places(bench, 1).await.len(), 1);
    assert_eq!(bench.ledger().tombstones(None, 9).await.unwrap(), []);
}

pub(crate) async fn parent_of_a_fork_is_not_deleted_without_it(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    assert_eq!(append(bench, fork(2, 1, 3)).await, Landing::Appended);
    let has_forks = Burial::HasForks {
        world: world(1),
        fork: name(2),
    };
    assert_eq!(delete(bench, 1, &[1]).await, has_forks);
    assert_eq!(delete(bench, 1, &[1, 2]).await, Burial::Deleted);
    assert_eq!(bench.ledger().tombstones(None, 9).await.unwrap().len(), 2);
}

pub(crate) async fn tombstones_come_in_pages(bench: &dyn Bench) {
    for number in 1..=3 {
        fill(bench, number, 2).await;
    }
    assert_eq!(delete(bench, 1, &[3, 1, 2]).await, Burial::Deleted);
    let page = async |after: Option<u8>, limit: usize| {
        let page = bench.ledger().tombstones(after.map(world), limit).await;
        let page = page.unwrap();
        page.iter().map(|(world, _)| *world).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 2).await, [world(1), world(2)]);
    assert_eq!(page(Some(2), 2).await, [world(3)]);
    assert_eq!(page(Some(3), 2).await, []);
}
