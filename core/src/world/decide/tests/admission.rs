use crate::event::*;
use crate::ids::{Attempt, Digest};
use crate::model::response::{CallPart, LLMResponse, Part, Reply};
use crate::prompt::Item;
use crate::spec::Mode;
use crate::testing::*;
use crate::tool::{ArgumentFinding, EffectClass};
use crate::world::effect::Effect;
use crate::world::memory::{CallState, OpenCall};

fn statuses(past: &Past) -> Vec<CallStatus> {
    let status = |event: &Event| {
        if let Event::Call(CallEvent::ToolFinished(done)) = event {
            Some(done.status.clone())
        } else {
            None
        }
    };
    past.last().iter().filter_map(status).collect()
}

fn last_result(past: &Past) -> String {
    match &*past.memory("bob").items.last().unwrap().item {
        Item::Result {
            text, failed: true, ..
        } => text.to_string(),
        other @ (Item::Heard { .. }
        | Item::Said { .. }
        | Item::Notice { .. }
        | Item::State { .. }
        | Item::Summary { .. }
        | Item::Result { .. }) => {
            panic!("{other:?}")
        }
    }
}

#[test]
fn missing_tool_is_a_result_and_the_turn_goes_on() {
    let past = Past::began().bob_calls(&[("fly", "{}")]);
    assert_eq!(statuses(&past), [CallStatus::Missing]);
    assert_eq!(
        last_result(&past),
        "missing_tool: You have no tool of that name."
    );
    assert!(matches!(past.owed()[..], [Effect::Continue { .. }]));
}

#[test]
fn a_call_that_the_limit_cut_is_told_as_malformed_and_the_turn_goes_on() {
    let cut = CallPart {
        label: "1".into(),
        tool: "look".into(),
        arguments: "{\"path\":\"CHAN".into(),
    };
    let parts = vec![Part::Text("I look".into()), Part::Call(cut)];
    let answer = LLMResponse::Truncated(Reply {
        parts,
        ..Reply::default()
    });
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", answer);
    assert_eq!(
        statuses(&past),
        [CallStatus::Invalid(vec![ArgumentFinding::error(
            "", "not_json"
        )])]
    );
    assert!(
        last_result(&past).starts_with("invalid_arguments: "),
        "{}",
        last_result(&past)
    );
    assert!(
        matches!(past.owed()[..], [Effect::Continue { .. }]),
        "{:?}",
        past.owed()
    );
}

#[test]
fn nameless_call_gets_its_result_too() {
    let past = Past::began().bob_calls(&[("", "{}")]);
    assert_eq!(
        last_result(&past),
        "missing_tool: You have no tool of that name."
    );
}

#[test]
fn invalid_arguments_are_told_by_path_and_rule_and_never_by_value() {
    let past = Past::began().bob_calls(&[("look", "{\"path\":4711}")]);
    let finding = ArgumentFinding::error("/path", "type");
    assert_eq!(statuses(&past), [CallStatus::Invalid(vec![finding])]);
    let expected = "invalid_arguments: The arguments do not fit the tool's schema (/path: type).";
    assert_eq!(last_result(&past), expected);
}

#[test]
fn arguments_that_are_no_object_are_invalid() {
    for (arguments, code) in [("[1", "not_json"), ("[1]", "not_an_object")] {
        let past = Past::began().bob_calls(&[("look", arguments)]);
        let finding = ArgumentFinding::error("", code);
        assert_eq!(statuses(&past), [CallStatus::Invalid(vec![finding])]);
    }
}

#[test]
fn calls_beyond_the_limit_have_their_result_at_once() {
    let room = room_with(|spec| spec.limits.tool_calls_per_answer = 1);
    let past = Past::with(room).bob_calls(&[("look", "{}"), ("look", "{}")]);
    assert_eq!(statuses(&past), [CallStatus::TooMany]);
    let (agent, call) = (agent("bob"), past.call("bob", 0));
    assert_eq!(
        past.owed(),
        [Effect::RunTool {
            agent,
            call,
            attempt: Attempt(1)
        }]
    );
}

#[test]
fn mode_decides_which_calls_run_ask_or_are_not_allowed() {
    use EffectClass::{Destructive, Read, Write};
    for (mode, asks, ends) in [
        (Mode::Ask, vec![Write, Destructive], 0),
        (Mode::Read, vec![], 2),
        (Mode::Auto, vec![], 0),
    ] {
        let room = room_with(|spec| spec.policy.mode = mode);
        let past = Past::with(room).bob_calls(&[("look", "{}"), ("write", "{}"), ("wipe", "{}")]);
        let asked = |event: &Event| {
            if let Event::Call(CallEvent::ApprovalRequested(asked)) = event {
                Some(asked.effect)
            } else {
                None
            }
        };
        assert_eq!(
            past.last().iter().filter_map(asked).collect::<Vec<_>>(),
            asks,
            "{mode:?}"
        );
        assert_eq!(
            statuses(&past),
            vec![CallStatus::NotAllowed; ends],
            "{mode:?}"
        );
        let runs = [(Read, 1), (Write, 1), (Destructive, 1)].len() - asks.len() - ends;
        let is_free = |open: &&OpenCall| matches!(open.state, CallState::Ready { .. });
        assert_eq!(
            past.memory("bob")
                .open_calls
                .values()
                .filter(is_free)
                .count(),
            runs
        );
    }
}

#[test]
fn approval_names_the_digests_of_what_is_asked_and_shown() {
    let past = Past::began().bob_calls(&[("wipe", "{\"path\":\"a\"}")]);
    let shown = "bob asks to run wipe (destructive) with {\"path\":\"a\"}";
    let wipe = &past.world.rules().spec().tools[&tool("wipe")];
    let requested = ApprovalRequested {
        attempt: None,
        call: past.call("bob", 0),
        agent: agent("bob"),
        tool: tool("wipe"),
        effect: EffectClass::Destructive,
        arguments: Digest::of(&[b"{\"path\":\"a\"}"]),
        schema: crate::spec::rules::schema_digest(wipe),
        folder: None,
        warnings: Vec::new(),
        shown: Digest::of(&[shown.as_bytes()]),
        expires_at: crate::ids::Time(past.now.0 + 15 * 60 * 1_000),
    };
    assert_eq!(
        past.last()[2],
        Event::Call(CallEvent::ApprovalRequested(requested))
    );
}

#[test]
fn calls_without_a_label_get_ours_counted_per_agent() {
    let past = Past::began()
        .bob_calls(&[("fly", "{}"), ("fly", "{}")])
        .carried_on("bob");
    let past = past.answered("bob", calls(&[("fly", "{}")]));
    fn admitted(event: &Event) -> Option<&CallsAdmitted> {
        if let Event::Call(CallEvent::CallsAdmitted(admitted)) = event {
            Some(admitted)
        } else {
            None
        }
    }
    let calls = past
        .events()
        .filter_map(admitted)
        .flat_map(|admitted| &admitted.calls);
    assert_eq!(
        calls.map(|call| call.label.as_str()).collect::<Vec<_>>(),
        ["call_1", "call_2", "call_3"]
    );
}
