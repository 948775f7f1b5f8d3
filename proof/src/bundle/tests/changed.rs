//! What was changed is found, wherever it was changed.

use super::*;

#[test]
fn an_untouched_bundle_is_intact() {
    let found = report(&whole(log()));
    assert_eq!(verdicts(&found), [BundleVerdict::Intact; 3], "{found:#?}");
    assert_eq!(
        (found.verdict(), found.is_whole, found.events.len()),
        (BundleVerdict::Intact, true, 10)
    );
    let found = report(&chosen(&log(), &[2, 3, 4, 5], 7));
    assert_eq!(verdicts(&found), [BundleVerdict::Intact; 3], "{found:#?}");
    assert_eq!((found.is_whole, found.events.len()), (false, 6));
}

#[test]
fn a_bundle_is_read_as_it_is_written() {
    for bundle in [whole(log()), chosen(&log(), &[0, 5], 3)] {
        assert_eq!(Bundle::parse(&bytes(&bundle)).unwrap(), bundle);
    }
}

#[test]
fn the_first_commit_that_was_changed_is_named() {
    let mut bundle = whole(log());
    bundle.commits[3].events[0].facts = bundle.commits[3].events[0].facts.replace("allow", "deny_");
    let found = report(&bundle);
    assert_eq!(found.verdict(), BundleVerdict::Damaged);
    assert_eq!(
        found.checks[0].why[0],
        "commit 3 (events 7 to 7) is not what was recorded: its link differs"
    );
    assert_eq!(found.events, []);
}

#[test]
fn commits_that_are_missing_moved_or_foreign_are_found() {
    let damaged = |change: &dyn Fn(&mut Bundle)| {
        for mut bundle in [whole(log()), chosen(&log(), &[1, 2, 4], 7)] {
            change(&mut bundle);
            let found = report(&bundle);
            assert_eq!(
                found.checks[0].verdict,
                BundleVerdict::Damaged,
                "{:?}",
                found.checks
            );
        }
    };
    damaged(&|bundle| bundle.commits.swap(0, 1));
    damaged(&|bundle| bundle.commits[1].index = 5);
    damaged(&|bundle| bundle.commits[2].header[16] ^= 1);
    damaged(&|bundle| bundle.commits[2].events.clear());
    damaged(&|bundle| bundle.commits[0].events[0].version = 2);
    damaged(&|bundle| bundle.commits[2].proof.push([0; 32]));
    damaged(&|bundle| bundle.commits[0].header.clear());
    damaged(&|bundle| bundle.head = head(&log()[..6]).body());
    let mut bundle = whole(log());
    bundle.commits.remove(4);
    assert_eq!(report(&bundle).verdict(), BundleVerdict::Damaged);
}

#[test]
fn withheld_content_leaves_a_bundle_intact() {
    let mut bundle = whole(log());
    bundle
        .commits
        .iter_mut()
        .flat_map(|commit| &mut commit.events)
        .for_each(withhold);
    let found = report(&bundle);
    assert_eq!(verdicts(&found), [BundleVerdict::Intact; 2], "{found:#?}");
}

#[test]
fn what_is_no_bundle_is_told_from_one_of_a_newer_format() {
    let mut bundle = whole(log());
    for bytes in [&b""[..], b"{}", b"[]", b"null", b"\xff"] {
        assert!(matches!(check(bytes, &[], None), Err(BundleError::Form(_))));
    }
    let nested = "[".repeat(100_000);
    assert!(matches!(
        check(nested.as_bytes(), &[], None),
        Err(BundleError::Form(_))
    ));
    bundle.format = "folkmoot evidence 2".to_owned();
    assert!(matches!(
        check(&bytes(&bundle), &[], None),
        Err(BundleError::Format { .. })
    ));
    let bundle = Bundle {
        format: FORMAT.to_owned(),
        head: "a\n1\n".to_owned(),
        ..bundle
    };
    assert!(matches!(
        check(&bytes(&bundle), &[], None),
        Err(BundleError::Head(_))
    ));
    let json: String = String::from_utf8(bytes(&whole(log()))).unwrap().replacen(
        "\"commits\"",
        "\"more\": 1, \"commits\"",
        1,
    );
    assert!(matches!(
        check(json.as_bytes(), &[], None),
        Err(BundleError::Form(_))
    ));
}

/// Whether a bundle with these bytes says the same as `bundle`, whatever it looks like. Whether content was withheld or
/// erased is not proven.
fn says_the_same(bytes: &[u8], bundle: &Bundle) -> bool {
    let alike = |mut bundle: Bundle| {
        for event in bundle
            .commits
            .iter_mut()
            .flat_map(|commit| &mut commit.events)
        {
            if let Some(BundledContent::Erased(hash)) = event.content {
                event.content = Some(BundledContent::Withheld(hash));
            }
        }
        bundle
    };
    Bundle::parse(bytes).is_ok_and(|other| alike(other) == alike(bundle.clone()))
}

/// A bundle of all kinds of things, as it goes from hand to hand.
fn mixed(is_whole: bool) -> Bundle {
    let mut bundle = if is_whole {
        whole(log())
    } else {
        chosen(&log(), &[0, 2, 3, 5], 6)
    };
    withhold(&mut bundle.commits[0].events[0]);
    bundle
}

/// Every how many bytes are changed: `FOLKMOOT_PROOF_STEP=1` takes each.
fn step() -> usize {
    std::env::var("FOLKMOOT_PROOF_STEP").map_or(29, |step| step.parse().unwrap())
}

#[test]
fn no_byte_can_be_changed_unnoticed() {
    for bundle in [mixed(true), mixed(false)] {
        let bytes = serde_json::to_vec(&bundle).unwrap();
        for at in (0..bytes.len()).step_by(step()) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            let found = check(&changed, &keys(), None);
            let is_intact = found.is_ok_and(|found| found.verdict() == BundleVerdict::Intact);
            assert!(!is_intact || says_the_same(&changed, &bundle), "byte {at}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_change_is_taken_for_what_was_recorded(
        is_whole: bool,
        at in any::<prop::sample::Index>(),
        by in prop::collection::vec(any::<u8>(), 0..4),
        cut in 0_usize..4,
    ) {
        let bundle = mixed(is_whole);
        let mut changed = bytes(&bundle);
        let at = at.index(changed.len());
        let end = (at + cut).min(changed.len());
        changed.splice(at..end, by);
        let found = check(&changed, &keys(), None);
        let is_intact = found.is_ok_and(|found| found.verdict() == BundleVerdict::Intact);
        prop_assert!(!is_intact || says_the_same(&changed, &bundle));
    }

    #[test]
    fn no_bytes_make_a_check_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "\\PC{0,80}") {
        let _found = check(&bytes, &keys(), Some(Against(text.as_bytes())));
        let json = json!({ "format": FORMAT, "head": text, "commits": [] }).to_string();
        let _found = check(json.as_bytes(), &keys(), Some(Against(&bytes)));
    }

    #[test]
    fn no_facts_or_content_make_a_story_panic(kind in 40_u16..76, facts in "\\PC{0,60}", content in "\\PC{0,60}") {
        let facts = serde_json::from_str(&facts).unwrap_or_else(|_| json!({ "call": facts, "agent": "a", "shown": 1 }));
        let commits = vec![commit(0, 1, &json!("runtime"), None, &[(kind, facts, Some(json!(content)))])];
        prop_assert!(!report(&whole(commits)).lines(None).is_empty());
    }
}
