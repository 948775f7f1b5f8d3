//! A driven store does on its thread what another does on several.

use std::sync::Arc;

use folkmoot_core::ids::Incarnation;
use folkmoot_core::port::{Appended, EventLog as _};
use futures::FutureExt as _;

use super::*;
use crate::engine::Engine;
use crate::engines::MemoryEngine;
use crate::local::tests::{creation, world};

fn driven(engine: &Arc<MemoryEngine>, seed: u64) -> (LocalStore, Driver) {
    LocalStore::simulated(Arc::clone(engine) as Arc<dyn Engine>, seed).unwrap()
}

#[test]
fn an_append_is_durable_only_once_the_driver_has_made_a_step() {
    let (store, mut driver) = driven(&Arc::default(), 1);
    let mut append = store.append(Incarnation(1), vec![creation(1)]);
    assert!((&mut append).now_or_never().is_none());
    assert!(driver.has_work() && driver.step() && !driver.step());
    assert!(matches!(
        append.now_or_never(),
        Some(Ok(Appended::Committed { .. }))
    ));
}

#[test]
fn the_same_seed_makes_the_same_frames_and_another_seed_makes_others() {
    let frames = |seed| {
        let engine = Arc::new(MemoryEngine::new());
        let (store, mut driver) = driven(&engine, seed);
        let _answer = store
            .append(Incarnation(1), vec![creation(1)])
            .now_or_never();
        driver.step();
        crate::FrameLog::read(&*engine, crate::FrameNumber(1), usize::MAX).unwrap()
    };
    assert_eq!(frames(1), frames(1));
    assert_ne!(frames(1), frames(2));
}

#[test]
fn a_dropped_driver_leaves_the_store_stopped_and_what_was_appended_in_it() {
    let engine = Arc::default();
    let (store, mut driver) = driven(&engine, 1);
    let mut first = store.append(Incarnation(1), vec![creation(1)]);
    assert!((&mut first).now_or_never().is_none());
    driver.step();
    let mut second = store.append(Incarnation(1), vec![creation(2)]);
    assert!((&mut second).now_or_never().is_none());
    drop(driver);
    assert!(matches!(first.now_or_never(), Some(Ok(_))));
    assert!(matches!(
        second.now_or_never(),
        Some(Err(AppendError::Stopped(_)))
    ));
    assert!(!crate::sync::random::is_driven());
    let (store, _driver) = driven(&engine, 2);
    assert!(
        store
            .read(world(1), folkmoot_core::ids::Position::new(1))
            .now_or_never()
            .unwrap()
            .is_ok()
    );
    assert!(
        store
            .read(world(2), folkmoot_core::ids::Position::new(1))
            .now_or_never()
            .unwrap()
            .is_err()
    );
}
