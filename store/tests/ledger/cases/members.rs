//! Members, and which worlds they hold.

use std::collections::BTreeSet;
use std::time::Duration;

use folkmoot_core::ids::{NodeId, Time, WorldId};
use folkmoot_core::port::{CLAIM_MAX, MemberError, NodeCard, Renewal, Taken};
use folkmoot_store::{Demands, Landing};

use super::bench::{
    Bench, TTL, append, append_by, at, card, chain, fill, first, fork, join, node, row, world,
};

fn renewal(number: u8) -> Renewal {
    Renewal {
        node: node(number),
        room: 50,
        draining: false,
        ttl: TTL,
    }
}

async fn claim(bench: &dyn Bench, number: u8, limit: usize) -> Vec<WorldId> {
    bench.members().claim(node(number), limit).await.unwrap()
}

async fn take(bench: &dyn Bench, by: u8, number: u8) -> Taken {
    bench.members().take(node(by), world(number)).await.unwrap()
}

async fn holder(bench: &dyn Bench, number: u8) -> Option<NodeId> {
    let holder = bench.members().holder(world(number)).await.unwrap();
    holder.map(|card| card.node)
}

async fn reap(bench: &dyn Bench) -> Vec<NodeId> {
    let mut dead = bench.members().reap().await.unwrap();
    dead.sort();
    dead
}

async fn now(bench: &dyn Bench) -> Time {
    bench
        .members()
        .join(&card(99), Duration::ZERO)
        .await
        .unwrap()
}

/// Makes world `number`, which nobody holds.
async fn free(bench: &dyn Bench, number: u8, due: Option<Time>) {
    assert_eq!(append(bench, first(number)).await, Landing::Appended);
    bench
        .members()
        .release(node(1), world(number), due)
        .await
        .unwrap();
}

pub(crate) async fn node_lives_as_long_as_it_renews(bench: &dyn Bench) {
    join(bench, 1).await;
    for _ in 0..5 {
        bench.pass(Duration::from_secs(4)).await;
        assert!(bench.members().renew(renewal(1)).await.unwrap().is_some());
        assert_eq!(reap(bench).await, []);
    }
    let nodes = bench.members().nodes().await.unwrap();
    let expected = NodeCard {
        room: 50,
        ..card(1)
    };
    assert_eq!(
        nodes
            .iter()
            .map(|state| state.card.clone())
            .collect::<Vec<_>>(),
        [expected]
    );
    bench.pass(Duration::from_secs(6)).await;
    assert_eq!(reap(bench).await, [node(1)]);
    assert_eq!(bench.members().nodes().await.unwrap(), []);
}

pub(crate) async fn reaped_node_is_told_and_its_worlds_are_free(bench: &dyn Bench) {
    join(bench, 1).await;
    fill(bench, 1, 2).await;
    bench.pass(Duration::from_secs(6)).await;
    join(bench, 2).await;
    assert_eq!(reap(bench).await, [node(1)]);
    assert_eq!(bench.members().renew(renewal(1)).await.unwrap(), None);
    let fenced = Landing::Fenced { holder: None };
    assert_eq!(append(bench, chain(1, [row(1, 3, "late")])).await, fenced);
    assert_eq!(claim(bench, 2, 9).await, [world(1)]);
    let fenced = Landing::Fenced {
        holder: Some(node(2)),
    };
    assert_eq!(append(bench, chain(1, [row(1, 3, "late")])).await, fenced);
    assert_eq!(
        append_by(bench, 2, chain(1, [row(1, 3, "new")])).await,
        Landing::Appended
    );
}

pub(crate) async fn renewal_before_the_reaping_counts(bench: &dyn Bench) {
    join(bench, 1).await;
    bench.pass(Duration::from_secs(60)).await;
    assert!(bench.members().renew(renewal(1)).await.unwrap().is_some());
    assert_eq!(reap(bench).await, []);
}

pub(crate) async fn worlds_of_no_member_are_freed(bench: &dyn Bench) {
    // Node 3 never joined, or made the world after it was reaped.
    assert_eq!(append_by(bench, 3, first(1)).await, Landing::Appended);
    join(bench, 2).await;
    assert_eq!(reap(bench).await, []);
    assert_eq!(claim(bench, 2, 9).await, [world(1)]);
}

pub(crate) async fn leaving_frees_all_at_once(bench: &dyn Bench) {
    join(bench, 1).await;
    join(bench, 2).await;
    fill(bench, 1, 2).await;
    fill(bench, 2, 2).await;
    bench.members().leave(node(1)).await.unwrap();
    bench.members().leave(node(1)).await.unwrap();
    let mut claimed = claim(bench, 2, 9).await;
    claimed.sort();
    assert_eq!(claimed, [world(1), world(2)]);
}

pub(crate) async fn claim_gives_those_first_that_are_due_longest(bench: &dyn Bench) {
    join(bench, 1).await;
    let now = now(bench).await;
    for (number, due) in [
        (1, Some(3)),
        (2, Some(1)),
        (3, None),
        (4, Some(60)),
        (5, Some(2)),
    ] {
        let due = due.map(|seconds| now.after(Duration::from_secs(seconds)));
        free(bench, number, due).await;
    }
    assert_eq!(claim(bench, 1, 9).await, []);
    bench.pass(Duration::from_secs(4)).await;
    assert_eq!(claim(bench, 1, 2).await, [world(2), world(5)]);
    assert_eq!(claim(bench, 1, 9).await, [world(1)]);
    assert_eq!(claim(bench, 1, 9).await, []);
    let nodes = bench.members().nodes().await.unwrap();
    let held = nodes.iter().find(|state| state.card.node == node(1));
    assert_eq!(held.map(|state| state.held), Some(3));
    let worlds = async |number: u8| bench.members().held(node(number)).await.unwrap();
    assert_eq!(worlds(1).await, [world(1), world(2), world(5)]);
    assert_eq!(worlds(2).await, []);
}

fn demanding(number: u8, needs: &[&str], schema: u32) -> folkmoot_store::RowChain {
    let mut birth = first(number);
    birth.rows[0].demands = Some(Demands {
        needs: Some(set(needs)),
        schema,
    });
    birth
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

pub(crate) async fn claim_asks_for_offers_and_schema(bench: &dyn Bench) {
    let now = now(bench).await;
    for (number, needs, schema) in [
        (1, &["a"][..], 1),
        (2, &["a", "b"][..], 1),
        (3, &[][..], 2),
        (4, &[][..], 1),
    ] {
        let birth = demanding(number, needs, schema);
        assert_eq!(append(bench, birth).await, Landing::Appended);
        bench
            .members()
            .release(node(1), world(number), Some(now))
            .await
            .unwrap();
    }
    let offering = NodeCard {
        offers: set(&["a", "c"]),
        ..card(2)
    };
    bench.members().join(&offering, TTL).await.unwrap();
    // Whoever was asked for the time is past its own.
    bench.pass(Duration::from_millis(1)).await;
    let mut claimed = claim(bench, 2, 9).await;
    claimed.sort();
    assert_eq!(claimed, [world(1), world(4)]);
}

pub(crate) async fn claims_are_shared_among_the_living(bench: &dyn Bench) {
    join(bench, 7).await;
    bench.pass(Duration::from_secs(6)).await;
    let draining = NodeCard {
        draining: true,
        ..card(6)
    };
    bench.members().join(&draining, TTL).await.unwrap();
    let now = now(bench).await;
    for number in 10..20 {
        free(bench, number, Some(now)).await;
    }
    bench.pass(Duration::from_millis(1)).await;
    for number in [2, 3, 4] {
        join(bench, number).await;
    }
    // Nodes 7 and 99 are past their time, node 6 drains: three share.
    assert_eq!(claim(bench, 2, 99).await.len(), 4);
    assert_eq!(claim(bench, 3, 99).await.len(), 2);
    assert_eq!(claim(bench, 4, 99).await.len(), 2);
    assert_eq!(claim(bench, 2, 99).await.len(), 1);
    assert_eq!(claim(bench, 3, 0).await.len(), 0);
    const { assert!(CLAIM_MAX == 64) };
}

pub(crate) async fn draining_node_claims_nothing(bench: &dyn Bench) {
    let now = now(bench).await;
    free(bench, 1, Some(now)).await;
    join(bench, 2).await;
    let draining = Renewal {
        draining: true,
        ..renewal(2)
    };
    assert!(bench.members().renew(draining).await.unwrap().is_some());
    assert_eq!(claim(bench, 2, 9).await, []);
    // Nor does one that is no member.
    assert_eq!(claim(bench, 3, 9).await, []);
    // Who asks for a world gets it all the same.
    assert_eq!(take(bench, 2, 1).await, Taken::Taken);
}

pub(crate) async fn released_world_waits_until_it_is_due(bench: &dyn Bench) {
    join(bench, 1).await;
    fill(bench, 1, 2).await;
    let due = now(bench).await.after(Duration::from_secs(3));
    // Only the holder lets go.
    bench
        .members()
        .release(node(2), world(1), None)
        .await
        .unwrap();
    let entry = bench.ledger().entry(world(1)).await.unwrap().unwrap();
    assert_eq!(entry.holder, Some(node(1)));
    bench
        .members()
        .release(node(1), world(1), Some(due))
        .await
        .unwrap();
    assert_eq!(claim(bench, 1, 9).await, []);
    bench.pass(Duration::from_secs(3)).await;
    assert_eq!(claim(bench, 1, 9).await, [world(1)]);
    bench
        .members()
        .release(node(1), world(1), None)
        .await
        .unwrap();
    bench.pass(Duration::from_secs(1)).await;
    assert_eq!(claim(bench, 1, 9).await, []);
}

pub(crate) async fn take_tells_why_not(bench: &dyn Bench) {
    join(bench, 2).await;
    assert_eq!(take(bench, 2, 1).await, Taken::NoSuchWorld);
    fill(bench, 1, 2).await;
    assert_eq!(take(bench, 2, 1).await, Taken::Held { by: node(1) });
    for (number, needs, schema) in [(3, &["a", "b"][..], 1), (4, &[][..], 7)] {
        let birth = demanding(number, needs, schema);
        assert_eq!(append(bench, birth).await, Landing::Appended);
        bench
            .members()
            .release(node(1), world(number), None)
            .await
            .unwrap();
    }
    assert_eq!(take(bench, 2, 3).await, Taken::Lacks(set(&["a", "b"])));
    assert_eq!(take(bench, 2, 4).await, Taken::Newer { schema: 7 });
}

pub(crate) async fn take_gives_a_free_world_to_a_member(bench: &dyn Bench) {
    join(bench, 2).await;
    fill(bench, 1, 2).await;
    let stranger = bench.members().take(node(5), world(1)).await;
    assert!(matches!(stranger, Err(MemberError::NoMember(by)) if by == node(5)));
    bench
        .members()
        .release(node(1), world(1), None)
        .await
        .unwrap();
    assert_eq!(holder(bench, 1).await, None);
    assert_eq!(take(bench, 2, 1).await, Taken::Taken);
    assert_eq!(take(bench, 2, 1).await, Taken::Taken);
    assert_eq!(holder(bench, 1).await, Some(node(2)));
    assert_eq!(holder(bench, 99).await, None);
    assert_eq!(
        append_by(bench, 2, chain(1, [row(1, 3, "a")])).await,
        Landing::Appended
    );
}

pub(crate) async fn fork_needs_what_its_parent_needs(bench: &dyn Bench) {
    join(bench, 2).await;
    assert_eq!(
        append(bench, demanding(1, &["a"], 1)).await,
        Landing::Appended
    );
    assert_eq!(append(bench, fork(3, 1, 2)).await, Landing::Appended);
    bench
        .members()
        .release(node(1), world(3), None)
        .await
        .unwrap();
    assert_eq!(take(bench, 2, 3).await, Taken::Lacks(set(&["a"])));
}

pub(crate) async fn opening_by_a_newer_build_shuts_older_ones_out(bench: &dyn Bench) {
    join(bench, 2).await;
    assert_eq!(
        append(bench, demanding(1, &["a"], 1)).await,
        Landing::Appended
    );
    let mut prev = 1;
    for (position, schema) in [(3, 5), (4, 2)] {
        let mut opened = row(1, position, &format!("opened {position}"));
        opened.demands = Some(Demands {
            needs: (position == 4).then(BTreeSet::new),
            schema,
        });
        assert_eq!(
            append(bench, chain(prev, [opened])).await,
            Landing::Appended
        );
        prev = position;
    }
    bench
        .members()
        .release(node(1), world(1), None)
        .await
        .unwrap();
    assert_eq!(take(bench, 2, 1).await, Taken::Newer { schema: 5 });
    let newer = NodeCard {
        schema: 5,
        ..card(2)
    };
    bench.members().join(&newer, TTL).await.unwrap();
    assert_eq!(take(bench, 2, 1).await, Taken::Taken);
    assert_eq!(
        bench.ledger().last(world(1)).await.unwrap().unwrap().last,
        at(4)
    );
}

pub(crate) async fn cards_are_bounded(bench: &dyn Bench) {
    let fits = NodeCard {
        name: "n".repeat(NodeCard::NAME_MAX),
        offers: BTreeSet::from(["o".repeat(NodeCard::OFFER_MAX)]),
        advertise: Some("a".repeat(NodeCard::ADVERTISE_MAX)),
        ..card(1)
    };
    bench.members().join(&fits, TTL).await.unwrap();
    let nodes = bench.members().nodes().await.unwrap();
    assert_eq!(nodes[0].card, fits);
    let too_large: [fn(&mut NodeCard); 4] = [
        |card| card.name.push('n'),
        |card| card.offers = BTreeSet::from(["o".repeat(NodeCard::OFFER_MAX + 1)]),
        |card| {
            card.offers = (0..=NodeCard::OFFERS_MAX)
                .map(|one| one.to_string())
                .collect()
        },
        |card| card.advertise = Some("a".repeat(NodeCard::ADVERTISE_MAX + 1)),
    ];
    for enlarge in too_large {
        let mut card = fits.clone();
        enlarge(&mut card);
        let refused = bench.members().join(&card, TTL).await;
        assert!(matches!(refused, Err(MemberError::Invalid(_))));
    }
}
