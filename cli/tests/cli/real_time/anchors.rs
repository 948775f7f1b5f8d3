//! Anchors of a store that another process holds.

use folkmoot::proof::anchors::Anchors;
use folkmoot::proof::note::VerifierKey;

use super::{Running, waiting};
use crate::desk::Desk;

#[test]
fn an_anchor_of_a_held_store_comes_from_its_holder_and_is_signed_by_whoever_asks() {
    let (desk, _run) = waiting();
    desk.run(&["anchor", "gate"])
        .expect(3)
        .err_has("no head of gate is signed");
    let public = desk.run(&["key", "new", "desk.key"]).expect(0).out;
    let ran = desk
        .run(&["--key", "desk.key", "anchor", "gate"])
        .expect(0)
        .err_has("signed now");
    let anchors = Anchors::parse(ran.out.as_bytes()).unwrap();
    let key = [VerifierKey::parse(public.trim_end()).unwrap()];
    let covered: Vec<u64> = anchors
        .iter()
        .map(|anchor| {
            anchor.note().verify(&key).unwrap();
            anchor.last_event()
        })
        .collect();
    assert_eq!(covered, [u64::try_from(desk.kinds("gate").len()).unwrap()]);
}

#[test]
fn a_world_that_waits_for_people_has_a_signed_head() {
    let desk = Desk::with_gate();
    desk.run(&["key", "new", "desk.key"]).expect(0);
    let mut run = Running::start(&desk, &["--key", "desk.key", "run", "gate.yaml", "--wait"]);
    run.until("folkmoot --key desk.key deny gate ");
    desk.run(&["anchor", "gate"])
        .expect(0)
        .err_has("which is all of it");
}
