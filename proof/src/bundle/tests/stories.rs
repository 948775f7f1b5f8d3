//! What a person who has only the bundle and the key is told.

use super::*;
use crate::bundle::event::time;

fn lines(bundle: &Bundle, at: u64) -> String {
    report(bundle).lines(Some(at)).join("\n")
}

#[test]
fn who_approved_what_was_shown_and_what_ran_is_told() {
    let told = lines(&whole(log()), 8);
    for line in [
        "commits     intact      all 7 commits are here, and give the root of the tree",
        "signature   intact      `example.com/rooms` (key id d84aa1cd) signed 7 commits, up to event 10",
        "  asked      event 5, 2030-01-01T00:00:03Z: by worker, in the turn at 3, which took up message 1 of ada",
        r#"  shown      exactly this: worker asks to run run_command (destructive) with {"argv":["wc","-w","CHANGES.md"]}"#,
        "  decided    event 7, 2030-01-01T00:00:04.500Z: allow (once) for request 6 by ada, proven by `script` to be `ada`; \
         confirmed the digest 2eef2c91 of what was shown, because: It only counts",
        r#"  ran        event 8, 2030-01-01T00:00:06Z: run_command (destructive), attempt 1, with {"argv":["wc","-w","CHANGES.md"]}, which have the recorded digest"#,
        r#"  result     event 9, 2030-01-01T00:00:07.500Z: done by attempt 1, result: {"done":{"text":"49 CHANGES.md"}}"#,
        "  changed    nothing: all of it is under a head that a given key signed",
        "Verdict: intact.",
    ] {
        assert!(
            told.lines().any(|told| told == line),
            "{line}\nis missing in\n{told}"
        );
    }
}

#[test]
fn what_is_withheld_is_not_made_up() {
    let mut bundle = chosen(&log(), &[2, 4], 7);
    bundle.commits[0].events.iter_mut().for_each(withhold);
    let told = lines(&bundle, 8);
    assert!(
        told.contains("the arguments are not in the bundle, so the text cannot be made again"),
        "{told}"
    );
    assert!(
        told.contains("  decided    nobody, by what is in the bundle"),
        "{told}"
    );
    assert!(
        told.contains("  changed    nothing of what stands here"),
        "{told}"
    );
}

#[test]
fn a_recorded_digest_that_is_not_of_what_was_shown_is_damage() {
    let mut commits = log();
    commits[2].events[2].facts = commits[2].events[2]
        .facts
        .replace(SHOWN_DIGEST, ARGUMENTS_DIGEST);
    let found = report(&whole(commits));
    assert_eq!(
        verdicts(&found),
        [
            BundleVerdict::Intact,
            BundleVerdict::Intact,
            BundleVerdict::Damaged
        ]
    );
    let mut commits = log();
    commits[2].events[0] = {
        let mut event = commits[2].events[0].clone();
        if let Some(BundledContent::Shown(shown)) = &mut event.content {
            shown.text = shown.text.replace("CHANGES", "SECRETS");
        }
        event
    };
    let found = report(&whole(commits));
    assert_eq!(found.checks[2].why.len(), 2, "{:?}", found.checks);
    assert_eq!(found.verdict(), BundleVerdict::Damaged);
}

#[test]
fn a_run_with_other_arguments_is_told_with_those() {
    let mut commits = log();
    let other = "aaaa0000aaaa0000aaaa0000aaaa0000";
    let digest = "a279ccba6ae5d2c4a5a5d56a1d5ca2b2bcb1e7c4ddb4fb28e8b31ae5cbe5a8ab";
    let decided = json!({ "call": CALL, "agent": "worker", "request": 6, "verdict": "allow", "scope": "once", "is_edited": true, "by": ada() });
    let admitted = json!({ "agent": "worker", "turn": 3, "answer": 4, "calls":
        [{ "call": other, "ordinal": 0, "label": "", "tool": "run_command", "arguments": digest, "origin": CALL }] });
    let replaced = json!({ "call": CALL, "agent": "worker", "by": other });
    commits.truncate(3);
    commits.push(commit(
        3,
        7,
        &json!({ "person": ada() }),
        Some(6),
        &[
            (
                62,
                decided,
                Some(json!({ "arguments": r#"{"argv":["wc"]}"# })),
            ),
            (60, admitted, None),
            (71, replaced, None),
        ],
    ));
    let found = report(&whole(commits));
    let [first, second] = found.calls.as_slice() else {
        panic!("{:?}", found.calls)
    };
    assert_eq!(first.arguments.as_deref(), Some(ARGUMENTS));
    assert_eq!(second.arguments.as_deref(), Some(r#"{"argv":["wc"]}"#));
    assert_eq!(
        second.requested.as_ref().unwrap().replaces.as_deref(),
        Some(CALL)
    );
    assert_eq!(
        (first.arguments_are_recorded, second.arguments_are_recorded),
        (Some(true), Some(false))
    );
}

#[test]
fn text_of_a_bundle_moves_no_cursor() {
    let mut commits = log();
    commits[0].events[0].facts = "\"\\u001b[2J\u{202e}\"".to_owned();
    let told = lines(&whole(commits), 1);
    assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told}");
    assert!(told.contains(r"\u{202e}"), "{told}");
}

#[test]
fn times_are_those_of_the_calendar() {
    for (time_ms, expected) in [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_400_000, "2000-02-29T00:00:00Z"),
        (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
        (1_893_456_000_000, "2030-01-01T00:00:00Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00Z"),
    ] {
        assert_eq!(time(time_ms), expected);
    }
    assert!(time(u64::MAX).ends_with('Z'));
}
