//! The first opening in a copy of the store: people are asked anew, and nothing that was allowed runs unasked.

use crate::command::{Reply, Settlement};
use crate::event::refusal::RefusalReason;
use crate::event::*;
use crate::ids::{Attempt, CallId, CopyId, RequestId};
use crate::spec::limits::{EVENT_BYTES, FACTS_BYTES_MAX, OPEN_CALLS_MAX};
use crate::spec::{AgentSpec, Mode};
use crate::testing::*;
use crate::tool::{Reconciliation, ToolOutcome};
use crate::world::RequestKind;
use crate::world::effect::Effect;

fn restored(n: u8) -> Event {
    Event::World(WorldEvent::Restored(Restored {
        copy: CopyId(uuid::Uuid::from_bytes([n; 16])),
    }))
}

fn kinds(past: &Past) -> Vec<EventKind> {
    past.last().iter().map(Event::kind).collect()
}

fn runs(past: &Past) -> Vec<CallId> {
    let run = |effect| {
        if let Effect::RunTool { call, .. } = effect {
            Some(call)
        } else {
            None
        }
    };
    past.owed().into_iter().filter_map(run).collect()
}

/// A call of `tool` that was allowed, by the mode or by ada, and that nobody has started.
fn allowed(tool: &str, mode: Mode) -> Past {
    let past = Past::with(room_with(|spec| spec.policy.mode = mode)).bob_calls(&[(tool, "{}")]);
    if past.world.consent().pending().is_empty() {
        return past;
    }
    let request = past.request();
    past.then(allow(request))
}

#[test]
fn only_the_first_opening_in_each_copy_is_one() {
    let past = Past::began().then(reopen_in(1));
    assert_eq!(past.last()[1], restored(1));
    let past = past.then(reopen_in(1)).then(reopen());
    assert_eq!(
        past.events()
            .filter(|event| matches!(event, Event::World(WorldEvent::Restored(_))))
            .count(),
        1
    );
    let past = past.then(reopen_in(2));
    assert_eq!(past.last()[1], restored(2));
    assert_eq!(
        past.world.copy(),
        Some(CopyId(uuid::Uuid::from_bytes([2; 16])))
    );
}

#[test]
fn what_people_were_asked_is_asked_under_a_new_number() {
    let past = Past::began().bob_calls(&[("wipe", "{}")]);
    let (old, call) = (past.request(), past.call("bob", 0));
    let past = past.then(reopen_in(1));
    let new = past.request();
    assert!(
        new > old
            && kinds(&past)
                == [
                    EventKind::Opened,
                    EventKind::Restored,
                    EventKind::ApprovalRequested
                ]
    );
    assert_eq!(
        past.world.consent().settled()[&old].reason,
        RefusalReason::Closed
    );
    assert_eq!(
        past.world.consent().settled()[&old].decided.how,
        "asked anew"
    );
    let past = past.then_refused(allow(old));
    assert_eq!(runs(&past), []);
    assert_eq!(runs(&past.then(allow(new))), [call]);
}

#[test]
fn question_is_asked_anew_and_its_answer_goes_on_where_it_was() {
    let past = Past::began()
        .bob_calls(&[("look", "{}")])
        .started("bob", 0, 1)
        .finished("bob", 0, 1, question());
    let (old, call) = (past.request(), past.call("bob", 0));
    let past = past.then(reopen_in(1));
    let new = past.request();
    assert!(new > old);
    let past = past
        .then_refused(reply(old, Reply::Options(vec![0])))
        .then(reply(new, Reply::Options(vec![0])));
    let next = Effect::RunTool {
        agent: agent("bob"),
        call,
        attempt: Attempt(2),
    };
    assert_eq!(past.owed(), [next]);
}

#[test]
fn call_that_was_allowed_asks_again_unless_it_may_run_twice() {
    for mode in [Mode::Ask, Mode::Auto] {
        for tool in ["write", "wipe"] {
            let past = allowed(tool, mode).then(reopen_in(1));
            let [.., Event::Call(CallEvent::ApprovalRequested(asked))] = past.last() else {
                panic!("{tool}: {:?}", past.last())
            };
            assert_eq!(
                asked
                    .warnings
                    .iter()
                    .map(|finding| finding.code.as_str())
                    .collect::<Vec<_>>(),
                ["restored"]
            );
            let (request, call) = (past.request(), past.call("bob", 0));
            assert_eq!(runs(&past), [], "{tool}, {mode:?}");
            let past = past.then(reopen_in(1)).then(allow(request));
            assert_eq!(runs(&past), [call], "{tool}, {mode:?}: under its old key");
        }
        for tool in ["keep", "brief", "look"] {
            let past = allowed(tool, mode).then(reopen_in(1));
            assert_eq!(
                (runs(&past).len(), past.world.consent().pending().len()),
                (1, 0),
                "{tool}, {mode:?}"
            );
        }
    }
}

#[test]
fn allowed_call_that_had_its_answer_already_keeps_its_attempts() {
    let past = allowed("write", Mode::Auto)
        .started("bob", 0, 1)
        .finished("bob", 0, 1, question());
    let request = past.request();
    let past = past
        .then(reply(request, Reply::Options(vec![0])))
        .then(reopen_in(1));
    let request = past.request();
    let past = past.then(allow(request));
    assert!(matches!(
        past.owed()[..],
        [Effect::RunTool {
            attempt: Attempt(2),
            ..
        }]
    ));
    past.started("bob", 0, 2)
        .finished("bob", 0, 2, ToolOutcome::text("written"));
}

#[test]
fn run_that_was_under_way_is_in_doubt_and_its_tool_is_not_asked() {
    let past = allowed("wipe", Mode::Auto).started("bob", 0, 1);
    let past = past.then(reopen_in(1));
    let request = past.request();
    assert!(matches!(
        past.world.consent().pending()[&request].kind,
        RequestKind::Outcome { is_open: true, .. }
    ));
    assert_eq!(
        past.owed(),
        Vec::<Effect>::new(),
        "the tool may not know yet what the other store has it do"
    );
    let past = past.then(settle(request, Settlement::RunAgain));
    assert_eq!(runs(&past).len(), 1);
    let past = allowed("keep", Mode::Auto)
        .started("bob", 0, 1)
        .then(reopen_in(1));
    assert_eq!(runs(&past).len(), 1, "what may run twice does");
    let asked = allowed("wipe", Mode::Auto).started("bob", 0, 1).crashed();
    let reconciled = asked.reconcile("bob", 0, Reconciliation::DidNot);
    assert_eq!(runs(&asked.clone().then(reconciled)).len(), 1);
}

#[test]
fn doubt_is_asked_about_anew_whether_the_call_is_open_or_not() {
    let open = allowed("write", Mode::Auto).started("bob", 0, 1).crashed();
    let declared = open.declare("bob", 0);
    let closed = allowed("write", Mode::Auto)
        .started("bob", 0, 1)
        .then(stop());
    for past in [open.then(declared), closed] {
        let (old, before) = past
            .world
            .consent()
            .pending()
            .first_key_value()
            .map(|(id, kept)| (*id, kept.clone()))
            .unwrap();
        let past = past.then(reopen_in(1));
        let new: RequestId = past.request();
        assert_eq!(
            (new > old, &past.world.consent().pending()[&new]),
            (true, &before)
        );
        let past = past
            .then_refused(settle(old, Settlement::NotRun))
            .then(settle(new, Settlement::NotRun));
        assert_eq!(past.world.consent().pending().len(), 0);
    }
}

#[test]
fn world_that_begins_in_a_copy_is_not_restored_there() {
    let copy = Some(CopyId(uuid::Uuid::from_bytes([1; 16])));
    let create = create_with(room(), copy, Labelled::default());
    let past = Past::empty()
        .then(runtime(create))
        .bob_calls(&[("wipe", "{}")]);
    let request = past.request();
    assert_eq!(past.then(reopen_in(1)).request(), request);
}

#[test]
fn stream_that_a_crash_cut_ends_at_the_next_opening() {
    let past = Past::began().said("@bob hi").woke("bob");
    let (turn, stream) = (past.memory("bob").turn.clone().unwrap(), past.stream("bob"));
    let past = past.then(stream);
    let started = past.world.head();
    let (call, attempt) = turn.model.map(|model| (model.call, model.attempt)).unwrap();
    let past = past.then(reopen());
    let cut = StreamCut {
        agent: agent("bob"),
        call,
        attempt,
        stream: started,
    };
    assert_eq!(past.last()[1..], [Event::Turn(TurnEvent::StreamCut(cut))]);
    let past = past.then(reopen());
    assert_eq!(kinds(&past), [EventKind::Opened], "once");
    let retry = past.retry("bob");
    assert_eq!(
        past.then(retry)
            .answered("bob", text("hi"))
            .world
            .transcript()
            .len(),
        2
    );
}

/// Five agents with the longest names, with all calls that a room can have open, each with warnings as long as they may be.
fn full(mode: Mode) -> Past {
    let names: Vec<String> = (0..5).map(|n| format!("{}{n}", "a".repeat(63))).collect();
    let room = room_with(|spec| {
        (spec.limits.tool_calls_per_answer, spec.policy.mode) = (128, mode);
        let bob = spec.agents[0].clone();
        spec.agents = names
            .iter()
            .map(|name| AgentSpec {
                name: agent(name),
                ..bob.clone()
            })
            .collect();
    });
    let value = serde_json::json!({ "k".repeat(300): vec!["\u{7}"; 9] }).to_string();
    let said: String = names.iter().map(|name| format!("@{name} ")).collect();
    let past = Past::with(room).said(&said);
    names.iter().fold(past, |past, name| {
        past.woke(name)
            .answered(name, calls(&[("wipe", value.as_str()); 128]))
    })
}

fn facts(events: &[Event]) -> usize {
    events
        .iter()
        .map(|event| event.to_record().unwrap().facts.len() + EVENT_BYTES)
        .sum()
}

#[test]
fn no_more_calls_are_open_than_one_command_can_stop() {
    let past = full(Mode::Ask);
    assert_eq!(past.world.consent().pending().len(), OPEN_CALLS_MAX);
    let ended = past
        .events()
        .filter(|event| matches!(event, Event::Call(CallEvent::ToolFinished(_))))
        .count();
    assert_eq!(ended, 5 * 128 - OPEN_CALLS_MAX);
    let past = past.then(stop());
    assert!(
        past.world.consent().pending().is_empty() && facts(past.last()) <= FACTS_BYTES_MAX,
        "{}",
        facts(past.last())
    );
}

#[test]
fn openings_in_a_copy_ask_about_all_that_waits_however_much_it_is() {
    for mode in [Mode::Ask, Mode::Auto] {
        let mut past = full(mode);
        let before: Vec<RequestId> = past.world.consent().pending().keys().copied().collect();
        let mut openings = 0;
        while openings == 0 || past.world.is_restoring() {
            past = past.then(reopen_in(1));
            openings += 1;
            assert!(openings < 20);
            assert!(
                facts(past.last()) < FACTS_BYTES_MAX / 2,
                "{}",
                facts(past.last())
            );
        }
        assert!(openings > 2, "{openings}");
        assert_eq!(
            past.world.consent().pending().len(),
            OPEN_CALLS_MAX,
            "{mode:?}"
        );
        assert!(
            before
                .iter()
                .all(|old| past.world.consent().settled()[old].decided.how == "asked anew"),
            "{mode:?}"
        );
        let asked = past
            .events()
            .filter(|event| matches!(event, Event::Call(CallEvent::ApprovalRequested(_))))
            .count();
        assert_eq!(asked, before.len() + OPEN_CALLS_MAX, "each once");
        assert_eq!(runs(&past), []);
        assert_eq!(
            past.clone().then(reopen_in(1)).last().len(),
            1,
            "and never again"
        );
    }
}
