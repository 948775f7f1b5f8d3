use crate::event::refusal::RefusalReason;
use crate::event::*;
use crate::ids::MessageId;
use crate::model::response::Part;
use crate::prompt::Item;
use crate::spec::WorldSpec;
use crate::testing::*;
use crate::tool::ToolOutcome;
use crate::world::effect::Effect;

fn regenerated(message: u64, gone: &[u64], news: &[u64]) -> Event {
    Event::Talk(TalkEvent::ReplyRegenerated(ReplyRegenerated {
        message: MessageId(at(message)),
        at: at(message),
        gone: gone.iter().copied().map(at).collect(),
        agent: agent("bob"),
        news: news.iter().copied().map(at).collect(),
    }))
}

fn no_reply(past: &Past, message: u64) {
    let (command, reason) = (regenerate(message), RefusalReason::NoReply);
    check(
        past,
        &command,
        &recorded(reason, [refused(&command, reason, None)]),
    );
}

fn last(past: &Past) -> u64 {
    past.world.transcript().back().unwrap().id.0.get()
}

fn answered() -> Past {
    Past::began()
        .said("@bob one")
        .said("@bob two")
        .woke("bob")
        .answered("bob", text("fine"))
}

#[test]
fn same_news_open_a_new_turn_in_an_episode_of_their_own() {
    let past = answered();
    check(
        &past,
        &regenerate(11),
        &accepted([regenerated(11, &[11], &[4, 6])]),
    );
    let past = past.then(regenerate(11));
    assert_eq!(
        past.owed(),
        [Effect::Wake {
            agent: agent("bob"),
            not_before: None
        }]
    );
    let past = past.woke("bob");
    let broken = Event::Turn(TurnEvent::PrefixBroken(PrefixBroken {
        agent: agent("bob"),
        cause: PrefixCause::Retraction,
        dropped: 0,
    }));
    assert_eq!(
        past.last()[..2],
        [turn_opened("bob", 14, 14, &[4, 6]), broken]
    );
    let heard = |text: &str| Item::Heard {
        from: "ada".into(),
        text: text.into(),
        attachments: Vec::new(),
    };
    let said = Item::Said {
        parts: vec![Part::Text("better".to_owned())],
    };
    let past = past.answered("bob", text("better"));
    let items: Vec<_> = past
        .memory("bob")
        .items
        .iter()
        .map(|kept| kept.item.as_ref().clone())
        .collect();
    assert_eq!(items, [heard("@bob one"), heard("@bob two"), said]);
    assert_eq!(past.world.transcript().len(), 3);
}

#[test]
fn reply_is_made_anew_as_often_as_people_like() {
    let mut past = answered();
    for _ in 0..10 {
        let reply = last(&past);
        past = past
            .then(regenerate(reply))
            .woke("bob")
            .answered("bob", text("again"));
        assert_eq!(
            past.world.transcript().back().unwrap().because[..],
            [at(4), at(6)]
        );
    }
    assert_eq!(
        (
            past.world.transcript().len(),
            past.memory("bob").items.len()
        ),
        (3, 3)
    );
    assert_eq!(past.world.episodes().len(), 0);
}

#[test]
fn what_was_said_in_answer_to_the_reply_is_gone_and_what_it_had_open_closed() {
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", text("@eve write it"));
    let past = past.woke("eve").answered("eve", calls(&[("write", "{}")]));
    let (turn, call) = (past.turn("eve"), past.call("eve", 0));
    let end = Event::Call(CallEvent::ToolFinished(ToolFinished::new(
        call,
        agent("eve"),
        None,
        CallStatus::Superseded,
        None,
    )));
    let then = [
        regenerated(9, &[9], &[4]),
        end,
        closed("eve", turn, CloseReason::Superseded),
    ];
    check(&past, &regenerate(9), &accepted(then));
    assert_eq!(
        past.then(regenerate(9)).owed(),
        [Effect::Wake {
            agent: agent("bob"),
            not_before: None
        }]
    );
}

#[test]
fn news_that_are_taken_back_meanwhile_are_not_answered_again() {
    let past = answered().then(regenerate(11)).then(retract(4)).woke("bob");
    assert!(
        matches!(&past.last()[0], Event::Turn(TurnEvent::TurnOpened(opened)) if opened.news == [at(6)])
    );
    let past = answered()
        .then(regenerate(11))
        .then(retract(4))
        .then(retract(6));
    assert_eq!((past.owed(), past.world.episodes().len()), (Vec::new(), 0));
}

#[test]
fn agent_that_waits_for_a_person_about_something_else_makes_it_anew_later() {
    let past = answered()
        .said("@bob write")
        .woke("bob")
        .answered("bob", calls(&[("write", "{}")]));
    let (request, here) = (past.request(), past.world.head().next());
    let told = notice_to_ada(
        Notice::AgentWaits {
            agent: agent("bob"),
            request,
        },
        here.get(),
    );
    check(
        &past,
        &regenerate(11),
        &accepted([regenerated(11, &[11], &[4, 6]), told]),
    );
    let past = past
        .then(regenerate(11))
        .then(allow(request))
        .started("bob", 0, 1);
    let past = past
        .finished("bob", 0, 1, ToolOutcome::text("ok"))
        .carried_on("bob")
        .answered("bob", text("written"));
    let past = past.woke("bob");
    assert!(
        matches!(&past.last()[0], Event::Turn(TurnEvent::TurnOpened(opened)) if opened.news == [at(4), at(6)])
    );
}

#[test]
fn streamed_reply_is_found_under_its_id() {
    let past = Past::began().said("@bob hi").woke("bob");
    let stream = past.stream("bob");
    let past = past.then(stream).answered("bob", text("fine"));
    let (id, stands) = (last(&past), past.world.transcript().back().unwrap().at);
    assert_ne!(id, stands.get());
    let past = past.then(regenerate(id));
    assert!(
        matches!(past.last(), [Event::Talk(TalkEvent::ReplyRegenerated(made))] if made.at == stands && made.gone == [stands])
    );
}

#[test]
fn peoples_messages_and_replies_whose_news_are_forgotten_are_not_made_anew() {
    no_reply(&answered(), 4);
    let forgets = |spec: &mut WorldSpec| spec.limits.transcript_max = 2;
    let past = Past::with(room_with(forgets))
        .said("@bob one")
        .said("@bob two")
        .woke("bob");
    no_reply(&past.answered("bob", text("fine")), 11);
}

#[test]
fn reply_of_an_agent_that_left_is_not_made_anew() {
    let spec = room_with(|spec| spec.agents.retain(|spec| spec.name != agent("bob")));
    let past = answered();
    let revise = runtime(crate::command::Action::World(
        crate::command::WorldAction::Revise {
            definition: definition(spec),
        },
    ));
    no_reply(&past.then(revise), 11);
}
