//! Who signed, and how the log stands to a note that somebody kept.

use super::*;

fn against(bundle: &Bundle, note: &str) -> (BundleVerdict, String) {
    let found = check(&bytes(bundle), &keys(), Some(Against(note.as_bytes()))).unwrap();
    let last = found.checks.last().unwrap();
    (last.verdict, last.why[0].clone())
}

fn signature(bundle: &Bundle, keys: &[VerifierKey]) -> (BundleVerdict, String) {
    let found = check(&bytes(bundle), keys, None).unwrap();
    (
        found.checks[1].verdict,
        found.checks[1].why.last().unwrap().clone(),
    )
}

#[test]
fn a_bundle_that_nobody_signed_is_not_checked() {
    let mut bundle = whole(log());
    let other = SignerKey::generate("example.com/other", &[1; 32])
        .unwrap()
        .verifier();
    assert_eq!(signature(&bundle, &keys()).0, BundleVerdict::Intact);
    assert_eq!(signature(&bundle, &[]).0, BundleVerdict::NotChecked);
    assert!(
        signature(&bundle, &[])
            .1
            .starts_with("not checked: no key was given")
    );
    assert!(
        signature(&bundle, &[other])
            .1
            .starts_with("not checked: none of the given keys")
    );
    bundle.notes.clear();
    assert!(signature(&bundle, &keys()).1.starts_with("not signed"));
    assert_eq!(report(&bundle).verdict(), BundleVerdict::NotChecked);
}

#[test]
fn commits_behind_the_last_signed_head_are_not_vouched_for() {
    let found = report(&chosen(&log(), &[2, 3, 5], 4));
    assert_eq!(found.checks[1].verdict, BundleVerdict::NotChecked);
    assert_eq!(
        found.checks[1].why[1],
        "not checked: no known key signed the commits from number 4 on"
    );
    let signed: Vec<_> = found.events.iter().map(|event| event.is_signed).collect();
    assert_eq!(signed, [true, true, true, true, false]);
    assert_eq!(
        report(&chosen(&log(), &[2, 3], 4)).checks[1].verdict,
        BundleVerdict::Intact
    );
}

#[test]
fn a_forged_head_is_damage() {
    let mut bundle = whole(log());
    bundle.notes[0].note = bundle.notes[0].note.replacen("\n7\n", "\n6\n", 1);
    assert_eq!(signature(&bundle, &keys()).0, BundleVerdict::Damaged);
    let mut bundle = chosen(&log(), &[2], 4);
    bundle.notes[0].proof[0][0] ^= 1;
    assert_eq!(signature(&bundle, &keys()).0, BundleVerdict::Damaged);
    let mut bundle = whole(log());
    let other = Checkpoint {
        origin: "example.com/other".to_owned(),
        ..head(&log())
    };
    bundle.notes[0].note = signed(&other);
    assert_eq!(
        signature(&bundle, &keys()),
        (
            BundleVerdict::Damaged,
            "a signed head is of another log: example.com/other".to_owned()
        )
    );
}

#[test]
fn a_log_that_grew_is_told_from_one_that_was_rewritten() {
    let grew = (
        BundleVerdict::Intact,
        "the log grew from the note's 4 commits to 7, and kept them all".to_owned(),
    );
    let early = signed(&head(&log()[..4]));
    assert_eq!(against(&whole(log()), &early), grew);
    assert_eq!(against(&chosen(&log(), &[2], 4), &early), grew);
    assert_eq!(
        against(&chosen(&log(), &[2], 5), &early).0,
        BundleVerdict::NotChecked
    );
    let same = (
        BundleVerdict::Intact,
        "the log is the one of the note".to_owned(),
    );
    assert_eq!(against(&whole(log()), &signed(&head(&log()))), same);
    let mut other = log();
    other[1].events[0].facts = "{}".to_owned();
    for size in [4, 7] {
        let (verdict, why) = against(&whole(log()), &signed(&head(&other[..size])));
        assert_eq!(verdict, BundleVerdict::Damaged);
        assert!(why.starts_with("conflict"), "{why}");
    }
    let shorter = whole(log()[..5].to_vec());
    assert_eq!(
        against(&shorter, &signed(&head(&log()))).0,
        BundleVerdict::NotChecked
    );
}

#[test]
fn a_note_to_compare_with_that_is_forged_or_does_not_read_is_no_proof() {
    let forged = signed(&head(&log())).replacen("event 10", "event 11", 1);
    assert_eq!(against(&whole(log()), &forged).0, BundleVerdict::Damaged);
    assert_eq!(
        against(&whole(log()), "nothing").0,
        BundleVerdict::NotChecked
    );
    let other = SignerKey::generate("example.com/other", &[1; 32]).unwrap();
    let (verdict, why) = against(
        &whole(log()),
        &head(&log()).sign(&other).unwrap().to_string(),
    );
    assert_eq!(verdict, BundleVerdict::Intact);
    assert!(why.ends_with("it is compared as it is)"), "{why}");
}
