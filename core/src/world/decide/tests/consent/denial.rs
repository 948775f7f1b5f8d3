use crate::world::decide::tests::consent::*;

fn denied(judgement: Judgement) -> Past {
    let past = asks_to_wipe(&["a"]);
    let command = judged("bob", past.oldest(), judgement);
    past.then(command)
}

fn read(past: &Past) -> String {
    past.world.tool_results(&agent("bob"))[0].text().to_owned()
}

#[test]
fn agent_reads_the_reason_only_if_the_person_shares_it() {
    let because = Judgement::new(Verdict::Deny).because(Some("not on a Friday".to_owned()));
    assert!(!read(&denied(because.clone())).contains("Friday"));
    let shared = denied(Judgement {
        shares_reason: true,
        ..because
    });
    assert!(
        read(&shared).contains("not on a Friday"),
        "{}",
        read(&shared)
    );
}

#[test]
fn same_call_again_in_the_turn_is_denied_at_once() {
    let past = denied(Judgement::new(Verdict::Deny)).carried_on("bob");
    let past = past.answered(
        "bob",
        calls(&[("wipe", "{\"path\": \"a\"}"), ("wipe", "{\"path\":\"b\"}")]),
    );
    let first = past.call("bob", 0);
    assert_eq!(past.last()[2], ended(first, CallStatus::DeniedBefore));
    assert_eq!(past.world.consent().pending().len(), 1);
}

#[test]
fn next_turn_may_ask_again() {
    let past = denied(Judgement::new(Verdict::Deny))
        .carried_on("bob")
        .answered("bob", text("well"));
    assert_eq!(wiping(past, &["a"]).world.consent().pending().len(), 1);
}
