//! Nodes that share a ledger: one holds a world at a time, whatever becomes of nodes, lines and clocks.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use folkmoot::core::ids::{Time, WorldId};
use folkmoot::core::port::{Members as _, NoTenure, Tenures as _};
use futures::FutureExt as _;

mod random;
mod rooms;
mod stage;
mod stories;

use stage::{House, Process, Start, Weather, pass, pass_until};

const SECOND: Duration = Duration::from_secs(1);

/// Longer than anything here takes.
const SOON: Duration = Duration::from_secs(120);

async fn process(house: &std::sync::Arc<House>, number: u64) -> Process {
    Process::start(house, number, Start::default()).await
}

#[tokio::test(start_paused = true)]
async fn worlds_of_a_node_that_dies_are_taken_over_within_8_seconds() {
    let house = House::new();
    let (a, b) = (process(&house, 1).await, process(&house, 2).await);
    pass(&house, &[&a, &b], 10 * SECOND).await;
    let worlds = house.worlds(0..40, &[]).await;
    let all = |number| a.shelf.acting().len() + b.shelf.acting().len() == number;
    pass_until(&house, &[&a, &b], 10 * SECOND, || all(worlds.len())).await;
    let of_a = a.shelf.acting().len();
    assert!((10..=30).contains(&of_a), "{of_a} worlds of 40 are a's");
    a.kill().await;
    let b_has_all = || b.shelf.acting().len() == worlds.len();
    let took = pass_until(&house, &[&b], SOON, b_has_all).await;
    assert!(took > 4 * SECOND, "before a's lease had ended: {took:?}");
    assert!(took < 8 * SECOND, "{took:?}");
    assert_eq!(house.members().await, [b.node.id()]);
}

#[tokio::test(start_paused = true)]
async fn node_that_was_stopped_for_a_while_acts_no_more_and_joins_under_another_id() {
    let house = House::new();
    let worlds = house.worlds(0..6, &[]).await;
    let (a, b) = (process(&house, 1).await, process(&house, 2).await);
    pass(&house, &[&a, &b], 10 * SECOND).await;
    let of_a = a.shelf.acting();
    assert!(!of_a.is_empty());
    let rights: Vec<_> = of_a.iter().map(|world| a.shelf.tenure(*world)).collect();
    let id = a.node.id();
    a.freeze();
    pass(&house, &[&a, &b], 4 * SECOND).await;
    assert!(a.shelf.acting().is_empty(), "nobody told it, but it counts");
    let b_has_all = || b.shelf.acting().len() == worlds.len();
    pass_until(&house, &[&a, &b], SOON, b_has_all).await;
    a.thaw();
    pass(&house, &[&a, &b], SECOND).await;
    assert_ne!(a.node.id(), id);
    assert_eq!(a.shelf.open(), 0, "all were dropped");
    for right in rights {
        assert!(!right.holds());
        right.lost().await;
    }
    let members: BTreeSet<_> = house.members().await.into_iter().collect();
    assert_eq!(members, BTreeSet::from([a.node.id(), b.node.id()]));
}

#[tokio::test(start_paused = true)]
async fn suspended_machine_counts_the_time_that_it_slept() {
    let house = House::new();
    let worlds = house.worlds(0..1, &[]).await;
    let a = process(&house, 1).await;
    pass(&house, &[&a], 3 * SECOND).await;
    let right = a.shelf.tenure(worlds[0]);
    assert!(right.holds());
    a.machine.suspend(5 * SECOND);
    assert!(!right.holds());
    // Nobody missed it: it has the world again, by a new right.
    pass(&house, &[&a], 5 * SECOND).await;
    assert!(!right.holds());
    assert!(a.shelf.tenure(worlds[0]).holds());
    assert_eq!(a.shelf.told.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn behind_a_ledger_that_was_away_nobody_who_lives_is_declared_dead() {
    let house = House::new();
    house.worlds(0..30, &[]).await;
    let (a, b) = (process(&house, 1).await, process(&house, 2).await);
    let both = [&a, &b];
    pass(&house, &both, 10 * SECOND).await;
    let before = (a.node.id(), a.shelf.acting(), b.node.id(), b.shelf.acting());
    assert_eq!(before.1.len() + before.3.len(), 30);
    for weather in [Weather::Away, Weather::Mute, Weather::Deaf] {
        for process in both {
            process.wire.set(weather);
        }
        pass(&house, &both, 12 * SECOND).await;
        assert_eq!(a.shelf.open() + b.shelf.open(), 0, "both are cut off");
        // One of them hears it earlier than the other.
        a.wire.set(Weather::Fair);
        pass(&house, &both, 2 * SECOND).await;
        b.wire.set(Weather::Fair);
        pass(&house, &both, 3 * SECOND).await;
        let after = (a.node.id(), a.shelf.acting(), b.node.id(), b.shelf.acting());
        assert_eq!(after, before, "{weather:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn short_absence_of_the_ledger_costs_nothing() {
    let house = House::new();
    house.worlds(0..10, &[]).await;
    let a = process(&house, 1).await;
    pass(&house, &[&a], 10 * SECOND).await;
    let absences = [
        (Weather::Away, 2_500),
        (Weather::Mute, 1_500),
        (Weather::Slow(900), 9_000),
    ];
    for (weather, millis) in absences {
        a.wire.set(weather);
        pass(&house, &[&a], Duration::from_millis(millis)).await;
        a.wire.set(Weather::Fair);
        pass(&house, &[&a], 2 * SECOND).await;
    }
    assert_eq!(a.shelf.acting().len(), 10);
    assert_eq!(
        a.shelf.told.lock().unwrap().len(),
        10,
        "each was opened once"
    );
}

#[tokio::test(start_paused = true)]
async fn claim_whose_answer_was_lost_is_found_again() {
    let house = House::new();
    let a = process(&house, 1).await;
    // Who has just joined compares once in any case.
    pass(&house, &[&a], 3 * SECOND).await;
    let worlds = house.worlds(0..5, &[]).await;
    a.wire.set(Weather::Deaf);
    while house.holder(worlds[4]).await.is_none() {
        pass(&house, &[&a], stage::STEP).await;
    }
    a.wire.set(Weather::Fair);
    let all = || a.shelf.acting().len() == 5;
    let took = pass_until(&house, &[&a], SOON, all).await;
    assert!(took < 3 * SECOND, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn world_that_the_ledger_took_away_unasked_is_dropped() {
    let house = House::new();
    let worlds = house.worlds(0..2, &[]).await;
    let a = Process::start(
        &house,
        1,
        Start {
            room: 2,
            ..Start::default()
        },
    )
    .await;
    pass(&house, &[&a], 3 * SECOND).await;
    let right = a.shelf.tenure(worlds[0]);
    let released = house.ledger.release(a.node.id(), worlds[0], None).await;
    released.unwrap();
    tokio::time::timeout(40 * SECOND, right.lost())
        .await
        .unwrap();
    assert!(!right.holds());
    assert_eq!(a.shelf.acting(), BTreeSet::from([worlds[1]]));
}

#[tokio::test(start_paused = true)]
async fn node_that_ends_in_good_order_moves_its_worlds_at_once() {
    let house = House::new();
    house.worlds(0..40, &[]).await;
    let (mut a, b) = (process(&house, 1).await, process(&house, 2).await);
    pass(&house, &[&a, &b], 10 * SECOND).await;
    let of_a = a.shelf.acting();
    assert!(!of_a.is_empty());
    a.stop();
    let b_has_all = || b.shelf.acting().len() == 40;
    let took = pass_until(&house, &[&a, &b], SOON, b_has_all).await;
    assert!(took <= SECOND, "{took:?}");
    pass(&house, &[&a, &b], SECOND).await;
    assert!(a.has_ended());
    assert_eq!(house.members().await, [b.node.id()]);
    assert_eq!(
        a.node.take(*of_a.first().unwrap()).await.unwrap_err(),
        NoTenure::NotAsked("the node is cut off from its ledger".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn draining_node_takes_nothing_and_waits_for_what_it_is_opening() {
    let house = House::new();
    let worlds = house.worlds(0..3, &[]).await;
    let mut a = process(&house, 1).await;
    *a.shelf.opens_for.lock().unwrap() = SECOND / 2;
    pass_until(&house, &[&a], SOON, || a.node.worlds() == 3).await;
    *a.shelf.opens_for.lock().unwrap() = Duration::ZERO;
    a.wire.set(Weather::Slow(100));
    a.stop();
    pass(&house, &[&a], Duration::from_millis(300)).await;
    assert_eq!(
        a.node.take(worlds[0]).await.unwrap_err(),
        NoTenure::TakesNone("this node is being shut down; ask another one".to_owned())
    );
    assert!(house.ledger.nodes().await.unwrap()[0].card.draining);
    pass_until(&house, &[&a], SOON, || a.has_ended()).await;
    assert_eq!(house.members().await, []);
    for world in worlds {
        assert_eq!(house.holder(world).await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn herd_of_worlds_is_shared_and_each_node_opens_16_at_a_time() {
    let house = House::new();
    let mut nodes = Vec::new();
    for number in 0..4 {
        let node = process(&house, number).await;
        *node.shelf.opens_for.lock().unwrap() = SECOND;
        nodes.push(node);
    }
    let all: Vec<&Process> = nodes.iter().collect();
    pass(&house, &all, 2 * SECOND).await;
    house.worlds(0..200, &[]).await;
    let open = || {
        all.iter()
            .map(|node| node.shelf.acting().len())
            .sum::<usize>()
    };
    pass_until(&house, &all, SOON, || open() == 200).await;
    for node in &all {
        let own = node.shelf.acting().len();
        assert!((20..=80).contains(&own), "{own} of 200 worlds");
        assert_eq!(node.shelf.opening_most.load(Ordering::SeqCst), 16);
    }
}

#[tokio::test(start_paused = true)]
async fn node_has_no_more_worlds_than_room() {
    let house = House::new();
    house.worlds(0..30, &[]).await;
    let a = Process::start(
        &house,
        1,
        Start {
            room: 7,
            ..Start::default()
        },
    )
    .await;
    pass(&house, &[&a], 20 * SECOND).await;
    assert_eq!(a.shelf.acting().len(), 7);
    assert_eq!(house.ledger.nodes().await.unwrap()[0].card.room, 0);
}

#[tokio::test(start_paused = true)]
async fn node_gets_what_it_offers_and_knows_and_says_else_what_is_missing() {
    let house = House::new();
    let plain = house.worlds(0..2, &[]).await;
    let needy = house.worlds(2..4, &["base:desk"]).await;
    let poor = Start {
        schema: 0,
        ..Start::default()
    };
    let old = Process::start(&house, 1, poor).await;
    pass(&house, &[&old], 5 * SECOND).await;
    assert!(old.shelf.acting().is_empty());
    assert_eq!(
        old.node.take(plain[0]).await.unwrap_err(),
        NoTenure::NewerSchema {
            schema: 1,
            known: 0
        }
    );
    let a = process(&house, 2).await;
    pass(&house, &[&a, &old], 5 * SECOND).await;
    assert_eq!(a.shelf.acting(), plain.iter().copied().collect());
    let needs = vec!["base:desk".to_owned()];
    assert_eq!(
        a.node.take(needy[0]).await.unwrap_err(),
        NoTenure::NotOffered { needs }
    );
    let rich = Start {
        offers: &["base:desk"],
        ..Start::default()
    };
    let b = Process::start(&house, 3, rich).await;
    pass(&house, &[&a, &b, &old], 5 * SECOND).await;
    assert_eq!(b.shelf.acting(), needy.iter().copied().collect());
    let node = format!("node-2 ({})", a.node.id());
    assert_eq!(
        b.node.take(plain[0]).await.unwrap_err(),
        NoTenure::HeldElsewhere { node }
    );
}

#[tokio::test(start_paused = true)]
async fn node_whose_clock_is_10_seconds_off_takes_nothing_and_says_why() {
    let house = House::new();
    let worlds = house.worlds(0..3, &[]).await;
    let off = Start {
        ahead: 10_000,
        ..Start::default()
    };
    let a = Process::start(&house, 1, off).await;
    pass(&house, &[&a], 10 * SECOND).await;
    assert_eq!(a.node.worlds(), 0);
    let why = "the clock of this machine is 10s ahead of the ledger's; set it";
    assert_eq!(
        a.node.take(worlds[0]).await.unwrap_err(),
        NoTenure::TakesNone(why.to_owned())
    );
    // A second is within what machines differ by.
    let near = Start {
        ahead: 1_000,
        ..Start::default()
    };
    let b = Process::start(&house, 2, near).await;
    pass(&house, &[&a, &b], 10 * SECOND).await;
    assert_eq!(b.shelf.acting().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn world_that_cannot_be_opened_is_given_back_and_left_alone_for_a_minute() {
    let house = House::new();
    let worlds = house.worlds(0..2, &[]).await;
    let a = process(&house, 1).await;
    a.shelf.broken.lock().unwrap().insert(worlds[0]);
    pass(&house, &[&a], 50 * SECOND).await;
    assert_eq!(house.holder(worlds[0]).await, None);
    let told = || {
        let told = a.shelf.told.lock().unwrap();
        told.iter().filter(|world| **world == worlds[0]).count()
    };
    assert_eq!(told(), 1);
    a.shelf.broken.lock().unwrap().clear();
    pass(&house, &[&a], 20 * SECOND).await;
    assert_eq!(told(), 2);
    assert_eq!(a.shelf.acting().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn world_that_somebody_let_fall_is_due_at_once() {
    let house = House::new();
    let worlds = house.worlds(0..1, &[]).await;
    let a = process(&house, 1).await;
    pass(&house, &[&a], 3 * SECOND).await;
    let right = a.node.take(worlds[0]).await.unwrap();
    pass(&house, &[&a], SECOND).await;
    assert_eq!(a.shelf.open(), 0, "the later one has it");
    assert!(right.holds());
    drop(right);
    pass(&house, &[&a], 2 * SECOND).await;
    assert_eq!(a.shelf.acting().len(), 1);
    assert_eq!(a.shelf.told.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn world_is_given_back_until_the_ledger_has_heard_it() {
    let house = House::new();
    let worlds = house.worlds(0..1, &[]).await;
    let a = process(&house, 1).await;
    pass(&house, &[&a], 3 * SECOND).await;
    let right = a.shelf.tenure(worlds[0]);
    a.wire.set(Weather::Away);
    let due = Time::SIMULATED_START.after(SOON);
    let releasing = tokio::spawn(async move { right.release(Some(due)).await });
    pass(&house, &[&a], SECOND).await;
    assert!(!releasing.is_finished());
    a.wire.set(Weather::Fair);
    pass(&house, &[&a], SECOND).await;
    assert!(releasing.is_finished());
    assert_eq!(house.holder(worlds[0]).await, None);
    assert_eq!(a.node.worlds(), 0);
}

#[tokio::test(start_paused = true)]
async fn world_that_is_taken_while_it_is_given_back_is_held_behind_that() {
    let house = House::new();
    let worlds = house.worlds(0..1, &[]).await;
    let a = process(&house, 1).await;
    pass(&house, &[&a], 3 * SECOND).await;
    let right = a.shelf.tenure(worlds[0]);
    a.wire.set(Weather::Slow(700));
    let mut releasing = Box::pin(right.release(None));
    assert!((&mut releasing).now_or_never().is_none());
    // What is sent from here on overtakes the release.
    a.wire.set(Weather::Fair);
    let mut taking = Box::pin(a.node.take(worlds[0]));
    assert!((&mut taking).now_or_never().is_none());
    let ((), taken) = tokio::join!(releasing, taking);
    assert!(taken.unwrap().holds());
    assert_eq!(house.holder(worlds[0]).await, Some(a.node.id()));
}

#[tokio::test(start_paused = true)]
async fn world_that_begins_is_held_before_the_ledger_knows_it() {
    let house = House::new();
    let a = process(&house, 1).await;
    let world = WorldId::from_hash([9; 16]);
    let right = a.node.take(world).await.unwrap();
    pass(&house, &[], 40 * SECOND).await;
    assert!(right.holds());
}

#[tokio::test(start_paused = true)]
async fn dead_is_who_did_not_renew_and_a_lone_node_takes_its_worlds() {
    let house = House::new();
    house.worlds(0..4, &[]).await;
    let a = process(&house, 1).await;
    pass(&house, &[&a], 10 * SECOND).await;
    a.kill().await;
    // Nobody was there to see it die, and whoever comes sees it at a scan, not at its start.
    pass(&house, &[], 60 * SECOND).await;
    let b = process(&house, 2).await;
    let all = || b.shelf.acting().len() == 4;
    let took = pass_until(&house, &[&b], SOON, all).await;
    assert!(
        took > 5 * SECOND,
        "it renewed for a whole TTL first: {took:?}"
    );
    assert!(took < 8 * SECOND, "{took:?}");
}
