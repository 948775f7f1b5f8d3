use crate::command::{Action, Command, TalkAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::MessageId;
use crate::ids::principal::Principal;
use crate::spec::{MemoryPolicy, WhileWaiting};
use crate::testing::*;
use crate::world::effect::Effect;

fn wake(name: &str) -> Effect {
    Effect::Wake {
        agent: agent(name),
        not_before: None,
    }
}

#[test]
fn first_message_brings_its_person_in_and_wakes_whom_it_addresses() {
    let past = Past::began();
    let joined = Event::World(WorldEvent::PersonJoined(PersonJoined {
        person: person("ada"),
    }));
    let to_bob = routed(
        4,
        RoutingRule::Addressed,
        &[("bob", RoutingReason::Mentioned)],
        &[],
    );
    check(
        &past,
        &post("@bob hi"),
        &accepted([joined, posted(4, "@bob hi"), to_bob]),
    );
    assert_eq!(past.said("@bob hi").owed(), [wake("bob")]);
}

#[test]
fn unaddressed_message_reaches_everyone_in_a_small_room() {
    let past = Past::began().said("@bob hi");
    let everyone = ["bob", "eve", "cody"].map(|name| (name, RoutingReason::Everyone));
    check(
        &past,
        &post("hi"),
        &accepted([
            posted(6, "hi"),
            routed(6, RoutingRule::Everyone, &everyone, &[]),
        ]),
    );
    assert_eq!(
        past.said("hi").owed(),
        [wake("bob"), wake("cody"), wake("eve")]
    );
}

#[test]
fn nobody_answers_in_a_large_room_without_a_main_agent_and_its_author_is_told() {
    let past = Past::with(room_with(|spec| spec.limits.broadcast_max = 2)).said("@bob hi");
    let told = notice_to_ada(
        Notice::NobodyAnswers {
            message: at(6),
            nearest: Vec::new(),
            named: Named::default(),
        },
        6,
    );
    check(
        &past,
        &post("hi"),
        &accepted([
            posted(6, "hi"),
            routed(6, RoutingRule::TooMany, &[], &[]),
            told,
        ]),
    );
}

#[test]
fn main_agent_answers_what_is_unaddressed() {
    let past = Past::with(room_with(|spec| {
        spec.policy.main_agent = Some(agent("eve"))
    }))
    .said("@bob hi");
    let to_eve = routed(
        6,
        RoutingRule::MainAgent,
        &[("eve", RoutingReason::MainAgent)],
        &[],
    );
    check(&past, &post("hi"), &accepted([posted(6, "hi"), to_eve]));
}

#[test]
fn unknown_name_is_told_at_once_with_the_nearest_agents() {
    let past = Past::began().said("@bob hi");
    let nearest = vec![agent("bob")];
    let told = notice_to_ada(
        Notice::Undeliverable {
            message: at(6),
            nearest,
            named: Named::default(),
        },
        6,
    );
    let nobody = routed(6, RoutingRule::Undeliverable, &[], &["bobby"]);
    check(
        &past,
        &post("@bobby hi"),
        &accepted([posted(6, "@bobby hi"), nobody, told]),
    );
}

#[test]
fn full_inbox_is_undeliverable_and_says_so() {
    let past = Past::with(room_with(|spec| spec.limits.inbox_max = 1)).said("@bob hi");
    let told = notice_to_ada(
        Notice::InboxFull {
            agent: agent("bob"),
        },
        6,
    );
    let nobody = Event::Talk(TalkEvent::MessageRouted(MessageRouted {
        undeliverable: 1,
        ..route(6, RoutingRule::Addressed, &[])
    }));
    check(
        &past,
        &post("@bob again"),
        &accepted([posted(6, "@bob again"), nobody, told]),
    );
}

#[test]
fn message_to_an_agent_that_waits_is_kept_and_its_author_is_told_what_waits() {
    let past = Past::began().bob_calls(&[("write", "{}")]);
    let request = past.request();
    let to_bob = routed(
        11,
        RoutingRule::Addressed,
        &[("bob", RoutingReason::Mentioned)],
        &[],
    );
    let told = notice_to_ada(
        Notice::AgentWaits {
            agent: agent("bob"),
            request,
        },
        11,
    );
    check(
        &past,
        &post("@bob well?"),
        &accepted([posted(11, "@bob well?"), to_bob, told]),
    );
}

#[test]
fn message_to_an_agent_that_waits_supersedes_its_turn_where_the_room_says_so() {
    let room = room_with(|spec| spec.policy.while_waiting = WhileWaiting::Supersede);
    let past = Past::with(room).bob_calls(&[("write", "{}")]);
    let (call, turn) = (past.call("bob", 0), past.turn("bob"));
    let to_bob = routed(
        11,
        RoutingRule::Addressed,
        &[("bob", RoutingReason::Mentioned)],
        &[],
    );
    let over = closed("bob", turn, CloseReason::Superseded);
    let then = [
        posted(11, "@bob no"),
        to_bob,
        ended(call, CallStatus::Superseded),
        over,
    ];
    check(&past, &post("@bob no"), &accepted(then));
    let past = past.said("@bob no");
    assert_eq!(
        (past.owed(), past.world.consent().pending().len()),
        (vec![wake("bob")], 0)
    );
}

#[test]
fn agent_does_not_interrupt_what_another_one_asks_of_people() {
    let room = room_with(|spec| spec.policy.while_waiting = WhileWaiting::Supersede);
    let past = Past::with(room).bob_calls(&[("write", "{}")]);
    let (request, turn) = (past.request(), past.turn("bob"));
    let past = past
        .said("@eve hi")
        .woke("eve")
        .answered("eve", text("@bob hello"));
    let told = notice(
        Notice::AgentWaits {
            agent: agent("bob"),
            request,
        },
        11,
    );
    assert!(past.last().contains(&told));
    assert_eq!((past.turn("bob"), past.request()), (turn, request));
}

#[test]
fn agents_message_is_not_remembered_by_others_where_memory_is_addressed() {
    let room = room_with(|spec| spec.policy.memory = MemoryPolicy::Addressed);
    let past = Past::with(room)
        .said("@bob hi")
        .woke("bob")
        .answered("bob", text("all is well"));
    let past = past.said("@eve hi").woke("eve");
    let heard: Vec<_> = past
        .memory("eve")
        .items
        .iter()
        .map(|kept| kept.item.as_ref().clone())
        .collect();
    let said = |text: &str| crate::prompt::Item::Heard {
        from: "ada".into(),
        text: text.into(),
        attachments: Vec::new(),
    };
    assert_eq!(heard, [said("@bob hi"), said("@eve hi")]);
}

#[test]
fn agents_and_tools_cannot_speak_as_people() {
    let past = Past::began();
    for principal in [
        Principal::Agent(agent("bob")),
        Principal::Tool(tool("look")),
        Principal::Runtime,
    ] {
        let command = Command::of(principal, post("hi").action);
        let then = recorded(
            RefusalReason::NotAPerson,
            [refused(&command, RefusalReason::NotAPerson, None)],
        );
        check(&past, &command, &then);
    }
}

#[test]
fn empty_long_and_misplaced_messages_are_refused_without_a_trace() {
    let past = Past::with(room_with(|spec| spec.limits.message_bytes_max = 4));
    check(
        &past,
        &post(" \n"),
        &quietly(Refusal::BadMessage {
            why: "the message is empty".to_owned(),
        }),
    );
    let why = "the message has 5 bytes, at most 4 are allowed".to_owned();
    check(&past, &post("hello"), &quietly(Refusal::BadMessage { why }));
    let (text, attachments, reply_to) = ("hi".to_owned(), Vec::new(), Some(MessageId(at(9))));
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
fn person_called_like_an_agent_is_not_let_in() {
    let command = Command::of(Principal::Person(person("Bob")), post("hi").action);
    let why = "an agent is called Bob".to_owned();
    check(
        &Past::began(),
        &command,
        &quietly(Refusal::BadMessage { why }),
    );
}

#[test]
fn person_whom_a_mention_could_not_tell_from_others_is_not_let_in() {
    let refusal = |name: &str, why: &str| {
        let command = Command::of(Principal::Person(person(name)), post("hi").action);
        check(
            &Past::began(),
            &command,
            &quietly(Refusal::BadMessage {
                why: why.to_owned(),
            }),
        );
    };
    refusal("ＢＯＢ", "an agent is called ＢＯＢ");
    refusal("a，b", "a，b cannot be mentioned: it has a comma");
}

#[test]
fn people_are_mentioned_once_they_joined() {
    let people = vec![person("ada").display];
    let to_ada = Event::Talk(TalkEvent::MessageRouted(MessageRouted {
        people,
        ..route(6, RoutingRule::Addressed, &[])
    }));
    check(
        &Past::began().said("@bob hi"),
        &post("@ＡＤＡ hi"),
        &accepted([posted(6, "@ＡＤＡ hi"), to_ada]),
    );
}
