//! Questions from agent to agent, whose messages are taken back.

use crate::event::*;
use crate::prompt::Item;
use crate::prompt::border::Fence;
use crate::testing::*;
use crate::world::effect::Effect;
use crate::world::memory::CallState;

const QUESTION: &str = "{\"agent\":\"eve\",\"text\":\"where?\"}";

/// Ada says something to bob, and he asks eve.
fn asked() -> Past {
    Past::with(room_that_asks())
        .said("@bob do it")
        .woke("bob")
        .answered("bob", calls(&[("ask", QUESTION)]))
}

fn question(past: &Past) -> u64 {
    past.world.transcript().back().unwrap().at.get()
}

fn wakes(past: &Past) -> Vec<Effect> {
    past.owed()
        .into_iter()
        .filter(|effect| !matches!(effect, Effect::TickAt { .. }))
        .collect()
}

fn wake(name: &str) -> Effect {
    Effect::Wake {
        agent: agent(name),
        not_before: None,
    }
}

fn waits(past: &Past) -> bool {
    let mut calls = past.memory("bob").open_calls.values();
    calls.any(|call| matches!(call.state, CallState::AwaitsAgent { .. }))
}

/// What bob's call gave in the end.
fn result(past: &Past) -> Option<String> {
    past.memory("bob").items.iter().rev().find_map(|kept| {
        if let Item::Result { text, .. } = &*kept.item {
            Some(Fence::ToolOutput.inside(text).to_owned())
        } else {
            None
        }
    })
}

#[test]
fn question_goes_with_the_message_that_led_to_it() {
    for past in [asked(), asked().woke("eve")] {
        let past = past.then(retract(4));
        assert_eq!(
            (past.owed(), past.world.transcript().len()),
            (Vec::new(), 0)
        );
        assert_eq!(
            (
                past.memory("bob").items.len(),
                past.memory("eve").items.len()
            ),
            (0, 0)
        );
    }
}

#[test]
fn question_that_is_taken_back_itself_ends_the_turn_that_asks_it() {
    for past in [asked(), asked().woke("eve")] {
        let (asks, turn) = (question(&past), past.turn("bob"));
        let past = past.then(retract(asks));
        assert!(
            past.last()
                .contains(&closed("bob", turn, CloseReason::Superseded))
        );
        assert_eq!(
            (past.owed(), past.world.transcript().len()),
            (Vec::new(), 1)
        );
        assert_eq!(past.memory("bob").items.len(), 1);
        assert_eq!(
            past.said("@bob well?")
                .woke("bob")
                .memory("bob")
                .items
                .len(),
            2
        );
    }
}

#[test]
fn question_that_stays_is_answered_once_its_agent_has_begun_anew() {
    let past = asked();
    let question = question(&past);
    let past = past.said("@eve go home").woke("eve");
    let news: Vec<u64> = past
        .memory("eve")
        .turn
        .as_ref()
        .unwrap()
        .because
        .iter()
        .map(|at| at.get())
        .collect();
    let [first, second] = news[..] else { panic!() };
    assert_eq!(first, question);
    let past = past.then(retract(second));
    assert_eq!((wakes(&past), waits(&past)), (vec![wake("eve")], true));
    let past = past.woke("eve").answered("eve", text("here"));
    assert_eq!(result(&past), Some("here".to_owned()));
}

#[test]
fn handoff_that_is_taken_back_leaves_the_question_unanswered() {
    let past = asked().woke("eve").answered(
        "eve",
        calls(&[("hand", "{\"agent\":\"cody\",\"text\":\"you\"}")]),
    );
    assert!(waits(&past));
    let handoff = question(&past);
    let past = past.then(retract(handoff));
    let status = CallStatus::Unanswered(UnansweredCause::Stopped);
    assert!(past.last().iter().any(
        |event| matches!(event, Event::Call(CallEvent::ToolFinished(end)) if end.status == status)
    ));
    assert!(
        matches!(wakes(&past)[..], [Effect::Continue { .. }]),
        "bob goes on without it"
    );
}

#[test]
fn handoff_that_is_made_anew_keeps_the_question_open() {
    let past = asked().woke("eve").answered(
        "eve",
        calls(&[("hand", "{\"agent\":\"cody\",\"text\":\"you\"}")]),
    );
    let handoff = question(&past);
    let past = past.then(regenerate(handoff));
    assert_eq!((wakes(&past), waits(&past)), (vec![wake("eve")], true));
    let asked = past.memory("bob").open_calls.values().find_map(|call| {
        if let CallState::AwaitsAgent { asked, .. } = &call.state {
            Some(asked.clone())
        } else {
            None
        }
    });
    assert_eq!(asked, Some(agent("eve")));
    let past = past.woke("eve").answered("eve", text("here after all"));
    assert_eq!(result(&past), Some("here after all".to_owned()));
}

#[test]
fn question_is_unanswered_if_the_turn_that_would_have_answered_it_ends_with_its_own_question() {
    let past = asked().woke("eve").answered(
        "eve",
        calls(&[("ask", "{\"agent\":\"cody\",\"text\":\"you?\"}")]),
    );
    let further = question(&past);
    let past = past.then(retract(further));
    let status = CallStatus::Unanswered(UnansweredCause::Stopped);
    let call = past.call("bob", 0);
    let is_told = |event: &Event| matches!(event, Event::Call(CallEvent::ToolFinished(end)) if end.status == status && end.call == call);
    assert!(past.last().iter().any(is_told));
    assert!(
        matches!(wakes(&past)[..], [Effect::Continue { .. }]),
        "bob goes on without it"
    );
}
