//! Handing the episode over.

use crate::command::TalkAction;
use crate::event::{CallEvent, TurnEvent};
use crate::world::decide::tests::asks::*;

fn hands(to: &str) -> LLMResponse {
    turns_to("hand", &[to])
}

/// The last message of the room: its position, and the calls that wait for an answer to it.
fn last_message(past: &Past) -> (Position, Vec<(AgentName, CallId)>, bool) {
    let message = past.world.transcript().back().unwrap();
    (message.at, message.asks.clone(), message.is_handoff)
}

#[test]
fn handoff_ends_the_turn_and_wakes_the_other_in_one_commit() {
    let past = Past::with(room_that_asks()).said("@bob do it").woke("bob");
    let turn = past.turn("bob");
    let past = past.answered("bob", hands("eve"));
    let Event::Call(CallEvent::CallsAdmitted(admitted)) = &past.last()[1] else {
        panic!("no calls")
    };
    let call = admitted.calls[0].call;
    let expected = [
        ended_for("bob", call, CallStatus::HandedOff),
        said_by_call(11, "bob", turn, call),
        sent(
            11,
            4,
            RoutingRule::HandedOff,
            "eve",
            RoutingReason::HandedOff,
        ),
        Event::Turn(TurnEvent::HandedOff(HandedOff {
            agent: agent("bob"),
            turn,
            call,
            to: agent("eve"),
        })),
        closed("bob", turn, CloseReason::HandedOff),
    ];
    assert_eq!(past.last()[2..], expected);
    assert_eq!(
        past.owed(),
        [Effect::Wake {
            agent: agent("eve"),
            not_before: None
        }]
    );
    assert_eq!(last_message(&past), (at(11), Vec::new(), true));
    assert_eq!(
        results(&past, "bob"),
        [(
            "handed_off: The other agent goes on from here.".to_owned(),
            false
        )]
    );
    let past = past.woke("eve").answered("eve", text("@ada Done."));
    assert_eq!(
        (past.owed(), past.world.activity()),
        (Vec::new(), Activity::Idle)
    );
}

#[test]
fn handoff_beside_other_calls_does_not_happen() {
    let both = words("eve", "Why?");
    let past = Past::with(room_that_asks()).bob_calls(&[("hand", &both), ("look", "{}")]);
    assert_eq!(statuses(&past), [CallStatus::NotAlone]);
    assert!(wakes(&past).is_empty() && past.memory("bob").turn.is_some());
}

#[test]
fn handoff_goes_only_to_agents_that_the_tool_names() {
    let mut room = room_that_asks();
    room.tools.get_mut(&tool("hand")).unwrap().kind = ToolKind::Handoff {
        agents: vec![agent("cody")],
    };
    for to in ["eve", "bob", "nobody"] {
        let past = Past::with(room.clone())
            .said("@bob go")
            .woke("bob")
            .answered("bob", hands(to));
        assert_eq!(statuses(&past), [CallStatus::NoSuchAgent], "{to}");
        assert!(goes_on(&past, "bob"));
    }
}

#[test]
fn full_inbox_takes_no_handoff() {
    let mut room = room_that_asks();
    room.limits.inbox_max = 1;
    let past = Past::with(room)
        .said("@eve @bob do it")
        .woke("bob")
        .answered("bob", hands("eve"));
    assert_eq!(
        statuses(&past),
        [CallStatus::Unanswered(UnansweredCause::InboxFull)]
    );
    assert!(goes_on(&past, "bob"));
}

#[test]
fn whoever_takes_over_answers_what_was_asked() {
    let past = asked_in(larger_room(&["mia"]))
        .woke("eve")
        .answered("eve", hands("mia"));
    let call = past.call("bob", 0);
    assert_eq!(
        statuses(&past),
        [CallStatus::HandedOff],
        "bob's call waits on"
    );
    let (_, asks, _) = last_message(&past);
    assert_eq!(asks, [(agent("bob"), call)]);
    let past = past.woke("mia");
    assert_eq!(past.world.answers(&agent("mia")), [agent("bob")].into());
    let past = past.answered("mia", text("@bob Because."));
    let said = past.world.transcript().back().unwrap().at;
    assert_eq!(
        (statuses(&past), wakes(&past)),
        (vec![CallStatus::Answered(said)], Vec::new())
    );
    assert_eq!(results(&past, "bob"), [("@bob Because.".to_owned(), false)]);
}

#[test]
fn question_cannot_be_handed_to_whoever_waits_for_its_answer() {
    let past = bob_asked_eve().woke("eve").answered("eve", hands("bob"));
    assert_eq!(statuses(&past), [CallStatus::WouldDeadlock]);
    let past = asked_in(larger_room(&["mia", "tom"]))
        .said("@tom go")
        .woke("tom")
        .answered("tom", asks(&["bob"]));
    let past = past.woke("eve").answered("eve", hands("tom"));
    assert_eq!(statuses(&past), [CallStatus::WouldDeadlock]);
}

#[test]
fn agent_in_code_hands_over_in_the_commit_that_opens_its_turn() {
    let past = asked_in(larger_room(&["mia"]))
        .woke("eve")
        .answered("eve", asks(&["cody"]));
    let command = past.wake("cody", answer(hands("mia")));
    let past = past.then(command);
    use EventKind::{
        AgentReacted, CallsAdmitted, MessagePosted, MessageRouted, ToolFinished, TurnClosed,
        TurnOpened,
    };
    let expected = [
        TurnOpened,
        AgentReacted,
        CallsAdmitted,
        ToolFinished,
        MessagePosted,
        MessageRouted,
        EventKind::HandedOff,
        TurnClosed,
    ];
    assert_eq!(kinds(&past), expected);
    let past = past.woke("mia").answered("mia", text("From mia."));
    assert_eq!(results(&past, "eve"), [("From mia.".to_owned(), false)]);
}

#[test]
fn stop_of_the_episode_that_a_question_was_handed_over_in_ends_it() {
    let room = larger_room(&["mia"]);
    let past = Past::with(room)
        .said("@eve first")
        .said("@bob do it")
        .woke("bob")
        .answered("bob", asks(&["eve"]));
    let past = past.woke("eve").answered("eve", hands("mia"));
    let past = past.then(Command::of(
        ada(),
        Action::Talk(TalkAction::Stop {
            episode: Some(episode(4)),
        }),
    ));
    assert_eq!(
        statuses(&past),
        [CallStatus::Unanswered(UnansweredCause::Stopped)]
    );
    assert!(goes_on(&past, "bob") && wakes(&past).is_empty());
}
