//! Somebody comes for one command: with no node, with one that lives, and with one that died.

use std::sync::Arc;
use std::time::Duration;

use folkmoot::core::command::{Action, ConsentAction, Judgement, TalkAction};
use folkmoot::core::event::Verdict;
use folkmoot::{Key, Order, Post, Proof, SeatError, VisitError, Visitor, Vouched};
use folkmoot_tests::{Commons, TTL, commits_of, room_name};

use super::{Process, id_of, paying, talkative};

fn says_hi() -> Order {
    Order {
        world: room_name(),
        by: Proof::script("ada".to_owned().try_into().unwrap()),
        vouched: Vouched::ByNode,
        action: Action::Talk(TalkAction::PostMessage {
            text: "hi".to_owned(),
            attachments: Vec::new(),
            reply_to: None,
        }),
        key: None,
    }
}

/// The process with this number as a visitor.
fn visitor(number: u8, process: &Process, commons: &Commons) -> Visitor {
    Visitor {
        runtime: process.runtime.clone(),
        members: Arc::clone(commons.ledger()) as _,
        node: commons.member(number, 0).id(),
    }
}

#[tokio::test]
async fn a_visitor_decides_by_itself_if_no_node_lives_and_performs_nothing() {
    let (commons, room) = (Commons::default(), talkative());
    let process = Process::start(1, &room, &commons);
    process.begin(&room).await;
    process.runtime.close(&room_name()).await;
    let visitor = visitor(1, &process, &commons);
    let accepted = visitor.give(says_hi()).await.unwrap();
    assert!(accepted.message.is_some());
    // The room is free again, nothing was left for anybody, and bob was not asked.
    let world = id_of(&commons).await;
    assert_eq!((commons.holder(world), commons.asks_left()), (None, 0));
    let open = Process::start(2, &room, &commons);
    assert_eq!(open.member.claim(), [world]);
    let there = open.reach().await;
    there.quiet().await.unwrap();
    let said = there
        .operator()
        .read(|world| world.transcript().len())
        .await;
    assert_eq!(said, Ok(2));
    let nobody = Order {
        world: "nowhere".to_owned().try_into().unwrap(),
        ..says_hi()
    };
    let why = visitor.give(nobody).await.unwrap_err().to_string();
    assert_eq!(why, "there is no world called nowhere");
}

#[tokio::test]
async fn a_visitor_leaves_the_command_if_a_node_lives() {
    let (commons, room) = (Commons::default(), talkative());
    let node = Process::start(1, &room, &commons).serving(&commons);
    node.begin(&room).await;
    let process = Process::start(2, &room, &commons);
    let visitor = visitor(2, &process, &commons);
    visitor.give(says_hi()).await.unwrap();
    assert_eq!(commons.asks_left(), 1);
    assert_eq!(
        commons.holder(id_of(&commons).await),
        Some(node.member.id())
    );
    // Whoever may not do it is told so by the room.
    let leave = Order {
        action: Action::Talk(TalkAction::Stop { episode: None }),
        ..says_hi()
    };
    let refused = visitor.give(leave).await;
    assert!(
        matches!(refused, Err(VisitError::Seat(SeatError::Refused(_)))),
        "{refused:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_visitor_takes_the_room_of_a_node_that_died_once_it_is_free() {
    let (commons, room) = (Commons::default(), talkative());
    let node = Process::start(1, &room, &commons);
    node.begin(&room).await;
    commons.ledger().advance(TTL + Duration::from_millis(1));
    let process = Process::start(2, &room, &commons);
    let visitor = visitor(2, &process, &commons);
    let given = tokio::spawn(async move { visitor.give(says_hi()).await });
    let world = id_of(&commons).await;
    tokio::task::yield_now().await;
    // Somebody declares it dead.
    commons.evict(world);
    given.await.unwrap().unwrap();
    assert_eq!((commons.holder(world), commons.asks_left()), (None, 0));
}

#[tokio::test(start_paused = true)]
async fn a_visitor_who_has_no_answer_does_it_itself_once_the_node_is_dead() {
    let (commons, room) = (Commons::default(), talkative());
    // It lives, and answers nobody.
    let node = Process::start(1, &room, &commons);
    node.begin(&room).await;
    let process = Process::start(2, &room, &commons);
    let visitor = visitor(2, &process, &commons);
    let of_visitor = visitor.clone();
    let given = tokio::spawn(async move { of_visitor.give(says_hi()).await });
    let mut news = commons.news();
    while commons.asks_left() == 0 {
        news.changed().await.unwrap();
    }
    let world = id_of(&commons).await;
    commons.ledger().advance(TTL + Duration::from_millis(1));
    let _again = commons.member(2, 0);
    commons.evict(world);
    let accepted = given.await.unwrap().unwrap();
    // The next node finds what was left, and gives the first answer.
    let next = Process::start(3, &room, &commons).serving(&commons);
    while commons.waiting() > 0 {
        news.changed().await.unwrap();
    }
    let posts = commits_of(&commons.store(), &room_name()).await;
    assert_eq!(
        format!("{posts:?}").matches("\"hi\"").count(),
        1,
        "{accepted:?}"
    );
    drop(next);
}

#[tokio::test]
async fn a_visitor_gets_the_first_answer_to_what_a_node_did_before_it_died() {
    let (commons, room) = (Commons::default(), paying(1));
    let node = Process::start(1, &room, &commons);
    let here = node.begin(&room).await;
    let by = Proof::script("ada".to_owned().try_into().unwrap());
    let seat = here.as_principal(by.clone());
    seat.publish_message(Post::text("pay")).await.unwrap();
    here.quiet().await.unwrap();
    let waiting = seat.waiting().await.unwrap();
    let action = Action::Consent(ConsentAction::Decide {
        agent: None,
        request: waiting[0].request,
        judgement: Judgement::new(Verdict::Allow),
    });
    let key = Some(Key::Client("k".to_owned()));
    let first = seat.give(action.clone(), key.clone()).await.unwrap();
    here.quiet().await.unwrap();
    node.runtime.close(&room_name()).await;
    commons.ledger().advance(TTL + Duration::from_millis(1));

    let process = Process::start(2, &room, &commons);
    let visitor = visitor(2, &process, &commons);
    let order = |key| Order {
        action: action.clone(),
        key,
        ..says_hi()
    };
    let commits = commits_of(&commons.store(), &room_name()).await.len();
    assert_eq!(visitor.give(order(key)).await.unwrap(), first);
    assert_eq!(
        commits_of(&commons.store(), &room_name()).await.len(),
        commits
    );
    // Without its key it is another one, and too late.
    let refused = visitor.give(order(None)).await;
    assert!(
        matches!(refused, Err(VisitError::Seat(SeatError::Refused(_)))),
        "{refused:?}"
    );
    let long = Some(Key::Client("k".repeat(Key::BYTES_MAX + 1)));
    let refused = visitor.give(order(long)).await;
    assert!(
        matches!(refused, Err(VisitError::Seat(SeatError::LongKey { .. }))),
        "{refused:?}"
    );
}
