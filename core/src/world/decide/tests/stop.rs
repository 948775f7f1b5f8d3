use crate::command::{Action, Command, TalkAction};
use crate::event::refusal::RefusalReason;
use crate::event::*;
use crate::ids::principal::Principal;
use crate::spec::Mode;
use crate::testing::*;
use crate::world::effect::Effect;

fn stopped() -> Event {
    Event::Turn(TurnEvent::Stopped(Stopped {
        by: ada(),
        episode: None,
    }))
}

#[test]
fn call_that_has_not_started_is_cancelled() {
    let past = Past::began().bob_calls(&[("write", "{}")]);
    let over = closed("bob", past.turn("bob"), CloseReason::Stopped);
    let then = [
        stopped(),
        ended(past.call("bob", 0), CallStatus::Cancelled),
        over,
    ];
    check(&past, &stop(), &accepted(then));
    let past = past.then(stop());
    assert_eq!(
        (past.owed(), past.world.consent().pending().len()),
        (Vec::new(), 0)
    );
}

#[test]
fn started_call_that_cannot_repeat_may_have_taken_effect() {
    let room = room_with(|spec| spec.policy.mode = Mode::Auto);
    let past = Past::with(room)
        .bob_calls(&[("write", "{}")])
        .started("bob", 0, 1);
    let (call, over) = (
        past.call("bob", 0),
        closed("bob", past.turn("bob"), CloseReason::Stopped),
    );
    let request = crate::ids::RequestId(past.world.head().plus(2));
    let told = notice(
        Notice::OutcomeUnknown {
            agent: agent("bob"),
            request,
        },
        4,
    );
    let ended = cut(call, 1, CallStatus::Unknown(UnknownCause::Stopped));
    check(
        &past,
        &stop(),
        &accepted([
            stopped(),
            unknown(call, UnknownCause::Stopped),
            ended,
            told,
            over,
        ]),
    );
}

#[test]
fn news_that_nobody_took_up_is_set_aside() {
    let past = Past::began().said("@bob hi").then(stop());
    assert_eq!((past.owed(), past.last()), (Vec::new(), &[stopped()][..]));
}

#[test]
fn only_the_named_episode_stops() {
    let past = Past::began().said("@bob hi").said("@eve hi");
    let past = past.then(Command::of(
        ada(),
        Action::Talk(TalkAction::Stop {
            episode: Some(episode(4)),
        }),
    ));
    assert_eq!(
        past.owed(),
        [Effect::Wake {
            agent: agent("eve"),
            not_before: None
        }]
    );
}

#[test]
fn message_of_another_episode_that_a_stopped_turn_took_up_is_answered_in_a_turn_of_its_own() {
    let past = Past::began()
        .said("@bob go")
        .said("@bob and this")
        .woke("bob");
    let past = past.then(Command::of(
        ada(),
        Action::Talk(TalkAction::Stop {
            episode: Some(episode(4)),
        }),
    ));
    assert_eq!(
        past.owed(),
        [Effect::Wake {
            agent: agent("bob"),
            not_before: None
        }]
    );
    let past = past.woke("bob");
    let news = past
        .memory("bob")
        .turn
        .as_ref()
        .unwrap()
        .news
        .iter()
        .map(|message| message.at);
    assert_eq!(news.collect::<Vec<_>>(), [at(6)]);
    let past = past.then(stop());
    assert_eq!(past.owed(), []);
}

#[test]
fn there_must_be_something_to_stop_and_somebody_with_the_right() {
    let idle = Past::began();
    let reason = RefusalReason::NothingToStop;
    check(
        &idle,
        &stop(),
        &recorded(reason, [refused(&stop(), reason, None)]),
    );
    let busy = Past::began().said("@bob hi");
    let command = Command::of(Principal::Agent(agent("eve")), stop().action);
    let reason = RefusalReason::NotAPerson;
    check(
        &busy,
        &command,
        &recorded(reason, [refused(&command, reason, None)]),
    );
}

#[test]
fn episode_that_was_taken_up_with_another_can_be_stopped_and_the_other_goes_on() {
    let past = Past::began()
        .said("@bob go")
        .said("@bob and this")
        .woke("bob");
    let past = past.then(Command::of(
        ada(),
        Action::Talk(TalkAction::Stop {
            episode: Some(episode(6)),
        }),
    ));
    assert!(past.memory("bob").turn.is_none());
    let waiting: Vec<_> = past
        .memory("bob")
        .inbox
        .iter()
        .map(|message| message.at)
        .collect();
    assert_eq!(waiting, [at(4)]);
}
