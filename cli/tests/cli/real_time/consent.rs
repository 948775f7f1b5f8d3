//! Decisions and grants through the process that holds the store.

use serde_json::json;

use super::Running;
use crate::consent::TWICE;
use crate::desk::{Desk, Ran};

fn waiting() -> (Desk, Running, String) {
    let desk = Desk::new();
    desk.write(
        "gate.yaml",
        &TWICE.replace(
            "text: \"@ada it is done\"",
            "calls: [{ tool: push, args: { branch: other } }]",
        ),
    );
    let mut run = Running::start(&desk, &["run", "gate.yaml", "--wait"]);
    run.until("folkmoot deny gate ");
    let (request, _) = desk.asked("gate");
    (desk, run, request)
}

/// The second request of the room, once it waits.
fn second(desk: &Desk, run: &mut Running) -> String {
    run.until("folkmoot deny gate ");
    desk.asked("gate").0
}

#[test]
fn a_second_terminal_gives_lists_and_ends_a_grant() {
    let (desk, mut run, request) = waiting();
    let taken = desk
        .run(&[
            "approve", "gate", &request, "--scope", "world", "--json", "--as", "bob",
        ])
        .expect(0)
        .document();
    assert_eq!(
        json!([taken["how"], taken["grant"]["scope"]]),
        json!(["allowed", "world"])
    );
    let second = second(&desk, &mut run);
    assert_eq!(desk.runs(), 2);
    let grant = desk.run(&["grants", "gate", "--json"]).expect(0).document();
    assert_eq!(grant, taken["grant"]);
    let number = grant["grant"].to_string();
    desk.run(&["revoke", "gate", &number, "--as", "eve"])
        .expect(0)
        .out_has("revoked gate#");
    desk.run(&["grants", "gate"])
        .expect(0)
        .out_has("No call is allowed in advance in gate.");
    desk.run(&["deny", "gate", &second]).expect(0);
    assert!(
        run.end()
            .1
            .contains(&format!("the grant gate#{number} is over: by eve"))
    );
}

#[test]
fn a_peer_learns_nothing_from_what_is_refused_but_that_it_came_too_late() {
    let (desk, mut run, request) = waiting();
    let shown = "00000000";
    let refused = |ran: Ran| ran.expect(4).err.lines().next().map(str::to_owned);
    let uniform = refused(desk.run(&["approve", "gate", "9999"]));
    assert_eq!(
        refused(desk.run(&["answer", "gate", &request, "yes"])),
        uniform
    );
    assert_eq!(
        refused(desk.run(&["settle", "gate", "1", "--not-run"])),
        uniform
    );
    assert_eq!(refused(desk.run(&["revoke", "gate", "9999"])), uniform);
    desk.run(&["approve", "gate", &request, "--as", "bob"])
        .expect(0);
    let second = second(&desk, &mut run);
    desk.run(&["deny", "gate", &request, "--as", "eve"])
        .expect(4)
        .err_has("decided before (allow by bob)");
    desk.run(&["approve", "gate", &second, "--shown", shown])
        .expect(4);
    let reasons = desk
        .run(&["log", "gate", "--json", "--kind", "Refused"])
        .expect(0)
        .values();
    let reasons: Vec<&str> = reasons
        .iter()
        .map(|refused| refused["facts"]["reason"].as_str().unwrap())
        .collect();
    let recorded = [
        "unknown_request",
        "other_kind",
        "unknown_request",
        "unknown_grant",
        "already_decided",
        "shown_differs",
    ];
    assert_eq!(reasons, recorded, "the log has the reasons");
}
