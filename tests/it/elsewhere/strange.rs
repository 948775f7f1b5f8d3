//! What is left for a holder that no node of this build left.

use folkmoot::core::command::commit::{CommandKey, Keyed};
use folkmoot::core::event::Event;
use folkmoot::core::ids::{AskId, Digest, Seed, Stamp, StepKey, Time};
use folkmoot::core::port::{ASKS_WAITING_MAX, Ask, AskState, Asked, Inbox as _};
use folkmoot::{ANSWER_AWAITED, Post, SeatError};
use folkmoot_tests::{Commons, commits_of, person, room_name};
use serde_json::{Value, json};

use super::{Process, id_of, talkative};

/// The login of all who share the memory.
const LOGIN: &str = "memory";

fn ask_id(number: u8) -> AskId {
    AskId::from_stamp(&Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([number; 16]),
    })
}

fn says_hi(version: u64, world: &str) -> Value {
    let post = json!({"post_message": {"text": "hi", "attachments": [], "reply_to": null}});
    json!({"version": version, "world": world, "action": post})
}

/// Leaves asks in this form, and returns the answers.
async fn answers(commons: &Commons, commands: &[(Vec<u8>, Option<Value>)]) -> Vec<Value> {
    let world = id_of(commons).await;
    let mut ids = Vec::new();
    for (number, (command, principal)) in commands.iter().enumerate() {
        let id = ask_id(number as u8);
        let ask = Ask {
            id,
            world,
            command: command.clone(),
            principal: principal
                .as_ref()
                .map(|value| value.to_string().into_bytes()),
        };
        assert_eq!(commons.ask(&ask).await.unwrap(), Asked::Waits);
        assert_eq!(commons.ask(&ask).await.unwrap(), Asked::Waits);
        ids.push(id);
    }
    let mut news = commons.news();
    loop {
        news.borrow_and_update();
        let states = commons.answers(&ids).await.unwrap();
        let answered = states.iter().map(|state| match state {
            AskState::Answered(bytes) => Some(serde_json::from_slice(bytes).unwrap()),
            AskState::Waits | AskState::Gone => None,
        });
        if let Some(answers) = answered.collect() {
            return answers;
        }
        news.changed().await.unwrap();
    }
}

#[tokio::test]
async fn what_does_not_read_is_answered_with_what_is_wrong() {
    let (commons, room) = (Commons::default(), talkative());
    let holder = Process::start(1, &room, &commons).serving(&commons);
    holder.begin(&room).await;
    let bytes = |value: &Value| value.to_string().into_bytes();
    let finish = json!({"version": 1, "world": "room", "action": {"finish_tool": {
        "agent": "bob", "call": "00", "attempt": 1, "outcome": {"done": {}}, "progress": null,
    }}});
    let runtime = json!({"version": 1, "principal": "runtime"});
    let keyed = |key: CommandKey| {
        let digest = Digest::of(&[b"k"]);
        let mut said = says_hi(1, "room");
        said["key"] = json!(Keyed { key, digest });
        bytes(&said)
    };
    let long = CommandKey::Client("k".repeat(129));
    let step = CommandKey::Step(StepKey { run: 1, index: 0 });
    let world = json!({"version": 1, "principal": "world"});
    let commands = [
        (keyed(long.clone()), None),
        (keyed(long), Some(world)),
        (keyed(step), None),
        (b"hello".to_vec(), None),
        (bytes(&says_hi(2, "room")), None),
        (bytes(&finish), None),
        (bytes(&says_hi(1, "room")), Some(runtime)),
        (bytes(&says_hi(1, "another")), None),
    ];
    let whys = [
        "cannot read the command: its key has 129 bytes, and a key has at most 128; use a shorter one",
        "cannot read the command: its key has 129 bytes, and a key has at most 128; use a shorter one",
        "of a world script, and no node vouches for it; use a key of your own",
        "cannot read the command: it is no JSON: expected value at line 1 column 1",
        "cannot read the command: it has version 2, and this build reads version 1 alone; use the same build on all nodes",
        "cannot read the command: it does not read: unknown variant `finish_tool`",
        "cannot read who gives the command: nobody can be proven to be the runtime",
        "the command names another, and no world of that name has its id",
    ];
    let head = commits_of(&commons.store(), &room_name()).await.len();
    let answers = answers(&commons, &commands).await;
    for (answer, why) in answers.iter().zip(whys) {
        let told = answer["answer"]["elsewhere"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"));
        assert!(told.contains(why), "{told}");
    }
    assert_eq!(commits_of(&commons.store(), &room_name()).await.len(), head);
}

#[tokio::test]
async fn the_ledgers_login_is_a_person_and_nothing_more() {
    let (commons, room) = (Commons::default(), talkative());
    let holder = Process::start(1, &room, &commons).serving(&commons);
    let here = holder.begin(&room).await;
    here.operator()
        .set_rights(
            "postgres",
            LOGIN,
            Some(folkmoot::core::event::Rights(
                [folkmoot::core::event::Right::Post].into(),
            )),
            None,
        )
        .await
        .unwrap();
    let label =
        json!({"version": 1, "world": "room", "action": {"label": {"owner": "kim", "labels": {}}}});
    let commands = [
        (says_hi(1, "room").to_string().into_bytes(), None),
        (label.to_string().into_bytes(), None),
    ];
    let answers = answers(&commons, &commands).await;
    let message = answers[0]["answer"]["accepted"]["message"]
        .as_u64()
        .unwrap();
    assert_eq!(
        answers[1]["answer"]["refused"]["right"]["reason"],
        json!("no_right")
    );
    let commits = commits_of(&commons.store(), &room_name()).await;
    let posted = commits.iter().find(|commit| {
        let mut numbered = commit.numbered();
        numbered.any(|(at, event)| at.get() == message && matches!(event, Event::Talk(_)))
    });
    let header = &posted.unwrap().header;
    let person = header.principal.person().unwrap();
    assert_eq!(
        (
            person.method.as_str(),
            person.subject.as_str(),
            person.display.as_str()
        ),
        ("postgres", LOGIN, LOGIN)
    );
    // The id of the ask is the key of the command.
    let key = header.key.as_ref().unwrap().key.to_string();
    assert_eq!(key, format!("ask:{}", ask_id(0)));
}

#[tokio::test]
async fn nothing_more_is_left_while_too_much_waits() {
    let (commons, room) = (Commons::default(), talkative());
    // It holds the room, and answers nobody.
    let holder = Process::start(1, &room, &commons);
    holder.begin(&room).await;
    let world = id_of(&commons).await;
    for number in 0..ASKS_WAITING_MAX {
        let id = AskId::from_stamp(&Stamp {
            time: Time(number as u64),
            seed: Seed::new([1; 16]),
        });
        let ask = Ask {
            id,
            world,
            command: says_hi(1, "room").to_string().into_bytes(),
            principal: None,
        };
        assert_eq!(commons.ask(&ask).await.unwrap(), Asked::Waits);
    }
    let other = Process::beside(&room, &commons);
    let ada = person(&other.reach().await, "ada");
    let waiting = ASKS_WAITING_MAX;
    let answer = ada.publish_message(Post::text("hi")).await;
    assert_eq!(answer, Err(SeatError::Busy { waiting }));
    // Its successor answers all of them.
    let next = holder.serving(&commons);
    let mut news = commons.news();
    while commons.waiting() > 0 {
        news.changed().await.unwrap();
    }
    ada.publish_message(Post::text("hi")).await.unwrap();
    drop(next);
}

#[tokio::test(start_paused = true)]
async fn whoever_gets_no_answer_is_told_that_it_may_still_be_done() {
    let (commons, room) = (Commons::default(), talkative());
    let holder = Process::start(1, &room, &commons);
    holder.begin(&room).await;
    let other = Process::beside(&room, &commons);
    let there = other.reach().await;
    let ada = person(&there, "ada");
    let answer = ada.publish_message(Post::text("hi")).await;
    let after = ANSWER_AWAITED;
    let unfit = None;
    assert_eq!(answer, Err(SeatError::Unanswered { after, unfit }));
    let why = answer.unwrap_err().to_string();
    assert!(why.contains("may be done, or may still be"), "{why}");
    // It is done once somebody answers.
    let _holder = holder.serving(&commons);
    let mut texts = folkmoot::TextSubscription::from(&ada, folkmoot::Position::new(1))
        .await
        .unwrap();
    assert_eq!(texts.next().await.unwrap().unwrap().text, "hi");
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_for_a_room_that_no_node_can_have_is_told_what_it_needs() {
    let (commons, room) = (Commons::default(), talkative());
    let holder = Process::start(1, &room, &commons);
    holder.begin(&room).await;
    holder.runtime.close(&room_name()).await;
    let other = Process::beside(&room, &commons);
    let ada = person(&other.reach().await, "ada");
    let error = ada.publish_message(Post::text("hi")).await.unwrap_err();
    assert!(matches!(&error, SeatError::Unanswered { .. }), "{error:?}");
    let why = error.to_string();
    for words in ["it needs base:work", "--offer", "may still be"] {
        assert!(why.contains(words), "{words}: {why}");
    }
}
