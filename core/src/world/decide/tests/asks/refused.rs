//! Questions that are not put.

use crate::event::{CallEvent, TalkEvent};
use crate::spec::Limits;
use crate::tool::ArgumentFinding;
use crate::world::decide::tests::asks::*;

#[test]
fn question_that_would_exceed_the_hop_budget_is_refused_and_told_once() {
    let room = WorldSpec {
        limits: Limits {
            hop_budget: 1,
            ..Limits::default()
        },
        ..larger_room(&["mia"])
    };
    let past = Past::with(room)
        .said("@bob do it")
        .woke("bob")
        .answered("bob", asks(&["eve", "mia", "cody"]));
    assert_eq!(
        statuses(&past),
        [CallStatus::HopBudget, CallStatus::HopBudget]
    );
    let notice = |event: &&Event| matches!(event, Event::Talk(TalkEvent::NoticePosted(_)));
    assert_eq!(past.last().iter().filter(notice).count(), 1);
}

#[test]
fn handoff_that_would_exceed_the_hop_budget_is_refused() {
    let room = WorldSpec {
        limits: Limits {
            hop_budget: 0,
            ..Limits::default()
        },
        ..room_that_asks()
    };
    let past = Past::with(room)
        .said("@bob do it")
        .woke("bob")
        .answered("bob", turns_to("hand", &["eve"]));
    assert_eq!(statuses(&past), [CallStatus::HopBudget]);
    assert_eq!(past.world.owed().count(), 1);
}

#[test]
fn only_agents_of_the_room_that_the_tool_names_can_be_asked_and_nobody_asks_itself() {
    let mut room = larger_room(&["mia"]);
    room.tools.get_mut(&tool("ask")).unwrap().kind = ToolKind::Ask {
        agents: vec![agent("eve"), agent("bob")],
    };
    for to in ["nobody", "mia", "bob", "", "@eve"] {
        let past = Past::with(room.clone())
            .said("@bob go")
            .woke("bob")
            .answered("bob", asks(&[to]));
        assert_eq!(statuses(&past), [CallStatus::NoSuchAgent], "{to}");
        assert!(goes_on(&past, "bob"));
    }
    let past = Past::with(room)
        .said("@bob go")
        .woke("bob")
        .answered("bob", asks(&["eve"]));
    assert_eq!(wakes(&past), [agent("eve")]);
}

#[test]
fn question_must_have_words() {
    let mut room = room_that_asks();
    room.limits.message_bytes_max = 10;
    let long = words("eve", "more than ten bytes");
    for (arguments, path, code) in [
        ("{}", "/agent", "type"),
        ("{\"agent\":7,\"text\":\"a\"}", "/agent", "type"),
        ("{\"agent\":\"eve\"}", "/text", "type"),
        ("{\"agent\":\"eve\",\"text\":\" \"}", "/text", "minLength"),
        (&long, "/text", "message_bytes_max"),
    ] {
        for tool in ["ask", "hand"] {
            let past = Past::with(room.clone()).bob_calls(&[(tool, arguments)]);
            let finding = ArgumentFinding::error(path, code);
            assert_eq!(
                statuses(&past),
                [CallStatus::Invalid(vec![finding])],
                "{arguments}"
            );
        }
    }
}

#[test]
fn agent_that_waits_for_the_one_that_asks_cannot_be_asked() {
    let past = bob_asked_eve().woke("eve").answered("eve", asks(&["bob"]));
    assert_eq!(statuses(&past), [CallStatus::WouldDeadlock]);
    let past = past.carried_on("eve").answered("eve", text("Because."));
    assert_eq!(results(&past, "bob"), [("Because.".to_owned(), false)]);
}

#[test]
fn circle_of_three_is_refused_too() {
    let past = asked_in(larger_room(&["mia"]))
        .woke("eve")
        .answered("eve", asks(&["mia"]));
    let past = past.woke("mia").answered("mia", asks(&["bob"]));
    assert_eq!(statuses(&past), [CallStatus::WouldDeadlock]);
}

#[test]
fn circle_by_way_of_other_work_is_refused() {
    // Eve works on something of her own when bob's question comes; she cannot take it up before that is done.
    let past = Past::with(room_that_asks())
        .said("@eve @bob go")
        .woke("eve")
        .woke("bob")
        .answered("bob", asks(&["eve"]));
    let past = past.answered("eve", asks(&["bob"]));
    assert_eq!(statuses(&past), [CallStatus::WouldDeadlock]);
}

#[test]
fn fifth_agent_in_a_row_is_too_deep() {
    let past = asked_in(larger_room(&["a", "b", "c", "d"]));
    let past = past
        .woke("eve")
        .answered("eve", asks(&["a"]))
        .woke("a")
        .answered("a", asks(&["b"]));
    let past = past
        .woke("b")
        .answered("b", asks(&["c"]))
        .woke("c")
        .answered("c", asks(&["d"]));
    assert_eq!(statuses(&past), [CallStatus::TooDeep]);
    let depth = |event: &Event| {
        if let Event::Call(CallEvent::AgentAsked(asked)) = event {
            Some(asked.depth)
        } else {
            None
        }
    };
    assert_eq!(
        past.events().filter_map(depth).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
}

#[test]
fn depth_counts_what_the_asked_agent_waits_for_as_well() {
    let mut room = larger_room(&["mia"]);
    room.limits.ask_depth_max = 2;
    let past = Past::with(room)
        .said("@eve @bob go")
        .woke("eve")
        .woke("bob")
        .answered("eve", asks(&["cody"]));
    let past = past
        .answered("bob", asks(&["mia"]))
        .woke("mia")
        .answered("mia", asks(&["eve"]));
    assert_eq!(statuses(&past), [CallStatus::TooDeep]);
}

#[test]
fn full_inbox_takes_no_question_not_even_the_second_of_one_answer() {
    let mut room = room_that_asks();
    room.limits.inbox_max = 1;
    let past = Past::with(room)
        .said("@bob go")
        .woke("bob")
        .answered("bob", asks(&["eve", "eve"]));
    assert_eq!(
        statuses(&past),
        [CallStatus::Unanswered(UnansweredCause::InboxFull)]
    );
    let past = past.woke("eve").answered("eve", text("Because."));
    let full = "unanswered: The agent gave no answer. Too many messages wait for it.".to_owned();
    assert_eq!(
        results(&past, "bob"),
        [("Because.".to_owned(), false), (full, true)]
    );
}

#[test]
fn agent_that_waits_for_a_person_is_not_interrupted_and_people_are_told_for_whom_it_waits() {
    for policy in [WhileWaiting::Queue, WhileWaiting::Supersede] {
        let mut room = room_that_asks();
        room.policy.while_waiting = policy;
        let past = Past::with(room)
            .said("@eve @bob go")
            .woke("eve")
            .woke("bob")
            .answered("eve", calls(&[("write", "{}")]));
        let request = past.request();
        let past = past.answered("bob", asks(&["eve"]));
        assert_eq!(past.request(), request);
        let told = notice(
            Notice::AgentWaits {
                agent: agent("eve"),
                request,
            },
            4,
        );
        assert!(past.last().contains(&told), "{:?}", past.last());
        assert_eq!(past.world.activity(), Activity::Parked);
    }
}
