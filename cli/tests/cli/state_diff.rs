//! `replay --at N --diff M`.

use serde_json::json;

use crate::desk::{Desk, example};

#[test]
fn two_states_of_a_world_are_compared() {
    let desk = Desk::new();
    desk.run(&["run", &example("release-room.yaml")]).expect(0);
    let events = desk
        .run(&["log", "release-room", "--json"])
        .expect(0)
        .values();
    let find = |kind: &str| {
        events.iter().find(|event| event["kind"] == kind).unwrap()["position"].to_string()
    };
    let (opened, asked, last) = (
        find("Opened"),
        find("ApprovalRequested"),
        events.len().to_string(),
    );
    let diff = |at: &str, to: &str| {
        desk.run(&["replay", "release-room", "--at", at, "--diff", to, "--json"])
            .expect(0)
            .document()
    };
    let growing = diff(&opened, &asked);
    assert_eq!(growing["pending"]["added"].as_array().unwrap().len(), 1);
    assert!(
        !growing["transcript"]["added"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    assert_eq!(growing["transcript"]["removed"], json!([]));
    assert!(
        growing["memories"]["worker"]["open_calls"]["added"]
            .as_array()
            .is_some_and(|calls| !calls.is_empty())
    );
    assert!(growing["usage"]["after"]["calls"].as_u64() > Some(0));
    let (there, back) = (diff(&asked, &last), diff(&last, &asked));
    assert_eq!(there["pending"]["removed"], back["pending"]["added"]);
    assert_eq!(there["transcript"]["added"], back["transcript"]["removed"]);
    assert_eq!(
        there["memories"]["worker"]["added"],
        back["memories"]["worker"]["removed"]
    );
    desk.run(&["replay", "release-room", "--at", &asked, "--diff", &last])
        .expect(0)
        .out_has("release-room from event")
        .out_has("memory of worker:")
        .out_has("- release-room#")
        .out_has("+ ");
    desk.run(&["replay", "release-room", "--at", &last, "--diff", &last])
        .expect(0)
        .out_has("nothing is different");
    desk.run(&["replay", "release-room", "--diff", &last])
        .expect(2)
        .err_has("--at");
    desk.run(&["replay", "release-room", "--at", "1", "--diff", "99999"])
        .expect(2)
        .err_has("there is no event 99999");
}
