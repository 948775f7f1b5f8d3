//! `export --format bundle` and `check-bundle`: what leaves the store proves itself.

use crate::desk::{Desk, example};

/// The example of Go's package `sumdb/note`.
const SIGNER: &str =
    "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const VERIFIER: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

/// A desk with a played room, and a key.
fn played() -> Desk {
    let desk = Desk::new();
    desk.run(&["run", &example("release-room.yaml")]).expect(0);
    desk.write("key", &format!("{SIGNER}\n"));
    std::fs::set_permissions(
        desk.path("key"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    desk
}

fn export(desk: &Desk, more: &[&str], to: &str) {
    let start = [
        "export",
        "release-room",
        "--format",
        "bundle",
        "--force",
        "-o",
        to,
    ];
    desk.run(&[&start, more].concat()).expect(0);
}

#[test]
fn whoever_has_the_bundle_and_the_key_is_told_who_approved_what() {
    let desk = played();
    export(&desk, &["--why", "27", "--key", "key"], "why.json");
    // No store is needed.
    desk.run(&["--store", "nowhere", "check-bundle", "why.json", "--trust", VERIFIER, "--at", "27"])
        .expect(0)
        .out_has("each of the 8 commits that are here is proven to be in the tree")
        .out_has("`PeterNeumann` (key id c74f20a3) signed 24 commits, up to event 41")
        .out_has(r#"exactly this: worker asks to run run_command (destructive) with {"argv":["wc","-w","CHANGES.md"]}"#)
        .out_has("event 26, 2030-01-01T00:00:00Z: allow (once) for request 17 by ada, proven by `script` to be `ada`")
        .out_has("event 28, 2030-01-01T00:00:00Z: done by attempt 1")
        .out_has("Verdict: intact.");
    let bundle = std::fs::read_to_string(desk.path("why.json")).unwrap();
    assert!(
        !bundle.contains("Rooms remember who asked"),
        "the other call's result is not part of it"
    );
}

#[test]
fn a_bundle_that_nobody_vouches_for_is_not_checked_and_a_changed_one_is_damaged() {
    let desk = played();
    export(&desk, &[], "whole.json");
    desk.run(&["check-bundle", "whole.json", "--trust", VERIFIER])
        .expect(6)
        .out_has("not signed");
    export(&desk, &["--key", "key"], "whole.json");
    desk.run(&["check-bundle", "whole.json"])
        .expect(6)
        .out_has("no key was given");
    let report = desk
        .run(&["check-bundle", "whole.json", "--trust", VERIFIER, "--json"])
        .expect(0)
        .document();
    assert_eq!(
        (&report["verdict"], &report["is_whole"]),
        (&"intact".into(), &true.into())
    );
    let bundle = std::fs::read_to_string(desk.path("whole.json")).unwrap();
    desk.write(
        "whole.json",
        &bundle.replace("49 CHANGES.md", "50 CHANGES.md"),
    );
    desk.run(&["check-bundle", "whole.json", "--trust", VERIFIER])
        .expect(5)
        .out_has("is not what was recorded");
    desk.write("whole.json", "{}");
    desk.run(&["check-bundle", "whole.json"]).expect(3);
    desk.run(&["check-bundle", "whole.json", "--trust", "nonsense"])
        .expect(2);
}

#[test]
fn a_note_that_somebody_kept_proves_that_the_log_only_grew() {
    let desk = played();
    export(&desk, &["--events", "5", "--key", "key"], "early.json");
    let early: serde_json::Value =
        serde_json::from_slice(&std::fs::read(desk.path("early.json")).unwrap()).unwrap();
    desk.write("note", early["notes"][0]["note"].as_str().unwrap());
    desk.run(&["run", &example("release-room.yaml"), "--again"])
        .expect(0);
    export(&desk, &["--events", "5,26-28", "--key", "key"], "late.json");
    let check = [
        "check-bundle",
        "late.json",
        "--trust",
        VERIFIER,
        "--against",
        "note",
    ];
    desk.run(&check)
        .expect(6)
        .out_has("the bundle has no proof from 24 commits on");
    export(
        &desk,
        &["--events", "5,26-28", "--key", "key", "--note", "note"],
        "late.json",
    );
    desk.run(&check)
        .expect(0)
        .out_has("the log grew from the note's 24 commits to");
    desk.run(&[
        "export",
        "release-room",
        "--format",
        "bundle",
        "--events",
        "0",
    ])
    .expect(2);
    desk.run(&[
        "export",
        "release-room",
        "--format",
        "bundle",
        "--events",
        "999",
    ])
    .expect(2);
}

#[test]
fn heads_in_the_log_vouch_for_a_bundle_without_a_key_at_hand_and_a_fork_has_none_of_its_parents() {
    let desk = Desk::new();
    desk.write("key", &format!("{SIGNER}\n"));
    std::fs::set_permissions(
        desk.path("key"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    desk.run(&["run", &example("release-room.yaml"), "--key", "key"])
        .expect(0);
    export(&desk, &[], "whole.json");
    desk.run(&["check-bundle", "whole.json", "--trust", VERIFIER])
        .expect(0)
        .out_has("Verdict: intact.");
    desk.run(&[
        "check-bundle",
        "whole.json",
        "--trust",
        VERIFIER,
        "--at",
        "999",
    ])
    .expect(6)
    .err_has("no event 999");
    desk.run(&["fork", "release-room", "--at", "20", "--as", "branch"])
        .expect(0);
    desk.run(&["anchor", "branch"])
        .expect(3)
        .err_has("folkmoot key new");
    desk.run(&[
        "export",
        "branch",
        "--format",
        "bundle",
        "-o",
        "branch.json",
    ])
    .expect(0);
    desk.run(&["check-bundle", "branch.json", "--trust", VERIFIER])
        .expect(6)
        .out_has("not signed");
    desk.run(&["verify", "--all", "--trust", VERIFIER])
        .expect(0);
}
