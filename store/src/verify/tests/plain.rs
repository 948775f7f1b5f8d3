//! Logs that nobody touched, and stores in odd but right states.

use folkmoot_core::event::Occasion;
use folkmoot_core::ids::{Position, WorldName};
use folkmoot_proof::verify_inclusion;
use futures::executor::block_on;

use super::book::{Book, Slot, WORLD_AT, first};
use super::logs::{Logs, Site, golden, logs, signer};
use super::random::Random;
use crate::local::LocalStore;
use crate::read::runs::entry;
use crate::verify::examine::examine_engine;
use crate::verify::{Against, AnchorOutcome, Damage, DamageKind, Examined, LogVerdict, Tail};

#[test]
fn a_log_that_nobody_touched_is_not_checked_and_with_an_anchor_intact() {
    let Logs {
        mut site,
        worlds,
        closed,
    } = logs(&mut Random(1));
    let book = Book::of(&site.engine);
    let examine = |against: &Against| {
        examine_engine(book.write().as_ref(), None, Some(book.head), None, against).unwrap()
    };
    let found = examine(&Against::default());
    assert_eq!(found.store, []);
    assert_eq!(found.worlds.len(), worlds.len());
    assert!(
        found
            .worlds
            .iter()
            .all(|world| world.verdict() == LogVerdict::NotChecked),
        "{found:#?}"
    );
    let mut against = Against::keys(vec![signer().verifier()]);
    against.add(&site.anchor(closed)).unwrap();
    let found = examine(&against);
    let world = found
        .worlds
        .iter()
        .find(|world| world.world == closed)
        .unwrap();
    assert_eq!(
        (world.verdict(), world.anchors[0].outcome),
        (LogVerdict::Intact, AnchorOutcome::Fits)
    );
    assert_eq!(
        world.tail,
        Tail {
            attested: world.events,
            events: 0
        }
    );
    assert_eq!(world.heads.seen, world.heads.signed);
    assert!(
        world
            .heads
            .last
            .as_ref()
            .is_some_and(|last| last.occasion == Occasion::Close)
    );
    site.open(closed);
    let live = block_on(site.store().verify(closed, against)).unwrap();
    assert_eq!((live.verdict(), live.tail.events), (LogVerdict::Intact, 1));
}

#[test]
fn an_open_world_says_the_same_as_its_files() {
    let Logs { site, worlds, .. } = logs(&mut Random(2));
    let found =
        examine_engine(site.engine.as_ref(), None, None, None, &Against::default()).unwrap();
    for world in worlds {
        let live = block_on(site.store().verify(world, Against::default())).unwrap();
        assert_eq!(
            found.worlds.iter().find(|found| found.world == world),
            Some(&live)
        );
    }
}

#[test]
fn an_empty_store_is_silent() {
    let site = Site::new();
    let found =
        examine_engine(site.engine.as_ref(), None, None, None, &Against::default()).unwrap();
    assert_eq!(found, Examined::default());
}

#[test]
fn every_commit_is_proven_to_be_in_the_log() {
    let mut site = Site::new();
    let commits = golden("people");
    let world = commits[0].header.world;
    commits.into_iter().for_each(|commit| site.append(commit));
    let whole = block_on(site.store().verify(world, Against::default())).unwrap();
    for position in (1..=whole.events.get()).step_by(7) {
        let proof = block_on(site.store().inclusion_proof(world, Position::new(position))).unwrap();
        let (leaf, root) = (proof.leaf.as_bytes(), proof.head.root.as_bytes());
        assert_eq!(
            verify_inclusion(leaf, proof.index, proof.head.commits, &proof.path, root),
            Ok(())
        );
    }
    let beyond = block_on(site.store().inclusion_proof(world, whole.events.next()));
    assert!(beyond.is_err());
}

/// What examining says of the index after `change`, and whether a store opens then.
fn with_index(change: impl FnOnce(&mut Book, &Logs)) -> (Examined, bool) {
    let logs = logs(&mut Random(3));
    let mut book = Book::of(&logs.site.engine);
    change(&mut book, &logs);
    let engine = book.write();
    let found = examine_engine(
        engine.as_ref(),
        None,
        Some(book.head),
        None,
        &Against::default(),
    )
    .unwrap();
    (found, LocalStore::with_engine(engine).is_ok())
}

#[test]
fn a_changed_world_in_a_shared_frame_is_damage_of_the_world_that_it_was_and_makes_no_other() {
    let logs = logs(&mut Random(4));
    let mut book = Book::of(&logs.site.engine);
    let is_tail = |slot: &Slot| matches!(slot, Slot::Tail { .. });
    let slots = logs.worlds.iter().map(|world| (*world, book.slots(*world)));
    let (world, slot) = slots
        .filter_map(|(world, slots)| {
            Some((world, *slots.iter().skip(1).find(|slot| is_tail(slot))?))
        })
        .next()
        .unwrap();
    let record = book.record(slot);
    let at = first(record);
    record[WORLD_AT] ^= 1;
    let found = examine_engine(
        book.write().as_ref(),
        None,
        Some(book.head),
        None,
        &Against::default(),
    )
    .unwrap();
    let damaged: Vec<_> = found
        .worlds
        .iter()
        .filter_map(|found| Some((found.world, found.damage.clone()?)))
        .collect();
    let what = "its world's id was changed".to_owned();
    assert_eq!(
        damaged,
        [(
            world,
            Damage {
                at,
                until: None,
                kind: DamageKind::FlippedByte,
                what
            }
        )]
    );
    assert_eq!(found.worlds.len(), logs.worlds.len());
}

#[test]
fn an_anchor_behind_damage_is_not_reached() {
    let logs = logs(&mut Random(5));
    let world = logs.worlds[2];
    let mut book = Book::of(&logs.site.engine);
    let slots = book.slots(world);
    let record = book.record(slots[1]);
    *record.last_mut().unwrap() ^= 1;
    let mut against = Against::keys(vec![signer().verifier()]);
    against.add(&logs.site.anchor(world)).unwrap();
    let found = examine_engine(
        book.write().as_ref(),
        None,
        Some(book.head),
        Some(world),
        &against,
    )
    .unwrap();
    let [found] = &found.worlds[..] else {
        panic!("one world was asked for")
    };
    assert!(found.damage.is_some());
    assert_eq!(
        found
            .anchors
            .iter()
            .map(|anchor| anchor.outcome)
            .collect::<Vec<_>>(),
        [AnchorOutcome::NotReached]
    );
}

#[test]
fn an_index_that_lost_a_world_is_noticed_by_its_count() {
    let (found, opens) = with_index(|book, _| drop(book.entries.pop_first().unwrap()));
    assert!(
        found
            .store
            .iter()
            .any(|damage| damage.what.ends_with("worlds are in the index")),
        "{:#?}",
        found.store
    );
    assert!(!opens);
    assert!(with_index(|_, _| ()).1);
}

#[test]
fn an_index_that_calls_a_world_otherwise_is_damaged() {
    let (found, _) = with_index(|book, logs| {
        let reach = book.entries.get_mut(&logs.worlds[2]).unwrap();
        reach.name = std::sync::Arc::new(WorldName::new("another").unwrap());
    });
    let damage: Vec<DamageKind> = found
        .worlds
        .iter()
        .filter_map(|world| Some(world.damage.as_ref()?.kind))
        .collect();
    assert_eq!(damage, [DamageKind::Index]);
}

#[test]
fn a_row_too_many_of_messages_that_are_gone_is_damage() {
    let (found, _) = with_index(|book, logs| {
        let key = entry::gone_key(logs.worlds[2], Position::new(3));
        book.gone
            .push((key, entry::write_gone_by(Position::new(4))));
    });
    let damage: Vec<DamageKind> = found
        .worlds
        .iter()
        .filter_map(|world| Some(world.damage.as_ref()?.kind))
        .collect();
    assert_eq!(damage, [DamageKind::Index]);
}
