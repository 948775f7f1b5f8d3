//! The most that a ledger takes, and one more.

use std::collections::BTreeSet;

use folkmoot_core::event::Labelled;
use folkmoot_core::ids::WorldName;
use folkmoot_core::port::NodeCard;
use folkmoot_store::{
    BESIDE_BYTES_MAX, BLOB_ROW_BYTES_MAX, Burial, Demands, Landing, REACH_BYTES_MAX,
    RECORD_BYTES_MAX, TOMBSTONE_BYTES_MAX,
};

use super::bench::{
    Bench, append, at, beside, chain, fill, first, is_invalid, key, node, record, row, rows, world,
};

pub(crate) async fn record_may_be_as_large_as_that(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let mut large = row(1, 3, "large");
    large.row.record = record("large", RECORD_BYTES_MAX + 1);
    let refused = bench
        .ledger()
        .append(node(1), &[chain(1, [large.clone()])])
        .await;
    assert!(is_invalid(&refused));
    large.row.record.pop();
    assert_eq!(
        append(bench, chain(1, [large.clone()])).await,
        Landing::Appended
    );
    assert_eq!(rows(bench, 1, 3).await, [large.row]);
}

pub(crate) async fn content_beside_may_be_as_large_as_that(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let mut large = row(1, 3, "large");
    large.row.last = at(4);
    let bytes = vec![7; BESIDE_BYTES_MAX + 1];
    large.row.beside = vec![beside(3, vec![1]), beside(4, bytes)];
    let refused = bench
        .ledger()
        .append(node(1), &[chain(1, [large.clone()])])
        .await;
    assert!(is_invalid(&refused));
    large.row.beside[1].bytes.pop();
    assert_eq!(
        append(bench, chain(1, [large.clone()])).await,
        Landing::Appended
    );
    assert_eq!(rows(bench, 1, 3).await, [large.row]);
}

pub(crate) async fn blob_may_be_as_large_as_that(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let mut bytes = vec![7; BLOB_ROW_BYTES_MAX + 1];
    let refused = bench
        .ledger()
        .put_blob(world(1), key("a"), bytes.clone())
        .await;
    assert!(is_invalid(&refused));
    bytes.pop();
    bench
        .ledger()
        .put_blob(world(1), key("a"), bytes.clone())
        .await
        .unwrap();
    assert_eq!(
        bench.ledger().blob(world(1), key("a")).await.unwrap(),
        Some(bytes)
    );
}

pub(crate) async fn tombstone_and_reach_may_be_as_large_as_that(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let reach = vec![1; REACH_BYTES_MAX];
    let long = [reach.clone(), vec![1]].concat();
    assert!(is_invalid(
        &bench.ledger().save_reach(node(1), world(1), long).await
    ));
    bench
        .ledger()
        .save_reach(node(1), world(1), reach.clone())
        .await
        .unwrap();
    let entry = bench.ledger().entry(world(1)).await.unwrap().unwrap();
    assert_eq!(entry.reach, Some(reach));
    let tombstone = vec![2; TOMBSTONE_BYTES_MAX];
    let long = [tombstone.clone(), vec![2]].concat();
    assert!(is_invalid(
        &bench.ledger().delete(node(1), &[(world(1), long)]).await
    ));
    let deleted = bench
        .ledger()
        .delete(node(1), &[(world(1), tombstone)])
        .await;
    assert_eq!(deleted.unwrap(), Burial::Deleted);
}

pub(crate) async fn names_and_labels_may_be_as_long_as_that(bench: &dyn Bench) {
    let mut birth = first(1);
    let longest = WorldName::new("n".repeat(64)).unwrap();
    birth.rows[0].birth.as_mut().unwrap().name = longest.clone();
    let label = |number: usize| {
        let key = format!("{number:02}{}", "k".repeat(Labelled::KEY_MAX - 2));
        (key, "v".repeat(Labelled::VALUE_MAX))
    };
    let mut labelled = Labelled {
        owner: Some("o".repeat(Labelled::VALUE_MAX)),
        labels: (0..Labelled::LABELS_MAX).map(label).collect(),
    };
    let need = |number: usize| format!("{number:04}{}", "x".repeat(NodeCard::OFFER_MAX - 4));
    let mut needs: BTreeSet<String> = (0..NodeCard::OFFERS_MAX).map(need).collect();
    let demands = |needs: &BTreeSet<String>| {
        Some(Demands {
            needs: Some(needs.clone()),
            schema: 1,
        })
    };
    birth.rows[0].labelled = Some(labelled.clone());
    birth.rows[0].demands = demands(&needs);
    assert_eq!(append(bench, birth).await, Landing::Appended);
    let found = bench.ledger().find(&longest).await.unwrap().unwrap();
    assert_eq!((found.world, found.labelled), (world(1), labelled.clone()));
    let mut more = row(1, 3, "more");
    needs.insert("one more".to_owned());
    more.demands = demands(&needs);
    let refused = bench.ledger().append(node(1), &[chain(1, [more])]).await;
    assert!(is_invalid(&refused));
    let mut more = row(1, 3, "more");
    labelled.owner.as_mut().unwrap().push('o');
    more.labelled = Some(labelled);
    let refused = bench.ledger().append(node(1), &[chain(1, [more])]).await;
    assert!(is_invalid(&refused));
}
