//! Questions without an answer.

use crate::command::{ShellAction, TalkAction};
use crate::event::TurnEvent;
use crate::world::decide::tests::asks::*;

fn unanswered(cause: UnansweredCause) -> [CallStatus; 1] {
    [CallStatus::Unanswered(cause)]
}

#[test]
fn agent_that_has_nothing_to_say_gives_no_answer() {
    let past = bob_asked_eve()
        .woke("eve")
        .answered("eve", LLMResponse::Text(Reply::default()));
    assert_eq!(statuses(&past), unanswered(UnansweredCause::Passed));
    let text = "unanswered: The agent gave no answer. It had nothing to say.".to_owned();
    assert_eq!(results(&past, "bob"), [(text, true)]);
    assert!(goes_on(&past, "bob"));
    let past = Past::with(room_that_asks())
        .said("@bob do it")
        .woke("bob")
        .answered("bob", asks(&["cody"]));
    let command = past.wake("cody", Reaction::Pass { note: None });
    assert_eq!(
        statuses(&past.then(command)),
        unanswered(UnansweredCause::Passed)
    );
}

#[test]
fn agent_that_fails_gives_no_answer() {
    let past = bob_asked_eve()
        .woke("eve")
        .model_failed("eve", ModelErrorKind::RefusesRequest);
    assert_eq!(statuses(&past), unanswered(UnansweredCause::Failed));
    let mut past = Past::with(room_that_asks())
        .said("@bob do it")
        .woke("bob")
        .answered("bob", asks(&["cody"]));
    for _ in 0..3 {
        let command = past.fail_agent("cody");
        past = past.then(command).after_ms(5_000);
    }
    assert_eq!(statuses(&past), unanswered(UnansweredCause::Failed));
}

#[test]
fn agent_that_can_afford_no_call_gives_no_answer() {
    let mut room = room_that_asks();
    room.limits.model_calls_per_agent = 2;
    let past = Past::with(room)
        .said("@eve @bob go")
        .woke("eve")
        .answered("eve", calls(&[("look", "{}")]));
    let past = past
        .started("eve", 0, 1)
        .finished("eve", 0, 1, ToolOutcome::text("seen"))
        .carried_on("eve");
    let past = past
        .answered("eve", text("Mine."))
        .woke("bob")
        .answered("bob", asks(&["eve"]))
        .woke("eve");
    use EventKind::{NoticePosted, ToolFinished, TurnDeclined};
    assert_eq!(kinds(&past), [TurnDeclined, NoticePosted, ToolFinished]);
    assert_eq!(statuses(&past), unanswered(UnansweredCause::Limit));
}

#[test]
fn agent_at_its_limit_gives_no_answer() {
    let mut room = room_that_asks();
    room.limits.model_calls_per_agent = 2;
    let past = asked_in(room)
        .woke("eve")
        .answered("eve", calls(&[("look", "{}")]))
        .started("eve", 0, 1);
    let past = past
        .finished("eve", 0, 1, ToolOutcome::text("seen"))
        .carried_on("eve");
    let past = past.answered("eve", calls(&[("look", "{}")]));
    assert_eq!(
        statuses(&past),
        [
            CallStatus::ToolsDisabled,
            CallStatus::Unanswered(UnansweredCause::Limit)
        ]
    );
}

#[test]
fn stop_takes_both_and_the_question_is_cancelled() {
    for past in [bob_asked_eve(), bob_asked_eve().woke("eve")] {
        let past = past.then(stop());
        assert_eq!(statuses(&past), [CallStatus::Cancelled]);
        assert_eq!(
            (past.owed(), past.world.activity()),
            (Vec::new(), Activity::Idle)
        );
    }
    // Whichever of the two comes first by name.
    let past = Past::with(room_that_asks())
        .said("@eve do it")
        .woke("eve")
        .answered("eve", asks(&["bob"]))
        .woke("bob");
    let (call, eve, bob) = (past.call("eve", 0), past.turn("eve"), past.turn("bob"));
    let stopped = Event::Turn(TurnEvent::Stopped(Stopped {
        by: ada(),
        episode: None,
    }));
    let [one, other] =
        [("bob", bob), ("eve", eve)].map(|(name, turn)| closed(name, turn, CloseReason::Stopped));
    check(
        &past,
        &stop(),
        &accepted([
            stopped,
            ended_for("eve", call, CallStatus::Cancelled),
            one,
            other,
        ]),
    );
}

#[test]
fn stop_of_the_other_ones_episode_ends_the_question_unanswered() {
    // Eve has news of an earlier episode, to which her turn belongs.
    let past = Past::with(room_that_asks())
        .said("@eve first")
        .said("@bob do it")
        .woke("bob");
    let past = past.answered("bob", asks(&["eve"])).woke("eve");
    let past = past.then(Command::of(
        ada(),
        Action::Talk(TalkAction::Stop {
            episode: Some(episode(4)),
        }),
    ));
    assert_eq!(statuses(&past), unanswered(UnansweredCause::Stopped));
    assert!(goes_on(&past, "bob"));
}

#[test]
fn stop_of_the_askers_episode_leaves_the_other_with_what_else_it_was_told() {
    let past = Past::with(room_that_asks())
        .said("@eve first")
        .said("@bob do it")
        .woke("bob");
    let past = past.answered("bob", asks(&["eve"])).woke("eve");
    let past = past.then(Command::of(
        ada(),
        Action::Talk(TalkAction::Stop {
            episode: Some(episode(6)),
        }),
    ));
    assert_eq!(
        (statuses(&past), wakes(&past)),
        (vec![CallStatus::Cancelled], vec![agent("eve")])
    );
    let past = past
        .woke("eve")
        .answered("eve", text("First things first."));
    assert_eq!(
        (statuses(&past), wakes(&past)),
        (Vec::new(), Vec::new()),
        "nobody waits for it any more"
    );
}

#[test]
fn newer_message_in_the_askers_place_supersedes_the_question() {
    let mut room = room_that_asks();
    room.policy.while_waiting = WhileWaiting::Supersede;
    let both = words("eve", "Why?");
    let past = Past::with(room)
        .bob_calls(&[("write", "{}"), ("ask", &both)])
        .woke("eve")
        .said("@bob leave it");
    assert_eq!(
        statuses(&past),
        [CallStatus::Superseded, CallStatus::Superseded]
    );
    let past = past.answered("eve", text("Because."));
    assert_eq!(
        (statuses(&past), wakes(&past)),
        (Vec::new(), vec![agent("bob")])
    );
}

#[test]
fn newer_message_in_the_other_ones_place_ends_the_question_unanswered() {
    let mut room = room_that_asks();
    room.policy.while_waiting = WhileWaiting::Supersede;
    let past = asked_in(room)
        .woke("eve")
        .answered("eve", calls(&[("write", "{}")]))
        .said("@eve leave it");
    assert_eq!(
        statuses(&past),
        [
            CallStatus::Superseded,
            CallStatus::Unanswered(UnansweredCause::Stopped)
        ]
    );
    assert!(goes_on(&past, "bob"));
}

#[test]
fn question_expires_and_its_late_answer_is_an_ordinary_reply() {
    let past = bob_asked_eve().woke("eve").after_ms(15 * 60_000);
    let call = past.call("bob", 0);
    let over = ended_for(
        "bob",
        call,
        CallStatus::Unanswered(UnansweredCause::Expired),
    );
    check(
        &past,
        &runtime(Action::Shell(ShellAction::Tick)),
        &accepted([over]),
    );
    let past = past
        .then(runtime(Action::Shell(ShellAction::Tick)))
        .carried_on("bob")
        .answered("bob", text("Without her."));
    let past = past.answered("eve", text("@bob Because."));
    assert_eq!(
        (statuses(&past), wakes(&past)),
        (Vec::new(), vec![agent("bob")])
    );
    assert_eq!(
        heard(&past.woke("bob"), "bob"),
        ["@bob do it", "@bob Because."]
    );
}

#[test]
fn nothing_expires_before_its_time() {
    let past = bob_asked_eve().after_ms(15 * 60_000 - 1);
    check(
        &past,
        &runtime(Action::Shell(ShellAction::Tick)),
        &accepted([]),
    );
}

#[test]
fn delivery_that_three_processes_died_of_ends_the_question_too() {
    let past = Past::with(room_that_asks())
        .said("@bob do it")
        .woke("bob")
        .answered("bob", asks(&["cody"]));
    let past = past.crashed().crashed().crashed();
    assert_eq!(statuses(&past), unanswered(UnansweredCause::Failed));
}

/// The last message of the room.
fn last_id(past: &Past) -> u64 {
    past.world.transcript().back().unwrap().at.get()
}

#[test]
fn question_goes_with_the_message_that_it_was_asked_for() {
    let past = Past::with(room_that_asks()).said("@bob do it");
    let first = last_id(&past);
    let past = past.woke("bob").answered("bob", asks(&["eve"]));
    for past in [past.clone(), past.woke("eve")] {
        let past = past.then(retract(first));
        assert_eq!(statuses(&past), [CallStatus::Superseded]);
        assert_eq!(
            (past.owed(), past.world.activity()),
            (Vec::new(), Activity::Idle)
        );
    }
}

#[test]
fn handoff_that_is_taken_back_ends_the_question_that_it_passed_on() {
    let past = asked_in(larger_room(&["mia"]))
        .woke("eve")
        .answered("eve", turns_to("hand", &["mia"]));
    let past = past.clone().then(retract(last_id(&past)));
    assert_eq!(statuses(&past), unanswered(UnansweredCause::Stopped));
    assert!(goes_on(&past, "bob"));
    assert_eq!(wakes(&past), []);
}

#[test]
fn handoff_that_is_made_anew_leaves_the_question_to_the_agent_that_passed_it_on() {
    let past = asked_in(larger_room(&["mia", "tom"]))
        .woke("eve")
        .answered("eve", turns_to("hand", &["mia"]));
    let first = last_id(&past);
    let anew = past.clone().then(regenerate(first));
    assert_eq!(
        (statuses(&anew), wakes(&anew)),
        (Vec::new(), vec![agent("eve")])
    );
    let past = past
        .said("@mia one more thing")
        .woke("mia")
        .answered("mia", turns_to("hand", &["tom"]));
    for past in [anew, past.then(regenerate(first))] {
        let past = past.woke("eve").answered("eve", text("It is mine again."));
        assert_eq!(
            results(&past, "bob"),
            [("It is mine again.".to_owned(), false)]
        );
    }
}
