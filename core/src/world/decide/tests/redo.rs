//! Turns that take the place of others: what was done there is known, and nothing is done twice unasked.

use crate::command::{Action, Command, ShellAction, WorldAction};
use crate::event::*;
use crate::ids::Position;
use crate::prompt::Item;
use crate::spec::{Mode, WorldSpec};
use crate::testing::*;
use crate::tool::ToolOutcome;
use crate::world::decide::tests::consent::{judged, yes};

const PATH: &str = "{\"path\":\"bill\"}";

fn auto() -> WorldSpec {
    room_with(|spec| spec.policy.mode = Mode::Auto)
}

/// Ada wants it, and bob's `tool` does it.
fn done(past: Past, tool: &str) -> Past {
    let past = past
        .said("@bob pay")
        .woke("bob")
        .answered("bob", calls(&[(tool, PATH)]));
    let past = if past.world.consent().pending().is_empty() {
        past
    } else {
        let request = past.request();
        past.then(judged("bob", request, yes().within(Scope::World)))
    };
    runs(past, "bob", "paid 7 francs")
}

fn runs(past: Past, name: &str, gave: &str) -> Past {
    past.started(name, 0, 1)
        .finished(name, 0, 1, ToolOutcome::text(gave))
}

fn reply(past: &Past) -> u64 {
    past.world.transcript().back().unwrap().id.0.get()
}

fn said_it(past: Past) -> Past {
    past.carried_on("bob").answered("bob", text("it is paid"))
}

fn notices(past: &Past, name: &str) -> Vec<String> {
    let told = |item: &Item| {
        if let Item::Notice { text } = item {
            Some(text.to_string())
        } else {
            None
        }
    };
    past.memory(name)
        .items
        .iter()
        .filter_map(|kept| told(&kept.item))
        .collect()
}

fn has_results(past: &Past, name: &str) -> bool {
    past.memory(name)
        .items
        .iter()
        .any(|kept| matches!(*kept.item, Item::Result { .. }))
}

/// The warnings of the requests of the last commit; none if nobody is asked.
fn warnings(past: &Past) -> Vec<Vec<String>> {
    let codes = |asked: &ApprovalRequested| {
        asked
            .warnings
            .iter()
            .map(|finding| finding.code.clone())
            .collect()
    };
    let asked = |event: &Event| {
        if let Event::Call(CallEvent::ApprovalRequested(asked)) = event {
            Some(codes(asked))
        } else {
            None
        }
    };
    past.last().iter().filter_map(asked).collect()
}

/// How a turn that is open, or that was answered, is replaced by another.
fn replaced(past: Past, how: &str) -> Past {
    match how {
        "edit" => past.then(edit(4, "@bob pay him")),
        "edit, once it is answered" => said_it(past).then(edit(4, "@bob pay him")),
        "regenerate" => {
            let past = said_it(past);
            let reply = reply(&past);
            past.then(regenerate(reply))
        }
        _ => panic!("{how}"),
    }
}

const WAYS: [&str; 3] = ["edit", "edit, once it is answered", "regenerate"];

#[test]
fn call_of_a_tool_that_ran_in_a_replaced_turn_asks_whatever_allows_it() {
    for how in WAYS {
        for (spec, what) in [(auto(), "mode"), (room(), "grant")] {
            for tool in ["write", "wipe", "brief"] {
                let past = replaced(done(Past::with(spec.clone()), tool), how).woke("bob");
                let past = past.answered("bob", calls(&[(tool, PATH), ("look", "{}")]));
                assert_eq!(warnings(&past), [["ran_before"]], "{how}, {what}, {tool}");
                let request = past.request();
                let past = past.then(judged("bob", request, yes().within(Scope::World)));
                let past = runs(past, "bob", "paid again").started("bob", 1, 1);
                let past = past
                    .finished("bob", 1, 1, ToolOutcome::text("seen"))
                    .carried_on("bob");
                let past = past.answered("bob", calls(&[(tool, PATH)]));
                assert_eq!(
                    warnings(&past).len(),
                    1,
                    "each call asks, whatever was granted meanwhile: {how}, {tool}"
                );
            }
        }
    }
}

#[test]
fn call_that_may_repeat_or_that_did_not_run_there_does_not_ask() {
    for (ran, wanted) in [("keep", "keep"), ("look", "look"), ("write", "wipe")] {
        let past = replaced(done(Past::with(auto()), ran), "edit").woke("bob");
        let past = past.answered("bob", calls(&[(wanted, PATH)]));
        assert_eq!(
            (warnings(&past).len(), past.owed().len()),
            (0, 1),
            "{ran}, then {wanted}"
        );
    }
}

#[test]
fn another_message_replaces_nothing() {
    let past = said_it(done(Past::with(auto()), "write"))
        .said("@bob and now?")
        .woke("bob");
    let past = past.answered("bob", calls(&[("write", PATH)]));
    assert_eq!(warnings(&past), Vec::<Vec<String>>::new());
    assert_eq!(notices(&past, "bob"), Vec::<String>::new());
}

#[test]
fn what_was_done_stands_in_the_new_request_as_one_text_and_as_no_result() {
    for how in WAYS {
        let past = replaced(done(Past::with(auto()), "write"), how).woke("bob");
        let told = notices(&past, "bob");
        assert_eq!(told.len(), 1, "{how}");
        let line = "\n- write, called with <tool_output>{\"path\":\"bill\"}</tool_output>: <tool_output>paid 7 \
                    francs</tool_output>";
        assert!(
            told[0].starts_with("done before: ") && told[0].ends_with(line),
            "{how}: {told:?}"
        );
        assert!(!has_results(&past, "bob"), "{how}");
        let asked = past.world.model_ask(&agent("bob")).unwrap().request;
        assert!(
            asked
                .items()
                .iter()
                .any(|item| matches!(&**item, Item::Notice { text } if **text == *told[0]))
        );
    }
}

#[test]
fn every_generation_knows_all_that_was_done_before() {
    let mut past = said_it(done(Past::with(auto()), "write"));
    for generation in 1..=3 {
        past = if generation % 2 == 0 {
            let reply = reply(&past);
            past.then(regenerate(reply))
        } else {
            past.then(edit(4, "@bob pay"))
        };
        past = past.woke("bob");
        let told = notices(&past, "bob");
        assert_eq!(
            told.iter()
                .map(|told| told.matches("\n- write").count())
                .collect::<Vec<_>>(),
            [generation]
        );
        past = past.answered("bob", calls(&[("write", PATH)]));
        assert_eq!(warnings(&past), [["ran_before"]], "generation {generation}");
        let request = past.request();
        past = said_it(runs(past.then(allow(request)), "bob", "paid"));
    }
}

#[test]
fn news_that_stay_are_answered_with_what_was_done_for_those_that_went() {
    let past = Past::with(auto())
        .said("@bob pay")
        .said("@bob and tell me")
        .woke("bob");
    let past = runs(
        past.answered("bob", calls(&[("write", PATH)])),
        "bob",
        "paid 7 francs",
    )
    .then(retract(4))
    .woke("bob");
    assert_eq!(notices(&past, "bob").len(), 1);
    let past = past.answered("bob", calls(&[("write", PATH)]));
    assert_eq!(warnings(&past), [["ran_before"]]);
}

#[test]
fn news_that_stay_know_what_was_done_before_they_were_said() {
    let past = done(Past::with(auto()), "write")
        .then(edit(4, "@bob pay him"))
        .said("@bob and tell me")
        .woke("bob");
    let past = past.then(retract(4)).woke("bob");
    assert!(
        notices(&past, "bob")
            .iter()
            .all(|told| told.contains("paid 7 francs"))
    );
    let past = past.answered("bob", calls(&[("write", PATH)]));
    assert_eq!(warnings(&past), [["ran_before"]]);
}

#[test]
fn agent_that_is_addressed_in_a_new_turn_asks_for_what_it_did_in_the_old_one() {
    let past = Past::with(auto())
        .said("@bob see to it")
        .woke("bob")
        .answered("bob", text("@eve pay"))
        .woke("eve");
    let past = runs(
        past.answered("eve", calls(&[("write", PATH)])),
        "eve",
        "paid 7 francs",
    )
    .carried_on("eve");
    let past = past
        .answered("eve", text("it is paid"))
        .then(edit(4, "@bob see to it now"))
        .woke("bob");
    let told = notices(&past, "bob");
    assert!(
        matches!(&told[..], [told] if told.ends_with(
            "\n- write, called by @eve: It ended; what it gave was told to that agent only."
        )),
        "{told:?}"
    );
    let past = past.answered("bob", text("@eve pay")).woke("eve");
    assert!(matches!(&notices(&past, "eve")[..], [told] if told.contains("paid 7 francs")));
    let past = past.answered("eve", calls(&[("write", PATH)]));
    assert_eq!(warnings(&past), [["ran_before"]]);
}

#[test]
fn run_whose_end_nobody_knows_is_told_as_that() {
    let past = Past::with(auto())
        .said("@bob pay")
        .woke("bob")
        .answered("bob", calls(&[("write", PATH)]));
    let past = past
        .started("bob", 0, 1)
        .then(edit(4, "@bob pay him"))
        .woke("bob");
    let told = notices(&past, "bob");
    assert!(
        matches!(&told[..], [told] if told.contains("outcome_unknown: ")),
        "{told:?}"
    );
    let past = past.answered("bob", calls(&[("write", PATH)]));
    assert_eq!(warnings(&past), [["ran_before"]]);
}

#[test]
fn erasing_what_was_done_leaves_nothing_of_it_in_the_new_request() {
    let past = replaced(done(Past::with(auto()), "write"), "edit").woke("bob");
    let told_of = |past: &Past, words: &str| {
        format!("{:?}", past.world.model_ask(&agent("bob"))).contains(words)
    };
    assert!(told_of(&past, "paid 7 francs") && told_of(&past, "bill"));
    let all = Span {
        from: at(4),
        to: past.world.head(),
    };
    let erase = Command::of(
        ada(),
        Action::World(WorldAction::Erase {
            events: vec![all],
            basis: "asked for".to_owned(),
        }),
    );
    let past = past.then(erase);
    let request: Position = past.world.head();
    let past = past.then(runtime(Action::Shell(ShellAction::RecordErased {
        request,
        events: 1,
        files: 0,
    })));
    let retry = past.retry("bob");
    let past = past.then(retry);
    assert!(!told_of(&past, "francs") && !told_of(&past, "bill"));
    let told = notices(&past, "bob");
    assert!(
        matches!(&told[..], [told] if told.ends_with("\n- write, called with [erased]: [erased]")),
        "{told:?}"
    );
    let broken = PrefixBroken {
        agent: agent("bob"),
        cause: PrefixCause::Erasure,
        dropped: 0,
    };
    assert!(
        past.last()
            .contains(&Event::Turn(TurnEvent::PrefixBroken(broken)))
    );
}

#[test]
fn large_results_are_cut_and_many_calls_are_counted() {
    let mut past = Past::with(room_with(|spec| {
        spec.policy.mode = Mode::Auto;
        spec.limits.model_calls_per_agent = 100;
        spec.limits.model_calls_per_episode = 200;
    }));
    past = past.said("@bob pay").woke("bob");
    for _ in 0..20 {
        past = runs(
            past.answered("bob", calls(&[("write", PATH)])),
            "bob",
            &"x".repeat(9_000),
        )
        .carried_on("bob");
    }
    let past = past
        .answered("bob", text("done"))
        .then(edit(4, "@bob pay him"))
        .woke("bob");
    let told = notices(&past, "bob").remove(0);
    assert_eq!(told.matches("\n- write").count(), 16);
    assert!(
        told.contains("\n- 4 earlier calls, which are not told one by one") && told.len() < 80_000,
        "{}",
        told.len()
    );
}
