//! Appending rows, and reading them.

use folkmoot_store::{Landing, PieceMax, RowChain};
use futures::future::join_all;

use super::bench::{
    Bench, append, append_by, at, beside, chain, fill, first, fork, is_invalid, key, name, node,
    places, record, row, rows, world,
};

pub(crate) async fn birth_makes_its_node_the_holder(bench: &dyn Bench) {
    assert_eq!(append(bench, first(1)).await, Landing::Appended);
    let entry = bench.ledger().entry(world(1)).await.unwrap().unwrap();
    assert_eq!((entry.holder, entry.head), (Some(node(1)), at(2)));
    assert_eq!(
        append(bench, chain(1, [row(1, 3, "more")])).await,
        Landing::Appended
    );
}

pub(crate) async fn same_rows_again_are_appended(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let again = chain(3, [row(1, 4, "a"), row(1, 5, "b")]);
    for _ in 0..3 {
        assert_eq!(append(bench, again.clone()).await, Landing::Appended);
        assert_eq!(append(bench, first(1)).await, Landing::Appended);
    }
    assert_eq!(places(bench, 1).await, [(1, 2), (3, 3), (4, 4), (5, 5)]);
    // Also behind others.
    assert_eq!(
        append(bench, chain(5, [row(1, 6, "c")])).await,
        Landing::Appended
    );
    assert_eq!(append(bench, again).await, Landing::Appended);
    assert_eq!(places(bench, 1).await.len(), 5);
}

pub(crate) async fn same_rows_again_are_appended_whoever_holds_the_world(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let mut keyed = row(1, 4, "a");
    keyed.row.key = Some(key("k"));
    let again = chain(3, [keyed]);
    assert_eq!(append(bench, again.clone()).await, Landing::Appended);
    assert_eq!(append_by(bench, 2, again.clone()).await, Landing::Appended);
    bench
        .members()
        .release(node(1), world(1), None)
        .await
        .unwrap();
    assert_eq!(append(bench, again).await, Landing::Appended);
}

pub(crate) async fn other_row_at_a_taken_place_is_a_conflict(bench: &dyn Bench) {
    fill(bench, 1, 4).await;
    assert_eq!(
        append(bench, chain(3, [row(1, 4, "another")])).await,
        Landing::Conflict
    );
    // Half of it is there already.
    let overlapping = chain(3, [row(1, 4, "1 says 4"), row(1, 5, "more")]);
    assert_eq!(append(bench, overlapping).await, Landing::Conflict);
    assert_eq!(rows(bench, 1, 4).await[0].link(), Some(key("1 says 4")));
}

pub(crate) async fn row_that_leaves_a_gap_is_a_conflict(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    assert_eq!(
        append(bench, chain(3, [row(1, 5, "a")])).await,
        Landing::Conflict
    );
    assert_eq!(
        append(bench, chain(4, [row(1, 5, "a")])).await,
        Landing::Conflict
    );
    assert_eq!(places(bench, 1).await, [(1, 2), (3, 3)]);
}

pub(crate) async fn row_with_another_predecessor_is_a_conflict(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    assert_eq!(
        append(bench, chain(2, [row(1, 4, "a")])).await,
        Landing::Conflict
    );
    assert_eq!(
        append(bench, chain(1, [row(1, 4, "a")])).await,
        Landing::Conflict
    );
}

pub(crate) async fn row_of_who_does_not_hold_the_world_is_fenced(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let fenced = Landing::Fenced {
        holder: Some(node(1)),
    };
    assert_eq!(
        append_by(bench, 2, chain(3, [row(1, 4, "a")])).await,
        fenced
    );
    // Also where it would be a conflict.
    assert_eq!(
        append_by(bench, 2, chain(7, [row(1, 9, "a")])).await,
        fenced
    );
    assert_eq!(places(bench, 1).await.len(), 2);
}

pub(crate) async fn row_of_a_world_that_nobody_holds_is_fenced(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    bench
        .members()
        .release(node(1), world(1), None)
        .await
        .unwrap();
    let fenced = Landing::Fenced { holder: None };
    assert_eq!(append(bench, chain(3, [row(1, 4, "a")])).await, fenced);
}

fn keyed(number: u8, position: u64, word: &str, with: &str) -> folkmoot_store::NewRow {
    let mut keyed = row(number, position, word);
    keyed.row.key = Some(key(with));
    keyed
}

pub(crate) async fn known_key_gives_its_row_wherever_the_head_is(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    assert_eq!(
        append(bench, chain(3, [keyed(1, 4, "a", "k")])).await,
        Landing::Appended
    );
    let there = rows(bench, 1, 4).await.remove(0);
    for (prev, position) in [(4, 5), (3, 4), (8, 12)] {
        let repeat = chain(prev, [keyed(1, position, "other", "k")]);
        assert_eq!(
            append(bench, repeat).await,
            Landing::KeyKnown(there.clone())
        );
    }
    assert_eq!(
        bench.ledger().by_key(world(1), key("k")).await.unwrap(),
        Some(there)
    );
    assert_eq!(
        bench.ledger().by_key(world(1), key("l")).await.unwrap(),
        None
    );
    assert_eq!(places(bench, 1).await.len(), 3);
}

pub(crate) async fn known_key_is_answered_before_the_holder_is_asked(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    assert_eq!(
        append(bench, chain(1, [keyed(1, 3, "a", "k")])).await,
        Landing::Appended
    );
    let there = rows(bench, 1, 3).await.remove(0);
    let repeat = chain(3, [keyed(1, 4, "b", "k")]);
    assert_eq!(append_by(bench, 2, repeat).await, Landing::KeyKnown(there));
}

pub(crate) async fn key_is_of_one_world(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    fill(bench, 2, 2).await;
    for number in [1, 2] {
        let one = chain(1, [keyed(number, 3, &format!("{number}"), "k")]);
        assert_eq!(append(bench, one).await, Landing::Appended);
    }
}

pub(crate) async fn all_rows_of_a_chain_land_or_none(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let three = |prev, from| {
        let words = ["x", "y", "z"];
        let rows = [0_u64, 1, 2].map(|step| row(1, from + step, words[step as usize]));
        chain(prev, rows)
    };
    assert_eq!(append(bench, three(3, 5)).await, Landing::Conflict);
    assert_eq!(append(bench, three(1, 3)).await, Landing::Conflict);
    assert_eq!(places(bench, 1).await.len(), 2);
    assert_eq!(append(bench, three(3, 4)).await, Landing::Appended);
    assert_eq!(places(bench, 1).await[2..], [(4, 4), (5, 5), (6, 6)]);
}

pub(crate) async fn chains_do_not_depend_on_one_another(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    fill(bench, 2, 3).await;
    let chains = [
        chain(3, [row(1, 4, "good")]),
        chain(3, [row(2, 9, "bad")]),
        first(3),
        chain(1, [row(4, 3, "nowhere")]),
    ];
    let landings = bench.ledger().append(node(1), &chains).await.unwrap();
    let expected = [
        Landing::Appended,
        Landing::Conflict,
        Landing::Appended,
        Landing::NoSuchWorld(world(4)),
    ];
    assert_eq!(landings, expected);
    assert_eq!(bench.ledger().append(node(1), &[]).await.unwrap(), []);
}

pub(crate) async fn two_chains_of_one_world_are_refused(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let chains = [chain(3, [row(1, 4, "a")]), chain(4, [row(1, 5, "b")])];
    assert!(is_invalid(&bench.ledger().append(node(1), &chains).await));
    assert_eq!(places(bench, 1).await.len(), 2);
}

pub(crate) async fn broken_chains_are_refused(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let good = || chain(3, [row(1, 4, "a"), row(1, 5, "b")]);
    let broken: [fn(&mut RowChain); 8] = [
        |chain| chain.rows.clear(),
        |chain| chain.rows[1].row.first = at(6),
        |chain| chain.rows[1].row.world = world(2),
        |chain| chain.rows[1].row.key = Some(key("k")),
        |chain| chain.rows[0].row.last = at(2),
        |chain| chain.rows[0].row.record.truncate(20),
        |chain| chain.rows[0].row.beside.push(beside(5, vec![1])),
        |chain| chain.prev = at(4),
    ];
    for (number, break_it) in broken.into_iter().enumerate() {
        let mut chain = good();
        break_it(&mut chain);
        let answer = bench.ledger().append(node(1), &[chain]).await;
        assert!(is_invalid(&answer), "chain {number}");
    }
    let mut birth = first(2);
    birth.rows.push(row(2, 3, "more"));
    assert!(is_invalid(&bench.ledger().append(node(1), &[birth]).await));
    assert_eq!(append(bench, good()).await, Landing::Appended);
}

pub(crate) async fn birth_of_a_world_that_is_there_is_a_conflict(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let mut other = first(1);
    other.rows[0].row.record = record("another birth", 0);
    assert_eq!(append(bench, other.clone()).await, Landing::Conflict);
    let fenced = Landing::Fenced {
        holder: Some(node(1)),
    };
    assert_eq!(append_by(bench, 2, other).await, fenced);
}

pub(crate) async fn birth_at_another_place_is_a_conflict(bench: &dyn Bench) {
    fill(bench, 1, 3).await;
    let mut late = first(2);
    (late.rows[0].row.first, late.rows[0].row.last) = (at(2), at(3));
    assert_eq!(append(bench, late).await, Landing::Conflict);
    let mut fork = fork(3, 1, 3);
    (fork.rows[0].row.first, fork.rows[0].row.last) = (at(5), at(5));
    assert_eq!(append(bench, fork).await, Landing::Conflict);
}

pub(crate) async fn name_is_taken_once(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let mut second = first(2);
    second.rows[0].birth.as_mut().unwrap().name = name(1);
    assert_eq!(append(bench, second).await, Landing::NameTaken);
    assert_eq!(bench.ledger().entry(world(2)).await.unwrap(), None);
    assert_eq!(append(bench, first(2)).await, Landing::Appended);
}

pub(crate) async fn name_is_given_to_the_first_of_one_call(bench: &dyn Bench) {
    let mut second = first(2);
    second.rows[0].birth.as_mut().unwrap().name = name(1);
    let landings = bench.ledger().append(node(1), &[first(1), second]).await;
    assert_eq!(landings.unwrap(), [Landing::Appended, Landing::NameTaken]);
}

pub(crate) async fn fork_needs_its_parent(bench: &dyn Bench) {
    let missing = Landing::NoSuchWorld(world(1));
    assert_eq!(append(bench, fork(2, 1, 2)).await, missing);
    fill(bench, 1, 3).await;
    assert_eq!(append(bench, fork(2, 1, 2)).await, Landing::Appended);
    assert_eq!(
        append(bench, chain(3, [row(2, 4, "own")])).await,
        Landing::Appended
    );
    assert_eq!(places(bench, 2).await, [(3, 3), (4, 4)]);
    // A parent and its fork may come in one call.
    let both = [first(3), fork(4, 3, 2)];
    let landings = bench.ledger().append(node(1), &both).await.unwrap();
    assert_eq!(landings, [Landing::Appended, Landing::Appended]);
}

pub(crate) async fn row_of_no_world_has_no_world(bench: &dyn Bench) {
    let missing = Landing::NoSuchWorld(world(1));
    assert_eq!(append(bench, chain(1, [row(1, 3, "a")])).await, missing);
    assert_eq!(bench.ledger().last(world(1)).await.unwrap(), None);
    assert_eq!(rows(bench, 1, 1).await, []);
}

pub(crate) async fn content_beside_comes_back(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let mut large = row(1, 3, "large");
    large.row.last = at(6);
    large.row.beside = vec![
        beside(3, vec![3; 100_000]),
        beside(5, Vec::new()),
        beside(6, vec![6]),
    ];
    assert_eq!(
        append(bench, chain(1, [large.clone()])).await,
        Landing::Appended
    );
    assert_eq!(rows(bench, 1, 5).await, [large.row.clone()]);
    assert_eq!(
        bench.ledger().last(world(1)).await.unwrap(),
        Some(large.row)
    );
}

pub(crate) async fn pieces_are_bounded_and_never_empty(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    for position in 3..12 {
        let mut large = row(1, position, &format!("{position}"));
        large.row.record.resize(1_000, 0);
        let prev = if position == 3 { 1 } else { position - 1 };
        assert_eq!(append(bench, chain(prev, [large])).await, Landing::Appended);
    }
    let read = async |from: u64, rows: usize, bytes: usize| {
        let most = PieceMax { rows, bytes };
        let piece = bench.ledger().read(world(1), at(from), most).await.unwrap();
        piece.iter().map(|row| row.first.get()).collect::<Vec<_>>()
    };
    assert_eq!(read(3, 1_000, 1).await, [3]);
    assert_eq!(read(3, 4, 1_000_000).await, [3, 4, 5, 6]);
    let some = read(3, 1_000, 3_500).await;
    assert!((1..=4).contains(&some.len()), "{some:?}");
    assert_eq!(read(2, 2, 1_000_000).await, [1, 3]);
    assert_eq!(read(12, 9, 1_000_000).await, [0_u64; 0]);
}

pub(crate) async fn rows_are_read_backwards(bench: &dyn Bench) {
    fill(bench, 1, 6).await;
    let back = async |before: u64, rows: usize, bytes: usize| {
        let most = PieceMax { rows, bytes };
        let piece = bench.ledger().read_back(world(1), at(before), most).await;
        let piece = piece.unwrap();
        piece.iter().map(|row| row.first.get()).collect::<Vec<_>>()
    };
    assert_eq!(back(7, 2, 1_000_000).await, [6, 5]);
    assert_eq!(back(99, 100, 1_000_000).await, [6, 5, 4, 3, 1]);
    assert_eq!(back(5, 100, 1).await, [4]);
    // The first row holds event 2, and does not end before it.
    assert_eq!(back(2, 100, 1_000_000).await, [0_u64; 0]);
    assert_eq!(back(3, 100, 1_000_000).await, [1]);
}

pub(crate) async fn eight_writers_have_one_winner(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let mut prev = 1;
    for position in 3..23 {
        // Eight that believe they hold the world, such as a process that was stopped and its successor under one id.
        let tries = (1..=8).map(|number| {
            let word = format!("{number} at {position}");
            append(bench, chain(prev, [row(1, position, &word)]))
        });
        let landings = join_all(tries).await;
        let won = landings
            .iter()
            .filter(|landing| **landing == Landing::Appended);
        let lost = landings
            .iter()
            .filter(|landing| **landing == Landing::Conflict);
        assert_eq!((won.count(), lost.count()), (1, 7), "{landings:?}");
        prev = position;
    }
    assert_eq!(places(bench, 1).await.len(), 21);
}
