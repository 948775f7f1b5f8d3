use crate::command::{Action, Command, TalkAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::principal::Principal;
use crate::ids::{MessageId, RequestId};
use crate::model::response::ModelErrorKind;
use crate::prompt::Item;
use crate::spec::Mode;
use crate::testing::*;
use crate::tool::ToolOutcome;
use crate::world::effect::Effect;

fn retracted(message: u64, gone: &[u64]) -> Event {
    let gone = gone.iter().copied().map(at).collect();
    Event::Talk(TalkEvent::MessageRetracted(MessageRetracted {
        message: MessageId(at(message)),
        at: at(message),
        gone,
    }))
}

fn broken(name: &str) -> Event {
    Event::Turn(TurnEvent::PrefixBroken(PrefixBroken {
        agent: agent(name),
        cause: PrefixCause::Retraction,
        dropped: 0,
    }))
}

fn heard(from: &str, said: &str) -> Item {
    Item::Heard {
        from: from.into(),
        text: said.into(),
        attachments: Vec::new(),
    }
}

fn items(past: &Past, name: &str) -> Vec<Item> {
    past.memory(name)
        .items
        .iter()
        .map(|kept| kept.item.as_ref().clone())
        .collect()
}

fn room(past: &Past) -> Vec<u64> {
    past.world
        .transcript()
        .iter()
        .map(|message| message.at.get())
        .collect()
}

/// Ada says something to bob, bob to eve, eve to cody, and cody answers: at 4, 9, 15 and 20.
fn chain() -> Past {
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", text("@eve go on"));
    let past = past.woke("eve").answered("eve", text("@cody and you"));
    let wake = past.wake("cody", answer(text("done")));
    past.then(wake)
}

#[test]
fn approval_behind_it_is_closed_with_its_turn() {
    let past = Past::began().bob_calls(&[("write", "{}")]);
    let (call, over) = (
        past.call("bob", 0),
        closed("bob", past.turn("bob"), CloseReason::Superseded),
    );
    let request = past.request();
    check(
        &past,
        &retract(4),
        &accepted([
            retracted(4, &[4]),
            ended(call, CallStatus::Superseded),
            over,
        ]),
    );
    let past = past.then(retract(4));
    assert_eq!(
        (past.owed(), items(&past, "bob"), room(&past)),
        (Vec::new(), Vec::new(), Vec::new())
    );
    assert_eq!(
        past.world.consent().settled()[&request].reason,
        RefusalReason::Closed
    );
    let past = past.then_refused(allow(request));
    assert_eq!(past.owed(), Vec::<Effect>::new());
}

#[test]
fn started_call_that_cannot_repeat_may_have_taken_effect() {
    let room = room_with(|spec| spec.policy.mode = Mode::Auto);
    let past = Past::with(room)
        .bob_calls(&[("write", "{}")])
        .started("bob", 0, 1);
    let (call, over) = (
        past.call("bob", 0),
        closed("bob", past.turn("bob"), CloseReason::Superseded),
    );
    let request = RequestId(past.world.head().plus(2));
    let told = notice(
        Notice::OutcomeUnknown {
            agent: agent("bob"),
            request,
        },
        4,
    );
    let ended = cut(call, 1, CallStatus::Unknown(UnknownCause::Superseded));
    let late = past.finish("bob", 0, 1, ToolOutcome::text("written"));
    let then = [
        retracted(4, &[4]),
        unknown(call, UnknownCause::Superseded),
        ended,
        told,
        over,
    ];
    check(&past, &retract(4), &accepted(then));
    let past = past.then(retract(4));
    assert_eq!(
        (past.owed(), past.world.consent().pending().len()),
        (Vec::new(), 1)
    );
    let past = past.then(late);
    assert_eq!(past.world.consent().pending().len(), 0);
    assert!(
        matches!(items(&past, "bob")[..], [Item::Notice { .. }]),
        "what took effect stays true"
    );
}

#[test]
fn started_call_that_may_repeat_is_cut_off() {
    let past = Past::began()
        .bob_calls(&[("look", "{}")])
        .started("bob", 0, 1);
    let (call, over) = (
        past.call("bob", 0),
        closed("bob", past.turn("bob"), CloseReason::Superseded),
    );
    check(
        &past,
        &retract(4),
        &accepted([
            retracted(4, &[4]),
            cut(call, 1, CallStatus::Superseded),
            over,
        ]),
    );
}

#[test]
fn news_that_stay_wake_their_agent_again_and_are_not_heard_twice() {
    let past = Past::began()
        .said("@bob one")
        .said("@bob two")
        .woke("bob")
        .answered("bob", calls(&[("write", "{}")]));
    let past = past.then(retract(4));
    let wake = Effect::Wake {
        agent: agent("bob"),
        not_before: None,
    };
    assert_eq!(past.owed(), [wake]);
    let past = past.woke("bob");
    let opened = turn_opened("bob", 13, 15, &[6]);
    assert_eq!(past.last()[..2], [opened, broken("bob")]);
    assert!(
        matches!(&items(&past, "bob")[..], [two, Item::Said { .. }, Item::Result { .. }]
        if *two == heard("ada", "@bob two"))
    );
    let past = past
        .answered("bob", text("fine"))
        .said("@bob three")
        .woke("bob");
    assert!(
        matches!(
            past.last(),
            [
                Event::Turn(TurnEvent::TurnOpened(_)),
                Event::Turn(TurnEvent::ModelCalled(_))
            ]
        ),
        "it is told once"
    );
}

#[test]
fn news_that_stay_are_heard_again_if_they_were_forgotten_since() {
    let past = Past::with(room_with(|spec| spec.limits.items_max = 4));
    let past = past
        .said("@bob one")
        .woke("bob")
        .answered("bob", text("a"))
        .said("@bob two")
        .woke("bob");
    let past = past.answered(
        "bob",
        calls(&[("look", "{}"), ("look", "{}"), ("look", "{}")]),
    );
    let past = past
        .started("bob", 0, 1)
        .finished("bob", 0, 1, ToolOutcome::text("x"));
    let past = past
        .started("bob", 1, 1)
        .finished("bob", 1, 1, ToolOutcome::text("x"));
    let past = past
        .started("bob", 2, 1)
        .finished("bob", 2, 1, ToolOutcome::text("x"))
        .carried_on("bob");
    assert!(!items(&past, "bob").contains(&heard("ada", "@bob two")));
    let past = past.answered("bob", text("b"));
    let reply = past.world.transcript().back().unwrap().id.0.get();
    let past = past.then(regenerate(reply)).woke("bob");
    assert_eq!(items(&past, "bob"), [heard("ada", "@bob two")]);
}

#[test]
fn message_leaves_the_inbox_that_it_waits_in() {
    let past = Past::began().said("@bob one").said("@bob two");
    check(&past, &retract(4), &accepted([retracted(4, &[4])]));
    let past = past.then(retract(4));
    let inbox: Vec<_> = past
        .memory("bob")
        .inbox
        .iter()
        .map(|message| message.at)
        .collect();
    assert_eq!(inbox, [at(6)]);
    let past = past.then(retract(6));
    assert_eq!((past.owed(), past.world.episodes().len()), (Vec::new(), 0));
}

#[test]
fn model_that_is_being_asked_about_it_answers_in_vain() {
    let past = Past::began().said("@bob hi").woke("bob");
    let (late, over) = (
        past.answer("bob", text("fine")),
        closed("bob", past.turn("bob"), CloseReason::Superseded),
    );
    check(&past, &retract(4), &accepted([retracted(4, &[4]), over]));
    let past = past.then(retract(4));
    assert_eq!((past.owed(), items(&past, "bob")), (Vec::new(), Vec::new()));
    check(&past, &late, &quietly(Refusal::Stale));
}

#[test]
fn request_that_is_under_way_for_something_else_stays_as_it_is_and_the_next_one_says_so() {
    let past = Past::began()
        .said("@bob one")
        .said("@eve two")
        .woke("bob")
        .woke("eve");
    let (turn, asked) = (
        past.memory("eve").turn.clone(),
        past.world.model_ask(&agent("eve")),
    );
    let past = past.then(retract(4));
    assert_eq!(past.memory("eve").turn, turn);
    assert_eq!(past.world.model_ask(&agent("eve")), asked);
    let past = past.answered("eve", calls(&[("look", "{}")]));
    assert!(!items(&past, "eve").contains(&heard("ada", "@bob one")));
    let past = past
        .started("eve", 0, 1)
        .finished("eve", 0, 1, ToolOutcome::text("seen"))
        .carried_on("eve");
    assert_eq!(past.last()[0], broken("eve"));
    let past = past
        .answered("eve", text("fine"))
        .said("@eve three")
        .woke("eve");
    assert!(
        matches!(
            past.last(),
            [
                Event::Turn(TurnEvent::TurnOpened(_)),
                Event::Turn(TurnEvent::ModelCalled(_))
            ]
        ),
        "it is told once"
    );
}

#[test]
fn further_attempt_of_a_request_leaves_it_out() {
    let past = Past::began()
        .said("@bob one")
        .said("@eve two")
        .woke("bob")
        .woke("eve");
    let failed = past
        .clone()
        .then(retract(4))
        .model_failed("eve", ModelErrorKind::Overload)
        .after_ms(60_000);
    let waits = past
        .clone()
        .model_failed("eve", ModelErrorKind::Overload)
        .then(retract(4))
        .after_ms(60_000);
    let crashed = past.clone().then(retract(4)).crashed();
    let crashed_before = past.crashed().then(retract(4));
    for past in [failed, waits, crashed, crashed_before] {
        let retry = past.retry("eve");
        let past = past.then(retry);
        assert!(
            matches!(past.last(), [first, Event::Turn(TurnEvent::ModelCalled(_))] if *first == broken("eve"))
        );
        assert_eq!(items(&past, "eve"), [heard("ada", "@eve two")]);
    }
}

#[test]
fn whole_chain_of_answers_goes_with_it() {
    let past = chain();
    assert_eq!(room(&past), [4, 9, 15, 20]);
    check(
        &past,
        &retract(4),
        &accepted([retracted(4, &[4, 9, 15, 20])]),
    );
    let past = past.then(retract(4));
    for name in ["bob", "eve", "cody"] {
        assert_eq!(items(&past, name), Vec::new());
    }
    assert_eq!((past.owed(), room(&past)), (Vec::new(), Vec::new()));
}

#[test]
fn agents_message_goes_with_what_its_turn_did_and_its_news_stay() {
    let past = Past::began()
        .bob_calls(&[("look", "{}")])
        .started("bob", 0, 1);
    let past = past
        .finished("bob", 0, 1, ToolOutcome::text("seen"))
        .carried_on("bob");
    let past = past
        .answered("bob", text("@eve go on"))
        .woke("eve")
        .answered("eve", text("@cody and you"));
    let at = room(&past);
    check(
        &past,
        &retract(at[1]),
        &accepted([retracted(at[1], &at[1..])]),
    );
    let past = past.then(retract(at[1]));
    assert_eq!(room(&past), [4]);
    assert_eq!(items(&past, "bob"), [heard("ada", "@bob do it")]);
    assert_eq!(items(&past, "eve"), [heard("ada", "@bob do it")]);
    assert_eq!(past.owed(), Vec::<Effect>::new());
    assert!(
        past.said("@bob again")
            .woke("bob")
            .last()
            .contains(&broken("bob"))
    );
}

#[test]
fn answer_that_also_answers_something_that_stays_stays_until_that_goes_too() {
    let past = Past::began()
        .said("@bob one")
        .said("@bob two")
        .woke("bob")
        .answered("bob", text("fine"));
    let past = past.then(retract(4));
    assert_eq!(room(&past), [6, 11]);
    let said = Item::Said {
        parts: vec![crate::model::response::Part::Text("fine".to_owned())],
    };
    assert_eq!(items(&past, "bob"), [heard("ada", "@bob two"), said]);
    check(&past, &retract(6), &accepted([retracted(6, &[6, 11])]));
    assert_eq!(items(&past.then(retract(6)), "bob"), Vec::new());
}

#[test]
fn other_episodes_go_on_untouched() {
    let past = Past::began()
        .said("@bob one")
        .woke("bob")
        .answered("bob", calls(&[("write", "{}")]));
    let past = past
        .said("@eve two")
        .woke("eve")
        .answered("eve", calls(&[("write", "{}")]));
    let (turn, calls) = (
        past.memory("eve").turn.clone(),
        past.memory("eve").open_calls.clone(),
    );
    let request = *past.world.consent().pending().keys().last().unwrap();
    let past = past.then(retract(4));
    assert_eq!(
        (&past.memory("eve").turn, &past.memory("eve").open_calls),
        (&turn, &calls)
    );
    let past = past
        .then(decide_of("eve", request, Verdict::Allow))
        .started("eve", 0, 1);
    assert_eq!(
        past.world.episodes().keys().copied().collect::<Vec<_>>(),
        [episode(11)]
    );
}

#[test]
fn crash_right_after_it_changes_nothing() {
    let past = Past::began()
        .said("@bob one")
        .said("@bob two")
        .woke("bob")
        .then(retract(4));
    let after = past.clone().crashed();
    assert_eq!(
        (after.owed(), room(&after), items(&after, "bob")),
        (past.owed(), room(&past), items(&past, "bob"))
    );
    let past = after.woke("bob").answered("bob", text("fine"));
    assert_eq!(past.world.transcript().back().unwrap().because[..], [at(6)]);
}

#[test]
fn agent_in_code_that_was_told_what_is_gone_is_told_anew() {
    let past = Past::began().said("@cody one").said("@cody two");
    let late = past.wake("cody", answer(text("to both")));
    let past = past.then(retract(4));
    check(&past, &late, &quietly(Refusal::Stale));
    let again = past.wake("cody", answer(text("to one")));
    assert_eq!(
        past.then(again).world.transcript().back().unwrap().because[..],
        [at(6)]
    );
}

#[test]
fn people_take_back_their_own_messages_and_those_of_agents_and_the_world_all() {
    let past = chain();
    let kim = |command: &Command| of(Principal::Person(person("kim")), command);
    let joined = Event::World(WorldEvent::PersonJoined(PersonJoined {
        person: person("kim"),
    }));
    check(
        &past,
        &kim(&retract(20)),
        &accepted([joined, retracted(20, &[20])]),
    );
    check(
        &past,
        &of(Principal::World, &retract(4)),
        &accepted([retracted(4, &[4, 9, 15, 20])]),
    );
    let impostor = crate::ids::principal::Person {
        subject: "other".to_owned(),
        ..person("ada")
    };
    let impostor = of(Principal::Person(impostor), &retract(4));
    for command in [kim(&retract(4)), impostor] {
        let reason = RefusalReason::NotYours;
        check(
            &past,
            &command,
            &recorded(reason, [refused(&command, reason, None)]),
        );
    }
    let world = Command::of(Principal::World, post("@bob hi").action);
    let past = past.then(world);
    let command = retract(*room(&past).last().unwrap());
    let reason = RefusalReason::NotYours;
    check(
        &past,
        &command,
        &recorded(reason, [refused(&command, reason, None)]),
    );
}

#[test]
fn nobody_else_takes_anything_back() {
    let past = chain();
    let called_bob = Principal::Person(person("bob"));
    let others = [
        Principal::Agent(agent("bob")),
        Principal::Tool(tool("look")),
        Principal::Runtime,
        called_bob,
    ];
    for principal in others {
        for command in [retract(9), regenerate(9), edit(4, "no")] {
            let (command, reason) = (of(principal.clone(), &command), RefusalReason::NotAPerson);
            check(
                &past,
                &command,
                &recorded(reason, [refused(&command, reason, None)]),
            );
        }
    }
}

#[test]
fn what_is_gone_or_never_was_is_not_taken_back() {
    let past = chain().then(retract(9));
    for id in [9, 15, 99] {
        for command in [retract(id), regenerate(id), edit(id, "no")] {
            check(
                &past,
                &command,
                &quietly(Refusal::NoSuchMessage { message: at(id) }),
            );
        }
    }
    let (text, attachments, reply_to) = ("why?".to_owned(), Vec::new(), Some(MessageId(at(9))));
    let reply = Command::of(
        ada(),
        Action::Talk(TalkAction::PostMessage {
            text,
            attachments,
            reply_to,
        }),
    );
    check(
        &past,
        &reply,
        &quietly(Refusal::NoSuchMessage { message: at(9) }),
    );
}

#[test]
fn deliveries_that_failed_are_forgotten_with_what_was_to_be_delivered() {
    let past = Past::began().said("@cody one");
    let failed = past.fail_agent("cody");
    let past = past.then(failed);
    assert!(matches!(
        past.owed()[..],
        [Effect::Wake {
            not_before: Some(_),
            ..
        }]
    ));
    let past = past.then(retract(4)).said("@cody two");
    assert_eq!(
        past.owed(),
        [Effect::Wake {
            agent: agent("cody"),
            not_before: None
        }]
    );
}
