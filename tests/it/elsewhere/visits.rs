//! Somebody comes for one command: with no node, with one that lives, and with one that died.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use folkmoot::core::command::{Action, TalkAction};
use folkmoot::core::ids::NodeId;
use folkmoot::core::port::{Members as _, NodeCard};
use folkmoot::store::MemoryLedger;
use folkmoot::{Order, Proof, SeatError, Store, VisitError, Visitor, Vouched};
use folkmoot_tests::{Commons, room_name};

use super::{Process, id_of, talkative};

const TTL: Duration = Duration::from_secs(5);

fn card(node: NodeId, room: u32) -> NodeCard {
    NodeCard {
        node,
        name: "one".to_owned(),
        offers: BTreeSet::new(),
        schema: 0,
        room,
        draining: false,
        advertise: None,
    }
}

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

async fn visitor(process: &Process, members: &Arc<MemoryLedger>) -> Visitor {
    let node = process.member.id();
    members.join(&card(node, 0), TTL).await.unwrap();
    Visitor {
        runtime: process.runtime.clone(),
        members: Arc::clone(members) as _,
        node,
        ttl: TTL,
    }
}

#[tokio::test]
async fn a_visitor_decides_by_itself_if_no_node_lives_and_performs_nothing() {
    let (store, commons, room) = (Store::memory(), Commons::default(), talkative());
    let members = Arc::new(MemoryLedger::default());
    let process = Process::start(1, &room, &store, &commons);
    process.begin(&room).await;
    process.runtime.close(&room_name()).await;
    let visitor = visitor(&process, &members).await;
    let accepted = visitor.give(says_hi()).await.unwrap();
    assert!(accepted.message.is_some());
    // The room is free again, nothing was left for anybody, and bob was not asked.
    let world = id_of(&store).await;
    assert_eq!((commons.holder(world), commons.asks_left()), (None, 0));
    assert!(commons.is_due(world));
    let open = Process::start(2, &room, &store, &commons);
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
    let (store, commons, room) = (Store::memory(), Commons::default(), talkative());
    let members = Arc::new(MemoryLedger::default());
    let node = Process::start(1, &room, &store, &commons).serving(&commons);
    node.begin(&room).await;
    members
        .join(&card(node.member.id(), 10), TTL)
        .await
        .unwrap();
    let process = Process::start(2, &room, &store, &commons);
    let visitor = visitor(&process, &members).await;
    visitor.give(says_hi()).await.unwrap();
    assert_eq!(commons.asks_left(), 1);
    assert_eq!(commons.holder(id_of(&store).await), Some(node.member.id()));
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
    let (store, commons, room) = (Store::memory(), Commons::default(), talkative());
    let members = Arc::new(MemoryLedger::default());
    let node = Process::start(1, &room, &store, &commons);
    node.begin(&room).await;
    members
        .join(&card(node.member.id(), 10), TTL)
        .await
        .unwrap();
    members.advance(TTL + Duration::from_millis(1));
    let process = Process::start(2, &room, &store, &commons);
    let visitor = visitor(&process, &members).await;
    let given = tokio::spawn(async move { visitor.give(says_hi()).await });
    let world = id_of(&store).await;
    tokio::task::yield_now().await;
    // Somebody declares it dead.
    commons.evict(world);
    given.await.unwrap().unwrap();
    assert_eq!((commons.holder(world), commons.asks_left()), (None, 0));
}

#[tokio::test(start_paused = true)]
async fn a_visitor_who_has_no_answer_does_it_itself_once_the_node_is_dead() {
    let (store, commons, room) = (Store::memory(), Commons::default(), talkative());
    let members = Arc::new(MemoryLedger::default());
    // It lives, and answers nobody.
    let node = Process::start(1, &room, &store, &commons);
    node.begin(&room).await;
    members
        .join(&card(node.member.id(), 10), TTL)
        .await
        .unwrap();
    let process = Process::start(2, &room, &store, &commons);
    let visitor = visitor(&process, &members).await;
    let of_visitor = visitor.clone();
    let given = tokio::spawn(async move { of_visitor.give(says_hi()).await });
    let mut news = commons.news();
    while commons.asks_left() == 0 {
        news.changed().await.unwrap();
    }
    let world = id_of(&store).await;
    members.advance(TTL + Duration::from_millis(1));
    members
        .join(&card(process.member.id(), 0), TTL)
        .await
        .unwrap();
    commons.evict(world);
    let accepted = given.await.unwrap().unwrap();
    // The next node finds what was left, and gives the first answer.
    let next = Process::start(3, &room, &store, &commons).serving(&commons);
    while commons.waiting(world) > 0 {
        news.changed().await.unwrap();
    }
    let posts = folkmoot_tests::commits_of(&store, &room_name()).await;
    assert_eq!(
        format!("{posts:?}").matches("\"hi\"").count(),
        1,
        "{accepted:?}"
    );
    drop(next);
}
