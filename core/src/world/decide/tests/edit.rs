use crate::command::{Action, Command, TalkAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::MessageId;
use crate::ids::principal::Principal;
use crate::spec::WhileWaiting;
use crate::testing::*;
use crate::world::projection::{Revised, Revision, TextProjection};

fn edited(message: u64, place: u64, gone: &[u64], said: &str) -> Event {
    Event::Talk(TalkEvent::MessageEdited(MessageEdited {
        message: MessageId(at(message)),
        at: at(place),
        author: Author::Person(person("ada").display),
        reply_to: None,
        gone: gone.iter().copied().map(at).collect(),
        body: MessageBody::text(said).into(),
    }))
}

fn to(message: u64, name: &str) -> Event {
    routed(
        message,
        RoutingRule::Addressed,
        &[(name, RoutingReason::Mentioned)],
        &[],
    )
}

#[test]
fn new_words_are_routed_like_a_new_message_in_an_episode_of_their_own() {
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", text("fine"));
    check(
        &past,
        &edit(4, "@eve hi"),
        &accepted([edited(4, 4, &[4, 9], "@eve hi"), to(12, "eve")]),
    );
    let past = past.then(edit(4, "@eve hi"));
    let [message] = &past.world.transcript().iter().collect::<Vec<_>>()[..] else {
        panic!()
    };
    assert_eq!(
        (message.id, message.at, message.edited),
        (MessageId(at(4)), at(12), true)
    );
    assert_eq!(
        past.world.transcript.message(MessageId(at(4))),
        Some(*message)
    );
    assert_eq!(
        (message.episode, message.respond.clone()),
        (episode(12), vec![agent("eve")])
    );
    assert_eq!(
        past.world.episodes()[&episode(12)].author,
        Some(person("ada").display)
    );
    let past = past.woke("eve");
    let heard = crate::prompt::Item::Heard {
        from: "ada".into(),
        text: "@eve hi".into(),
        attachments: Vec::new(),
    };
    assert_eq!(
        past.memory("eve")
            .items
            .iter()
            .map(|kept| kept.item.as_ref())
            .collect::<Vec<_>>(),
        [&heard]
    );
}

#[test]
fn message_is_edited_once_more_under_its_id() {
    let past = Past::began()
        .said("@bob one")
        .then(edit(4, "@bob two"))
        .woke("bob");
    let over = closed("bob", past.turn("bob"), CloseReason::Superseded);
    check(
        &past,
        &edit(4, "@bob three"),
        &accepted([edited(4, 6, &[6], "@bob three"), over, to(10, "bob")]),
    );
    let past = past
        .then(edit(4, "@bob three"))
        .woke("bob")
        .answered("bob", text("fine"));
    assert_eq!(
        past.world.transcript().back().unwrap().reply_to,
        Some(MessageId(at(4)))
    );
    assert_eq!(past.world.transcript().len(), 2);
}

#[test]
fn answer_of_a_person_to_the_old_words_stays_and_answers_the_new_ones() {
    let past = Past::began().said("@bob one");
    let reply = Action::Talk(TalkAction::PostMessage {
        text: "@bob mind".to_owned(),
        attachments: Vec::new(),
        reply_to: Some(MessageId(at(4))),
    });
    let past = past
        .then(Command::of(ada(), reply))
        .then(edit(4, "@bob two"));
    let said: Vec<_> = past
        .world
        .transcript()
        .iter()
        .map(|message| (message.at, message.reply_to))
        .collect();
    assert_eq!(said, [(at(6), Some(MessageId(at(4)))), (at(8), None)]);
}

#[test]
fn turn_that_waits_for_a_person_about_the_old_words_is_closed_and_nobody_is_told_that_it_waits() {
    for while_waiting in [WhileWaiting::Queue, WhileWaiting::Supersede] {
        let past = Past::with(room_with(|spec| spec.policy.while_waiting = while_waiting));
        let past = past.bob_calls(&[("write", "{}")]);
        let (call, over) = (
            past.call("bob", 0),
            closed("bob", past.turn("bob"), CloseReason::Superseded),
        );
        let then = [
            edited(4, 4, &[4], "@bob no"),
            ended(call, CallStatus::Superseded),
            over,
            to(11, "bob"),
        ];
        check(&past, &edit(4, "@bob no"), &accepted(then));
    }
}

#[test]
fn turn_that_waits_for_a_person_about_something_else_goes_on_waiting() {
    let past = Past::began().bob_calls(&[("write", "{}")]).said("@eve hi");
    let told = notice_to_ada(
        Notice::AgentWaits {
            agent: agent("bob"),
            request: past.request(),
        },
        13,
    );
    check(
        &past,
        &edit(11, "@bob hi"),
        &accepted([edited(11, 11, &[11], "@bob hi"), to(13, "bob"), told]),
    );
}

#[test]
fn edited_message_takes_its_own_place_in_a_full_inbox() {
    let past = Past::with(room_with(|spec| spec.limits.inbox_max = 1)).said("@bob one");
    check(
        &past,
        &edit(4, "@bob two"),
        &accepted([edited(4, 4, &[4], "@bob two"), to(6, "bob")]),
    );
}

#[test]
fn words_are_checked_as_in_a_new_message() {
    let past = Past::with(room_with(|spec| spec.limits.message_bytes_max = 4)).said("hi");
    check(
        &past,
        &edit(4, " "),
        &quietly(Refusal::BadMessage {
            why: "the message is empty".to_owned(),
        }),
    );
    let why = "the message has 5 bytes, at most 4 are allowed".to_owned();
    check(
        &past,
        &edit(4, "hello"),
        &quietly(Refusal::BadMessage { why }),
    );
}

#[test]
fn what_is_attached_stays_and_may_stand_alone() {
    let attachments = vec![Attachment {
        blob: crate::ids::Digest::of(&[b"a"]),
        media_type: "text/plain".to_owned(),
        name: "a.txt".to_owned(),
        bytes: 1,
        parts: Vec::new(),
    }];
    let action = Action::Talk(TalkAction::PostMessage {
        text: "@bob read".to_owned(),
        attachments: attachments.clone(),
        reply_to: None,
    });
    let past = Past::began()
        .then(Command::of(ada(), action))
        .then(edit(4, "@bob look"))
        .then(edit(4, ""));
    let said = past.world.transcript().back().unwrap();
    assert_eq!(
        (said.text.present().unwrap().as_str(), &said.attachments),
        ("", &attachments)
    );
    let shown = TextProjection::default().take(past.commits.last().unwrap());
    assert_eq!(shown, [said.to_text_event()]);
}

#[test]
fn observers_see_it_again_under_its_id_and_are_told_what_is_gone() {
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", text("fine"));
    let past = past.then(edit(4, "@bob hello"));
    let commit = past.commits.last().unwrap();
    assert_eq!(
        TextProjection::default().take(commit),
        [past.world.transcript().back().unwrap().to_text_event()]
    );
    let revision = |place: u64, message: u64, how, gone: &[u64]| Revision {
        at: at(place),
        message: MessageId(at(message)),
        how,
        gone: gone.iter().copied().map(at).collect(),
    };
    assert_eq!(
        Revision::of(commit),
        [revision(12, 4, Revised::Edited, &[4, 9])]
    );
    let past = past.woke("bob").answered("bob", text("fine"));
    let reply = past.world.transcript().back().unwrap().at.get();
    let made = past.clone().then(regenerate(reply));
    let there = made.world.head().get();
    assert_eq!(
        Revision::of(made.commits.last().unwrap()),
        [revision(there, reply, Revised::Regenerated, &[reply])]
    );
    let gone = past.then(retract(4));
    let there = gone.world.head().get();
    let commit = gone.commits.last().unwrap();
    assert_eq!(
        Revision::of(commit),
        [revision(there, 4, Revised::Retracted, &[12, reply])]
    );
    assert_eq!(TextProjection::default().take(commit), []);
}

#[test]
fn people_edit_their_own_messages_and_nobody_those_of_agents() {
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", text("fine"));
    let others = edit(4, "@eve hi");
    let then = [edited(4, 4, &[4, 9], "@eve hi"), to(12, "eve")];
    check(&past, &of(Principal::World, &others), &accepted(then));
    let refusals = [
        of(Principal::Person(person("kim")), &others),
        edit(9, "bad"),
        of(Principal::World, &edit(9, "bad")),
    ];
    for command in refusals {
        let reason = RefusalReason::NotYours;
        check(
            &past,
            &command,
            &recorded(reason, [refused(&command, reason, None)]),
        );
    }
}
