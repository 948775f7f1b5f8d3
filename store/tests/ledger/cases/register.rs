//! Worlds by their names, labels and heads.

use folkmoot_core::event::Labelled;
use folkmoot_core::ids::{Incarnation, Time, WorldName};
use folkmoot_core::port::Labels;
use folkmoot_store::{ForkBase, GoneRange, Landing};

use super::bench::{Bench, append, at, chain, fill, first, fork, name, node, row, world};

fn labels(pairs: &[(&str, &str)]) -> Labels {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

pub(crate) async fn entry_says_what_the_rows_say(bench: &dyn Bench) {
    assert_eq!(bench.ledger().entry(world(1)).await.unwrap(), None);
    assert_eq!(bench.ledger().find(&name(1)).await.unwrap(), None);
    fill(bench, 1, 3).await;
    let mut opened = row(1, 4, "opened");
    (opened.row.time, opened.row.incarnation) = (Time(77), Incarnation(2));
    let labelled = Labelled {
        owner: Some("ada".to_owned()),
        labels: labels(&[("stage", "one")]),
    };
    opened.labelled = Some(labelled.clone());
    assert_eq!(append(bench, chain(3, [opened])).await, Landing::Appended);
    let entry = bench.ledger().entry(world(1)).await.unwrap().unwrap();
    assert_eq!(
        bench.ledger().find(&name(1)).await.unwrap(),
        Some(entry.clone())
    );
    assert_eq!(
        (entry.world, entry.name, entry.head),
        (world(1), name(1), at(4))
    );
    assert_eq!((entry.time, entry.incarnation), (Time(77), Incarnation(2)));
    assert_eq!((entry.labelled, entry.base), (labelled, None));
    assert_eq!(
        (entry.holder, entry.barred, entry.reach),
        (Some(node(1)), None, None)
    );
    assert!(!entry.is_sealed);
    // Labels replace those before, and stay where a row has none.
    let mut bare = row(1, 5, "bare");
    bare.labelled = Some(Labelled::default());
    assert_eq!(
        append(bench, chain(4, [bare, row(1, 6, "more")])).await,
        Landing::Appended
    );
    let entry = bench.ledger().entry(world(1)).await.unwrap().unwrap();
    assert_eq!((entry.labelled, entry.head), (Labelled::default(), at(6)));
}

pub(crate) async fn labels_find_their_worlds(bench: &dyn Bench) {
    for (number, pairs) in [
        (1, &[("stage", "one"), ("topic", "a")][..]),
        (2, &[("stage", "one"), ("topic", "b")][..]),
        (3, &[("stage", "two")][..]),
    ] {
        let mut birth = first(number);
        birth.rows[0].labelled = Some(Labelled {
            owner: None,
            labels: labels(pairs),
        });
        assert_eq!(append(bench, birth).await, Landing::Appended);
    }
    let found = async |pairs: &[(&str, &str)], after: Option<&WorldName>, limit: usize| {
        let worlds = bench.ledger().worlds(&labels(pairs), after, limit).await;
        let worlds = worlds.unwrap();
        worlds
            .iter()
            .map(|entry| entry.name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(&[("stage", "one")], None, 9).await,
        ["world-1", "world-2"]
    );
    assert_eq!(
        found(&[("stage", "one"), ("topic", "b")], None, 9).await,
        ["world-2"]
    );
    assert_eq!(
        found(&[("stage", "three")], None, 9).await,
        Vec::<String>::new()
    );
    assert_eq!(found(&[], None, 2).await, ["world-1", "world-2"]);
    assert_eq!(found(&[], Some(&name(2)), 2).await, ["world-3"]);
    assert_eq!(
        found(&[("stage", "one")], Some(&name(1)), 9).await,
        ["world-2"]
    );
    assert_eq!(found(&[], None, 0).await, Vec::<String>::new());
}

pub(crate) async fn worlds_are_listed_by_the_bytes_of_their_names(bench: &dyn Bench) {
    let names = ["a.b", "B", "a-b", "a", "_", "a_b", "Z", "0"];
    for (number, name) in (1..).zip(names) {
        let mut birth = first(number);
        birth.rows[0].birth.as_mut().unwrap().name = WorldName::new(name).unwrap();
        assert_eq!(append(bench, birth).await, Landing::Appended, "{name}");
    }
    let worlds = bench
        .ledger()
        .worlds(&Labels::new(), None, 99)
        .await
        .unwrap();
    let listed: Vec<String> = worlds.iter().map(|entry| entry.name.to_string()).collect();
    let mut sorted = names.map(str::to_owned);
    sorted.sort();
    assert_eq!(listed, sorted);
}

pub(crate) async fn heads_are_told_of_those_that_are_there(bench: &dyn Bench) {
    fill(bench, 1, 5).await;
    fill(bench, 2, 2).await;
    let mut heads = bench
        .ledger()
        .heads(&[world(2), world(9), world(1)])
        .await
        .unwrap();
    heads.sort();
    assert_eq!(heads, [(world(1), at(5)), (world(2), at(2))]);
    assert_eq!(bench.ledger().heads(&[]).await.unwrap(), []);
}

pub(crate) async fn forks_are_told_with_their_bases(bench: &dyn Bench) {
    fill(bench, 1, 4).await;
    for number in [3, 2] {
        assert_eq!(
            append(bench, fork(number, 1, u64::from(number))).await,
            Landing::Appended
        );
    }
    assert_eq!(append(bench, fork(4, 2, 3)).await, Landing::Appended);
    let forks = bench.ledger().forks(world(1)).await.unwrap();
    let told: Vec<_> = forks
        .iter()
        .map(|entry| (entry.world, entry.base))
        .collect();
    let base = |position| {
        Some(ForkBase {
            parent: world(1),
            at: at(position),
            is_copied: false,
        })
    };
    assert_eq!(told, [(world(2), base(2)), (world(3), base(3))]);
    assert_eq!(bench.ledger().forks(world(3)).await.unwrap(), []);
}

pub(crate) async fn gone_positions_are_told_by_who_took_them(bench: &dyn Bench) {
    fill(bench, 1, 6).await;
    for (position, gone) in [(7, vec![at(3), at(5)]), (8, vec![at(4), at(5)])] {
        let mut taking = row(1, position, &format!("{position} takes"));
        taking.gone = gone;
        assert_eq!(
            append(bench, chain(position - 1, [taking])).await,
            Landing::Appended
        );
    }
    let gone = async |from: u64, to: u64, until: u64| {
        let range = GoneRange {
            from: at(from),
            to: at(to),
            until: at(until),
        };
        let gone = bench.ledger().gone(world(1), range).await.unwrap();
        gone.iter().map(|gone| gone.get()).collect::<Vec<_>>()
    };
    assert_eq!(gone(1, 99, 99).await, [3, 4, 5]);
    assert_eq!(gone(1, 99, 7).await, [3, 5]);
    assert_eq!(gone(1, 99, 6).await, [0_u64; 0]);
    assert_eq!(gone(4, 5, 99).await, [4]);
    assert_eq!(gone(5, 4, 99).await, [0_u64; 0]);
}

pub(crate) async fn grown_worlds_are_told_by_owner_and_time(bench: &dyn Bench) {
    for (number, owner, time) in [
        (1, "ada", 10),
        (2, "ada", 20),
        (3, "bob", 20),
        (4, "ada", 30),
    ] {
        let mut birth = first(number);
        birth.rows[0].row.time = Time(time);
        birth.rows[0].labelled = Some(Labelled {
            owner: Some(owner.to_owned()),
            labels: Labels::new(),
        });
        assert_eq!(append(bench, birth).await, Landing::Appended);
    }
    let grown = async |owner: &str, since: u64, after: Option<&WorldName>, limit: usize| {
        let since = Time(since);
        let worlds = bench.ledger().grown((owner, since), after, limit).await;
        let worlds = worlds.unwrap();
        worlds
            .iter()
            .map(|entry| entry.name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(grown("ada", 20, None, 9).await, ["world-2", "world-4"]);
    assert_eq!(grown("ada", 0, None, 2).await, ["world-1", "world-2"]);
    assert_eq!(grown("ada", 0, Some(&name(2)), 9).await, ["world-4"]);
    assert_eq!(grown("bob", 21, None, 9).await, [""; 0]);
    // Its last row counts, whoever had it before.
    let mut given = row(3, 3, "given");
    given.row.time = Time(40);
    given.labelled = Some(Labelled {
        owner: Some("ada".to_owned()),
        labels: Labels::new(),
    });
    assert_eq!(append(bench, chain(1, [given])).await, Landing::Appended);
    assert_eq!(grown("ada", 30, None, 9).await, ["world-3", "world-4"]);
    assert_eq!(grown("bob", 0, None, 9).await, [""; 0]);
}
