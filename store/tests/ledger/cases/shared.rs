//! The small records that all processes share.

use folkmoot_store::{
    LedgerError, SHARED_KEY_BYTES_MAX, SHARED_KIND_BYTES_MAX, SHARED_VALUE_BYTES_MAX, SharedRecord,
};
use futures::future::join_all;

use super::bench::{Bench, is_invalid};

fn record(kind: &str, key: &[u8], value: &str) -> SharedRecord {
    SharedRecord {
        kind: kind.to_owned(),
        key: key.to_vec(),
        value: value.as_bytes().to_vec(),
    }
}

async fn put(bench: &dyn Bench, value: &str, replaces: Option<&str>) -> bool {
    let record = record("token", b"a", value);
    let replaces = replaces.map(str::as_bytes);
    let put = bench.ledger().put_shared(&record, replaces).await;
    put.unwrap()
}

async fn version(bench: &dyn Bench) -> u64 {
    bench.ledger().shared_version("token").await.unwrap()
}

async fn value(bench: &dyn Bench) -> Option<String> {
    let found = bench.ledger().shared("token", b"a").await.unwrap();
    found.map(|value| String::from_utf8(value).unwrap())
}

pub(crate) async fn record_is_put_once_and_replaced_by_who_knows_it(bench: &dyn Bench) {
    assert_eq!(value(bench).await, None);
    assert!(!put(bench, "new", Some("none")).await, "nothing is there");
    assert!(put(bench, "one", None).await);
    assert!(put(bench, "one", None).await, "it is sent again");
    assert!(!put(bench, "two", None).await);
    assert!(!put(bench, "two", Some("zero")).await);
    assert_eq!(value(bench).await.as_deref(), Some("one"));
    assert!(put(bench, "two", Some("one")).await);
    assert!(put(bench, "two", Some("one")).await, "it is sent again");
    assert_eq!(value(bench).await.as_deref(), Some("two"));
    let other = bench.ledger().shared("session", b"a").await.unwrap();
    assert_eq!(other, None, "a key is of one kind");
}

pub(crate) async fn record_is_removed_once(bench: &dyn Bench) {
    put(bench, "one", None).await;
    let ledger = bench.ledger();
    let removals = (0..8).map(|_| ledger.remove_shared("token", b"a"));
    let removed = join_all(removals).await;
    let removed = removed
        .into_iter()
        .filter(|removed| *removed.as_ref().unwrap());
    assert_eq!(removed.count(), 1);
    assert_eq!(value(bench).await, None);
    assert!(!ledger.remove_shared("session", b"a").await.unwrap());
    assert!(put(bench, "one", None).await, "its key is free");
}

pub(crate) async fn records_are_listed_by_kind_in_pages(bench: &dyn Bench) {
    let ledger = bench.ledger();
    let keys: [&[u8]; 4] = [b"\0", b"a", b"a\0", b"\xff"];
    for key in keys.iter().rev() {
        let put = ledger.put_shared(&record("token", key, "x"), None).await;
        assert!(put.unwrap());
    }
    let other = ledger.put_shared(&record("session", b"a", "y"), None).await;
    assert!(other.unwrap());
    let all = keys.map(|key| record("token", key, "x"));
    assert_eq!(ledger.all_shared("token", None, 9).await.unwrap(), all);
    let first = ledger.all_shared("token", None, 3).await.unwrap();
    assert_eq!(first, all[..3]);
    let second = ledger.all_shared("token", Some(keys[2]), 3).await.unwrap();
    assert_eq!(second, all[3..]);
    assert_eq!(ledger.all_shared("code", None, 9).await.unwrap(), []);
}

pub(crate) async fn each_change_makes_the_version_greater(bench: &dyn Bench) {
    let ledger = bench.ledger();
    let mut versions = vec![version(bench).await];
    put(bench, "one", None).await;
    versions.push(version(bench).await);
    put(bench, "two", Some("one")).await;
    versions.push(version(bench).await);
    assert!(ledger.remove_shared("token", b"a").await.unwrap());
    versions.push(version(bench).await);
    assert_eq!(versions[0], 0);
    assert!(
        versions.is_sorted_by(|one, next| one < next),
        "{versions:?}"
    );
    put(bench, "one", None).await;
    let before = version(bench).await;
    put(bench, "one", None).await;
    put(bench, "two", Some("none")).await;
    ledger.remove_shared("token", b"b").await.unwrap();
    let other = ledger.put_shared(&record("session", b"a", "y"), None).await;
    assert!(other.unwrap());
    assert_eq!(version(bench).await, before, "nothing of it changed");
}

pub(crate) async fn of_many_who_change_a_record_at_once_one_wins(bench: &dyn Bench) {
    let words = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let put_all = |replaces| join_all(words.map(|word| put(bench, word, replaces)));
    let wins = |put: Vec<bool>| put.into_iter().filter(|is_put| *is_put).count();
    assert_eq!(wins(put_all(None).await), 1);
    let stands = value(bench).await.unwrap();
    assert!(put(bench, "one", Some(&stands)).await);
    let before = version(bench).await;
    assert_eq!(wins(put_all(Some("one")).await), 1);
    assert_eq!(version(bench).await, before + 1);
}

pub(crate) async fn broken_records_are_refused(bench: &dyn Bench) {
    let put = async |kind: &str, key: usize, value: usize| {
        let record = SharedRecord {
            kind: kind.to_owned(),
            key: vec![1; key],
            value: vec![1; value],
        };
        bench.ledger().put_shared(&record, None).await
    };
    let fits: Result<bool, LedgerError> = put(
        &"k".repeat(SHARED_KIND_BYTES_MAX),
        SHARED_KEY_BYTES_MAX,
        SHARED_VALUE_BYTES_MAX,
    )
    .await;
    assert!(fits.unwrap());
    for kind in [
        "",
        "Token",
        "a b",
        "a\0",
        &"k".repeat(SHARED_KIND_BYTES_MAX + 1),
    ] {
        assert!(is_invalid(&put(kind, 1, 1).await), "{kind:?}");
    }
    assert!(is_invalid(&put("token", 0, 1).await));
    assert!(is_invalid(&put("token", SHARED_KEY_BYTES_MAX + 1, 1).await));
    assert!(is_invalid(
        &put("token", 1, SHARED_VALUE_BYTES_MAX + 1).await
    ));
    assert!(put("token", 1, 0).await.unwrap(), "a value may be empty");
}
