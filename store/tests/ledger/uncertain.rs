//! A shared store over a ledger that nobody can rely on.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::command::CommandKind;
use folkmoot_core::command::commit::{Commit, CommitHeader};
use folkmoot_core::content::Content;
use folkmoot_core::event::{
    ClockKind, Event, Opened, Span, WarningRecorded, WorldEvent, WorldOpened,
};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Digest, Incarnation, Position, Time};
use folkmoot_core::port::{
    AppendError, Appended, Checkpoints as _, Custody as _, EventLog as _, Members as _, NodeCard,
    ReadError, Taken,
};
use folkmoot_core::spec::Privacy;
use folkmoot_store::{
    Against, DamageKind, DeleteError, DeleteOrder, Fate, LedgerUpkeep as _, MemoryLedger,
    Register as _, Rewrite, RowRange, Rows as _, SharedStore, UncertainLedger,
};
use futures::{FutureExt as _, StreamExt as _};
use proptest::collection::vec;
use proptest::prelude::*;
use tokio::time::timeout;

use crate::cases::bench::{ALL, TTL, at, card, fork, name, node, stamp, world};

fn header(number: u8, first: u64) -> CommitHeader {
    CommitHeader {
        world: world(number),
        first: Position::new(first),
        stamp: stamp(number),
        principal: Principal::World,
        cause: None,
        key: None,
        decider: Digest::of(&[b"rules"]),
        command: CommandKind::PostMessage,
        residual: None,
    }
}

fn opened(incarnation: u32) -> Event {
    Event::World(WorldEvent::Opened(Opened {
        incarnation: Incarnation(incarnation),
        node: node(1),
        base: None,
        signer: None,
    }))
}

fn creation(number: u8) -> Commit {
    let begun = WorldOpened {
        world: world(number),
        name: name(number),
        clock: ClockKind::Simulated,
        decider: Digest::of(&[b"rules"]),
        base: None,
        source: None,
        spec_digest: Digest::of(&[b"spec"]),
        spec: Box::default(),
        text: Content::Present(Default::default()),
    };
    Commit {
        header: header(number, 1),
        events: vec![Event::World(WorldEvent::WorldOpened(begun)), opened(1)],
    }
}

fn said(number: u8, first: u64) -> Commit {
    warned(number, first, format!("event {first}"))
}

fn warned(number: u8, first: u64, code: String) -> Commit {
    let warning = WarningRecorded { code, agent: None };
    Commit {
        header: header(number, first),
        events: vec![Event::World(WorldEvent::WarningRecorded(warning))],
    }
}

async fn append(store: &SharedStore, commit: Commit) {
    let appended = store.append(Incarnation(1), vec![commit]).await.unwrap();
    assert!(matches!(appended, Appended::Committed { .. }));
}

async fn firsts(store: &SharedStore, number: u8) -> Vec<u64> {
    let read = store.read(world(number), at(1)).await.unwrap();
    let firsts = read.map(|stored| stored.unwrap().commit.header.first.get());
    firsts.collect().await
}

#[test]
fn every_loss_of_an_append_is_settled() {
    futures::executor::block_on(settle_each_loss());
}

async fn settle_each_loss() {
    for fate in [
        Fate::Late,
        Fate::AnswerLost,
        Fate::RequestLost,
        Fate::HappensLater,
        Fate::Unreached,
    ] {
        let memory = Arc::<MemoryLedger>::default();
        let uncertain = Arc::new(UncertainLedger::planned(Arc::clone(&memory), []));
        let store = SharedStore::new(Arc::clone(&uncertain) as _, node(1));
        append(&store, creation(1)).await;
        append(&store, said(1, 3)).await;
        uncertain.plan([fate, fate, fate]);
        append(&store, said(1, 4)).await;
        uncertain.plan([fate]);
        append(&store, said(1, 5)).await;
        assert_eq!(firsts(&store, 1).await, [1, 3, 4, 5], "{fate:?}");
    }
}

#[tokio::test]
async fn error_behind_a_lost_answer_does_not_tell_that_nothing_is_kept() {
    for (fates, is_kept) in [
        (vec![Fate::AnswerLost, Fate::Full], true),
        (vec![Fate::Unreached, Fate::Full], false),
    ] {
        let memory = Arc::<MemoryLedger>::default();
        let uncertain = Arc::new(UncertainLedger::planned(Arc::clone(&memory), []));
        let store = SharedStore::new(Arc::clone(&uncertain) as _, node(1));
        append(&store, creation(1)).await;
        append(&store, said(1, 3)).await;
        uncertain.plan(fates);
        let told = store.append(Incarnation(1), vec![said(1, 4)]).await;
        let is_unsettled = matches!(told, Err(AppendError::Stopped(_)));
        let is_full = matches!(told, Err(AppendError::Full(_)));
        assert_eq!((is_unsettled, is_full), (is_kept, !is_kept), "{told:?}");
        let kept = memory.read(world(1), at(4), ALL).await.unwrap();
        assert_eq!(!kept.is_empty(), is_kept);
    }
}

#[tokio::test]
async fn commit_follows_what_a_fail_over_left_not_what_was_read_before_it() {
    let [old, new] = [(); 2].map(|()| Arc::<MemoryLedger>::default());
    for (memory, code) in [(&old, "lost"), (&new, "kept")] {
        let holder = SharedStore::new(Arc::clone(memory) as _, node(1));
        append(&holder, creation(1)).await;
        append(&holder, warned(1, 3, code.to_owned())).await;
    }
    let uncertain = Arc::new(UncertainLedger::planned(old, []));
    let store = SharedStore::new(Arc::clone(&uncertain) as _, node(2));
    let before = store.tree_head(world(1)).await.unwrap();
    uncertain.fail_over(Arc::clone(&new));
    let newest = NodeCard {
        schema: u32::MAX,
        ..card(2)
    };
    new.join(&newest, TTL).await.unwrap();
    new.release(node(1), world(1), None).await.unwrap();
    let taken = new.take(node(2), world(1)).await.unwrap();
    assert_eq!(taken, Taken::Taken);
    append(&store, said(1, 4)).await;
    let whole = store.verify(world(1), Against::default()).await.unwrap();
    assert_eq!((whole.commits, whole.damage), (3, None));
    assert_ne!(store.tree_head(world(1)).await.unwrap(), before);
}

#[tokio::test]
async fn append_that_nobody_waits_for_goes_on() {
    let memory = Arc::<MemoryLedger>::default();
    let uncertain = Arc::new(UncertainLedger::planned(Arc::clone(&memory), []));
    let store = SharedStore::new(Arc::clone(&uncertain) as _, node(1));
    append(&store, creation(1)).await;
    uncertain.plan([Fate::Late]);
    let mut dropped = Box::pin(store.append(Incarnation(1), vec![said(1, 3)]));
    assert!((&mut dropped).now_or_never().is_none());
    drop(dropped);
    append(&store, said(1, 4)).await;
    assert_eq!(firsts(&store, 1).await, [1, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn batch_without_an_answer_holds_up_its_own_worlds_alone() {
    let memory = Arc::<MemoryLedger>::default();
    let uncertain = Arc::new(UncertainLedger::planned(Arc::clone(&memory), []));
    let store = SharedStore::new(Arc::clone(&uncertain) as _, node(1));
    for number in [1, 2, 3] {
        append(&store, creation(number)).await;
        append(&store, said(number, 3)).await;
    }
    uncertain.plan([Fate::Unanswered]);
    let waits = [1, 2].map(|number| tokio::spawn(appended(store.clone(), said(number, 4))));
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    // It follows one that nobody knows the fate of.
    let next = tokio::spawn(appended(store.clone(), said(1, 5)));
    for first in 4..9 {
        let other = appended(store.clone(), said(3, first));
        let held_up = "it is held up by the other worlds";
        timeout(MINUTE, other).await.expect(held_up);
    }
    assert!(!next.is_finished());
    assert_eq!(firsts(&store, 1).await, [1, 3]);
    uncertain.cut();
    for done in waits {
        done.await.unwrap();
    }
    next.await.unwrap();
    assert_eq!(firsts(&store, 1).await, [1, 3, 4, 5]);
    assert_eq!(firsts(&store, 2).await, [1, 3, 4]);
}

/// The clock goes on while everybody waits.
#[tokio::test(start_paused = true)]
async fn read_gives_up_before_a_request_ends() {
    let memory = Arc::<MemoryLedger>::default();
    let uncertain = Arc::new(UncertainLedger::planned(Arc::clone(&memory), []));
    let store = SharedStore::new(Arc::clone(&uncertain) as _, node(1));
    append(&store, creation(1)).await;
    // An answer that does not come.
    uncertain.plan([Fate::Unanswered]);
    let read = timeout(Duration::from_secs(25), store.find(&name(1))).await;
    assert!(matches!(read, Ok(Err(ReadError::Io(_)))), "{read:?}");
    uncertain.plan([Fate::Unreached; 1_000]);
    let read = timeout(Duration::from_secs(10), store.find(&name(1))).await;
    assert!(matches!(read, Ok(Err(ReadError::Io(_)))), "{read:?}");
}

/// Longer than anything takes that is not held up.
const MINUTE: Duration = Duration::from_secs(60);

async fn appended(store: SharedStore, commit: Commit) {
    append(&store, commit).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// All come at once: those of one world stand in line, and batches of several worlds are late, lost and sent again side
    /// by side.
    #[test]
    fn appends_of_each_world_land_in_the_order_in_which_they_came(seed: u64, lines in vec(1..12_u64, 1..6)) {
        let memory = Arc::<MemoryLedger>::default();
        let calm = SharedStore::new(Arc::clone(&memory) as _, node(1));
        let uncertain = UncertainLedger::from_seed(Arc::clone(&memory), seed);
        let store = SharedStore::new(Arc::new(uncertain), node(1));
        futures::executor::block_on(async {
            let numbered = || (1_u8..).zip(&lines);
            for (number, _) in numbered() {
                append(&calm, creation(number)).await;
                // The store knows the world from here on: what comes first is in line first.
                append(&store, said(number, 3)).await;
            }
            let appends = numbered().flat_map(|(number, count)| (4..4 + count).map(move |first| said(number, first)));
            futures::future::join_all(appends.map(|commit| appended(store.clone(), commit))).await;
            for (number, count) in numbered() {
                let expected: Vec<u64> = std::iter::once(1).chain(3..4 + count).collect();
                assert_eq!(firsts(&calm, number).await, expected);
            }
        });
    }
}

#[tokio::test]
async fn append_without_an_answer_ends_with_its_store() {
    let memory = Arc::<MemoryLedger>::default();
    let uncertain = Arc::new(UncertainLedger::planned(Arc::clone(&memory), []));
    let store = SharedStore::new(Arc::clone(&uncertain) as _, node(1));
    append(&store, creation(1)).await;
    uncertain.plan([Fate::Unanswered]);
    let mut waits = Box::pin(store.append(Incarnation(1), vec![said(1, 3)]));
    for _ in 0..50 {
        assert!((&mut waits).now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    // It stands behind the other, and is refused without having been sent.
    let mut behind = Box::pin(store.append(Incarnation(1), vec![said(1, 4)]));
    assert!((&mut behind).now_or_never().is_none());
    store.close();
    assert!(matches!(behind.await, Err(AppendError::Stopped(_))));
    uncertain.cut();
    assert!(matches!(waits.await, Err(AppendError::Stopped(_))));
    let refused = store.append(Incarnation(1), vec![said(1, 3)]).await;
    assert!(matches!(refused, Err(AppendError::Stopped(_))));
}

#[tokio::test]
async fn old_holder_is_fenced_and_the_new_one_goes_on() {
    let memory = Arc::<MemoryLedger>::default();
    let store = |number: u8| SharedStore::new(Arc::clone(&memory) as _, node(number));
    let (first, second) = (store(1), store(2));
    memory.join(&card(1), TTL).await.unwrap();
    append(&first, creation(1)).await;
    append(&first, said(1, 3)).await;
    let fenced = second.append(Incarnation(1), vec![said(1, 4)]).await;
    assert!(matches!(
        fenced,
        Err(AppendError::Fenced {
            current: Incarnation(1)
        })
    ));

    memory.advance(TTL * 2);
    let mut newer = card(2);
    newer.schema = u32::MAX;
    memory.join(&newer, TTL).await.unwrap();
    memory.reap().await.unwrap();
    assert_eq!(memory.claim(node(2), 9).await.unwrap(), [world(1)]);
    // Before the new one has said anything, and after.
    let fenced = first.append(Incarnation(1), vec![said(1, 4)]).await;
    assert!(matches!(fenced, Err(AppendError::Fenced { .. })));
    let opening = Commit {
        header: header(1, 4),
        events: vec![opened(2)],
    };
    second.append(Incarnation(1), vec![opening]).await.unwrap();
    let conflict = first.append(Incarnation(1), vec![said(1, 4)]).await;
    assert!(matches!(conflict, Err(AppendError::Conflict { .. })));
    let fenced = first.append(Incarnation(1), vec![said(1, 5)]).await;
    assert!(matches!(
        fenced,
        Err(AppendError::Fenced {
            current: Incarnation(2)
        })
    ));
    second
        .append(Incarnation(2), vec![said(1, 5)])
        .await
        .unwrap();
    assert_eq!(firsts(&first, 1).await, [1, 3, 4, 5]);
    assert_eq!(
        first.tree_head(world(1)).await.unwrap(),
        second.tree_head(world(1)).await.unwrap()
    );
}

#[tokio::test(start_paused = true)]
async fn follower_on_another_node_is_told_by_the_clock() {
    let memory = Arc::<MemoryLedger>::default();
    let holder = SharedStore::new(Arc::clone(&memory) as _, node(1));
    let other = SharedStore::new(Arc::clone(&memory) as _, node(2));
    append(&holder, creation(1)).await;
    let mut feed = other.subscribe(world(1), at(3)).await.unwrap();
    append(&holder, said(1, 3)).await;
    assert!(feed.next().now_or_never().is_none());
    let told = feed.next().await.unwrap().unwrap();
    assert_eq!(told.commit.header.first, at(3));
}

#[test]
fn follower_without_a_clock_hears_when_it_is_told_to_look() {
    let memory = Arc::<MemoryLedger>::default();
    let holder = SharedStore::new(Arc::clone(&memory) as _, node(1));
    let other = SharedStore::new(Arc::clone(&memory) as _, node(2));
    futures::executor::block_on(async {
        append(&holder, creation(1)).await;
        let mut own = holder.subscribe(world(1), at(3)).await.unwrap();
        let mut feed = other.subscribe(world(1), at(3)).await.unwrap();
        append(&holder, said(1, 3)).await;
        assert!(matches!(own.next().now_or_never(), Some(Some(Ok(_)))));
        assert!(feed.next().now_or_never().is_none());
        other.look_for_news().await.unwrap();
        assert!(matches!(feed.next().now_or_never(), Some(Some(Ok(_)))));
        other.close();
        assert!(matches!(feed.next().now_or_never(), Some(None)));
    });
}

#[tokio::test]
async fn saved_reach_spares_reading_and_is_not_believed_blindly() {
    let memory = Arc::<MemoryLedger>::default();
    let store = SharedStore::new(Arc::clone(&memory) as _, node(1));
    append(&store, creation(1)).await;
    for first in 3..40 {
        append(&store, said(1, first)).await;
    }
    let head = store.tree_head(world(1)).await.unwrap();
    let saved = store.save(world(1), head.of, Digest::of(&[b"rules"]), vec![1]);
    saved.await.unwrap();
    let saved = memory.entry(world(1)).await.unwrap().unwrap().reach;
    assert!(saved.is_some());
    append(&store, said(1, 40)).await;
    let longer = store.tree_head(world(1)).await.unwrap();
    assert_eq!((longer.commits, longer.of), (head.commits + 1, at(40)));
    // One of another log, or of nothing at all.
    for wrong in [vec![1, 2, 3], Vec::new()] {
        memory.save_reach(node(1), world(1), wrong).await.unwrap();
        let fresh = SharedStore::new(Arc::clone(&memory) as _, node(1));
        assert_eq!(fresh.tree_head(world(1)).await.unwrap(), longer);
    }
}

#[tokio::test]
async fn fold_is_saved_and_found_on_another_node() {
    let memory = Arc::<MemoryLedger>::default();
    let first = SharedStore::new(Arc::clone(&memory) as _, node(1));
    let second = SharedStore::new(Arc::clone(&memory) as _, node(2));
    append(&first, creation(1)).await;
    append(&first, said(1, 3)).await;
    let rules = Digest::of(&[b"rules"]);
    first
        .save(world(1), at(3), rules, vec![1, 2])
        .await
        .unwrap();
    let found = second.latest(world(1), rules, None).await;
    assert_eq!(found, Some((at(3), vec![1, 2])));
    let invalid = first.save(world(1), at(1), rules, vec![1]).await;
    assert!(matches!(invalid, Err(AppendError::Invalid(_))));
    let missing = first.tree_head(world(9)).await;
    assert!(matches!(missing, Err(ReadError::NoSuchWorld(id)) if id == world(9)));
    assert_eq!(
        Time(0).until(memory.now()),
        Time(0).until(Time::SIMULATED_START)
    );
}

#[tokio::test]
async fn fold_of_who_has_lost_its_world_gets_past_no_bar() {
    let memory = Arc::<MemoryLedger>::default();
    let [first, second] = [1, 2].map(|n| SharedStore::new(Arc::clone(&memory) as _, node(n)));
    append(&first, creation(1)).await;
    append(&first, said(1, 3)).await;
    memory.bar(&[world(1)]).await.unwrap();
    let newest = NodeCard {
        schema: u32::MAX,
        ..card(2)
    };
    memory.join(&newest, TTL).await.unwrap();
    memory.release(node(1), world(1), None).await.unwrap();
    memory.take(node(2), world(1)).await.unwrap();
    let reopening = Commit {
        header: header(1, 4),
        events: vec![opened(2)],
    };
    append(&second, reopening).await;
    let rules = Digest::of(&[b"rules"]);
    first
        .save(world(1), at(3), rules, vec![1, 2])
        .await
        .unwrap();
    assert_eq!(second.latest(world(1), rules, None).await, None);
}

#[tokio::test]
async fn store_without_the_keys_of_a_sealed_world_neither_erases_nor_deletes_in_it() {
    let memory = Arc::<MemoryLedger>::default();
    let home = tempfile::tempdir().unwrap();
    let whole = SharedStore::with_keys(Arc::clone(&memory) as _, node(1), home.path());
    let mut sealed = creation(1);
    if let Event::World(WorldEvent::WorldOpened(begun)) = &mut sealed.events[0] {
        begun.spec.policy.privacy = Privacy::Sealed;
    }
    append(&whole, sealed).await;
    let before = memory.read(world(1), at(1), ALL).await.unwrap();
    let keyless = SharedStore::new(Arc::clone(&memory) as _, node(1));
    let span = Span {
        from: at(1),
        to: at(1),
    };
    let erased = keyless.erase(world(1), &[span], at(2)).await;
    assert!(matches!(erased, Err(AppendError::Io(_))), "{erased:?}");
    let order = DeleteOrder {
        at: Time::SIMULATED_START,
        by: Principal::World,
    };
    let deleted = keyless.delete(&[world(1)], &order).await;
    assert!(matches!(deleted, Err(DeleteError::Engine(_))));
    assert_eq!(memory.read(world(1), at(1), ALL).await.unwrap(), before);
    whole.delete(&[world(1)], &order).await.unwrap();
}

#[tokio::test]
async fn erasure_finds_the_copy_that_was_made_beside_it() {
    let memory = Arc::<MemoryLedger>::default();
    let uncertain = Arc::new(UncertainLedger::planned(Arc::clone(&memory), []));
    let store = SharedStore::new(Arc::clone(&uncertain) as _, node(1));
    append(&store, creation(1)).await;
    append(&store, said(1, 3)).await;
    memory.append(node(1), &[fork(2, 1, 3)]).await.unwrap();
    let record = async |number| {
        let rows = memory.read(world(number), at(1), ALL).await;
        rows.unwrap().remove(0).record
    };
    let before = record(1).await;
    // The family is known, and its bar is not answered yet.
    uncertain.plan([Fate::Answered; 3]);
    uncertain.plan([Fate::Unanswered]);
    let span = [Span {
        from: at(1),
        to: at(1),
    }];
    let mut erasing = store.erase(world(1), &span, at(3));
    assert!((&mut erasing).now_or_never().is_none());
    let range = RowRange {
        world: world(1),
        from: at(1),
        to: at(3),
    };
    memory.copy_base(world(2), &[range]).await.unwrap();
    assert_eq!(record(2).await, before);
    uncertain.cut();
    assert_eq!(erasing.await.unwrap().events, 1);
    let after = record(1).await;
    assert_ne!(after, before);
    assert_eq!(record(2).await, after);
}

#[tokio::test]
async fn verifying_finds_what_was_changed_in_the_rows() {
    let memory = Arc::<MemoryLedger>::default();
    let store = SharedStore::new(Arc::clone(&memory) as _, node(1));
    append(&store, creation(1)).await;
    append(&store, said(1, 3)).await;
    append(&store, said(1, 4)).await;
    let whole = store.verify(world(1), Against::default()).await.unwrap();
    assert_eq!((whole.commits, whole.damage), (3, None));
    let row = memory.read(world(1), at(3), ALL).await.unwrap().remove(0);
    let replaces = Digest::of(&[&row.record]);
    let mut record = row.record;
    // The number in the code of the warning, which its facts end with.
    let number = record.len() - 3;
    assert_eq!(record[number], b'3');
    record[number] = b'9';
    let change = Rewrite {
        world: world(1),
        first: at(3),
        replaces,
        record,
        without: Vec::new(),
    };
    assert!(memory.rewrite(change).await.unwrap());
    let found = store.verify(world(1), Against::default()).await.unwrap();
    let damage = found.damage.map(|damage| (damage.at, damage.kind));
    assert_eq!(damage, Some((at(3), DamageKind::FlippedByte)));
    // Nor is it taken for the reach of the world.
    let fresh = SharedStore::new(Arc::clone(&memory) as _, node(2));
    let damaged = fresh.tree_head(world(1)).await;
    assert!(matches!(damaged, Err(ReadError::Damaged { at: place, .. }) if place == at(3)));
}
