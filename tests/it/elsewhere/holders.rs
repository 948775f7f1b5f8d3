//! The holder changes, and nothing is lost, doubled or skipped.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::core::event::{CallEvent, Event, Right, Rights};
use folkmoot::core::ids::{RequestId, WorldId};
use folkmoot::core::port::Clock as _;
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::life::delete_worlds;
use folkmoot::store::DeleteOrder;
use folkmoot::{
    Activity, ActivityEvent, FeedEvent, FeedItem, FeedStart, Key, OpenError, Opening, Perform,
    Post, Seat, SeatError, Store, SystemClock, Waiting,
};
use folkmoot_tests::{Commons, FakeTool, Room, commits_of, person, room_name};
use futures::StreamExt as _;
use tokio::sync::Semaphore;
use tokio::sync::watch;
use tokio::time::Instant;

use super::{Payer, Process, id_of, paying, talkative};

/// How often the log has these words.
async fn times(commons: &Commons, words: &str) -> usize {
    let commits = commits_of(&commons.store(), &room_name()).await;
    format!("{commits:?}")
        .matches(&format!("{words:?}"))
        .count()
}

#[tokio::test]
async fn a_holder_that_dies_between_append_and_answer_is_followed_by_one_that_gives_the_first_answer()
 {
    let (commons, room) = (Commons::default(), talkative());
    let first = Process::start(1, &room, &commons).serving(&commons);
    first.begin(&room).await;
    let second = Process::start(2, &room, &commons).serving(&commons);
    let other = Process::beside(&room, &commons);
    let ada = person(&other.reach().await, "ada");
    for round in 0..5 {
        commons.lose_answers(3);
        let text = format!("round {round}");
        let message = ada.publish_message(Post::text(&text)).await.unwrap();
        assert_eq!(commons.lost().len(), 3 * (round + 1));
        assert_eq!(times(&commons, &text).await, 1);
        let said = ada.read(move |world| world.head() >= message.0).await;
        assert_eq!(said, Ok(true));
    }
    drop((first, second));
}

async fn up_to_now(seat: &Seat) -> Vec<FeedItem> {
    let mut feed = seat.feed(FeedStart::Beginning).unwrap();
    let mut items = Vec::new();
    while let Some(event) = feed.next_of_past().await.unwrap() {
        if let FeedEvent::Item(item) = event {
            items.push(item);
        }
    }
    items
}

#[tokio::test]
async fn a_feed_has_no_gap_and_no_repeat_over_a_change_of_holder() {
    let (commons, room) = (Commons::default(), talkative());
    let first = Process::start(1, &room, &commons).serving(&commons);
    first.begin(&room).await;
    let second = Process::start(2, &room, &commons).serving(&commons);
    let other = Process::beside(&room, &commons);
    let there = other.reach().await;
    let (ada, id) = (person(&there, "ada"), id_of(&commons).await);
    let mut feed = ada.feed(FeedStart::Beginning).unwrap();
    for round in 0..20 {
        if round % 3 == 0 {
            commons.evict(id);
        }
        ada.publish_message(Post::text(format!("{round}")))
            .await
            .unwrap();
    }
    assert_eq!(there.quiet().await, Ok(Activity::Idle));
    let all = up_to_now(&ada).await;
    let last = all.last().unwrap().id.at;
    let mut seen = Vec::new();
    while let Some(event) = feed.next_up_to(last).await.unwrap() {
        if let FeedEvent::Item(item) = event {
            seen.push(item);
        }
    }
    assert_eq!(seen, all);
    let places: Vec<_> = seen.iter().map(|item| item.id).collect();
    assert!(places.is_sorted_by(|one, next| one < next), "{places:?}");
    drop((first, second));
}

#[tokio::test]
async fn a_handle_goes_on_when_its_process_takes_the_room_over() {
    let (commons, room) = (Commons::default(), talkative());
    let first = Process::start(1, &room, &commons).serving(&commons);
    let here = first.begin(&room).await;
    let second = Process::start(2, &room, &commons);
    let there = second.reach().await;
    let ada = person(&there, "ada");
    let mut feed = ada.feed(FeedStart::Now).unwrap();
    ada.publish_message(Post::text("one")).await.unwrap();
    there.quiet().await.unwrap();
    let id = id_of(&commons).await;
    drop(first);
    commons.evict(id);
    // Nobody answers for it any more, so whoever wants something has it.
    let of_first = person(&here, "ada")
        .publish_message(Post::text("late"))
        .await;
    assert_eq!(of_first, Err(SeatError::TenureLost));
    there.quiet().await.unwrap();
    ada.publish_message(Post::text("two")).await.unwrap();
    assert_eq!(commons.holder(id), Some(second.member.id()));
    there.quiet().await.unwrap();
    let head = ada.read(|world| world.head()).await.unwrap();
    let mut words = String::new();
    while let Some(event) = feed.next_up_to(head).await.unwrap() {
        words.push_str(&serde_json::to_string(&event).unwrap());
    }
    let at = |word: &str| words.match_indices(&format!("{word:?}")).count();
    assert_eq!((at("one"), at("two"), at("late")), (1, 1, 0), "{words}");
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_dead_holder_takes_the_room_once_it_is_free_and_gives_it_back() {
    let (commons, room) = (Commons::default(), talkative());
    // It lives, and answers nobody.
    let first = Process::start(1, &room, &commons);
    first.begin(&room).await;
    // It answers nobody, and opens nothing because it is due.
    let second = Process::start(2, &room, &commons);
    let opening = Opening {
        perform: Perform::Nothing,
        ..Opening::recorded(room_name())
    };
    let there = second.runtime.reach(opening).await.unwrap();
    let asked = commons.news();
    let ada = person(&there, "ada");
    let said = tokio::spawn(async move { ada.publish_message(Post::text("hello")).await });
    let id = until_asked(&commons, asked).await;
    let long = 10 * LOOK_EVERY;
    tokio::time::sleep(long).await;
    assert_eq!(commons.holder(id), Some(first.member.id()));
    // Somebody declares it dead, and nobody follows.
    commons.evict(id);
    let left = Instant::now();
    let message = said.await.unwrap().unwrap();
    assert!(left.elapsed() <= 2 * LOOK_EVERY, "{:?}", left.elapsed());
    assert_eq!((times(&commons, "hello").await, commons.waiting()), (1, 0));
    assert_eq!(commons.holder(id), Some(second.member.id()));
    let known = person(&there, "bea")
        .read(move |world| world.head() >= message.0)
        .await;
    assert_eq!(known, Ok(true));
    second.runtime.close(&room_name()).await;
    assert_eq!(commons.holder(id), None);
}

/// How often whoever waits looks whether the room is free.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Waits until something was asked of the room, whose id it gives.
async fn until_asked(commons: &Commons, mut news: watch::Receiver<u64>) -> WorldId {
    while commons.asks_left() == 0 {
        news.changed().await.unwrap();
    }
    id_of(commons).await
}

/// Decides a request, and says so once it is known.
async fn deny(seat: &Seat, request: &Waiting) -> Result<(), Refusal> {
    loop {
        match seat.deny(request, "no").await {
            Ok(_) => return Ok(()),
            Err(SeatError::Refused(refusal)) => return Err(refusal),
            // The room was here, and is lost: a key would make it harmless, and so does the request itself.
            Err(SeatError::Busy { .. } | SeatError::TenureLost | SeatError::Closed) => {
                tokio::task::yield_now().await;
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[tokio::test]
async fn a_thousand_approvals_are_decided_once_each_with_the_holder_changing_at_random() {
    let (rounds, calls) = (10, 100);
    let (commons, room) = (Commons::default(), paying(calls));
    let first = Process::start(1, &room, &commons).serving(&commons);
    first.begin(&room).await;
    let second = Process::start(2, &room, &commons).serving(&commons);
    let other = Process::beside(&room, &commons);
    let there = other.reach().await;
    let (ada, bea) = (person(&there, "ada"), person(&there, "bea"));
    let id = id_of(&commons).await;
    let mut dice = fastrand::Rng::with_seed(7);
    let mut changes = 0;
    for round in 0..rounds {
        let key = Some(Key::Client(format!("round {round}")));
        let post = Post {
            key,
            ..Post::text("pay")
        };
        ada.publish_message(post).await.unwrap();
        assert_eq!(there.quiet().await, Ok(Activity::Parked));
        let waiting = ada.waiting().await.unwrap();
        assert_eq!(waiting.len(), calls);
        let moments: Vec<bool> = waiting.iter().map(|_| dice.u8(..) < 26).collect();
        changes += moments.iter().filter(|is_now| **is_now).count();
        let answers = futures::stream::iter(waiting.iter().zip(moments))
            .map(|(request, is_now)| {
                let (commons, ada, bea) = (&commons, &ada, &bea);
                async move {
                    let (one, other) = futures::join!(deny(ada, request), async {
                        if is_now {
                            commons.evict(id);
                        }
                        deny(bea, request).await
                    });
                    [one, other]
                }
            })
            .buffer_unordered(16);
        let answers: Vec<[Result<(), Refusal>; 2]> = answers.collect().await;
        for answer in answers {
            let no = |answer: &Result<(), Refusal>| {
                matches!(
                    answer,
                    Err(Refusal::Right {
                        reason: RefusalReason::AlreadyDecided,
                        ..
                    })
                )
            };
            let is_yes = |answer: &Result<(), Refusal>| answer.is_ok();
            let [one, other] = &answer;
            assert!(
                is_yes(one) && no(other) || no(one) && is_yes(other),
                "{answer:?}"
            );
        }
    }
    assert!(changes > 50, "{changes} changes");
    let mut decided: BTreeMap<RequestId, usize> = BTreeMap::new();
    for commit in commits_of(&commons.store(), &room_name()).await {
        for event in commit.events {
            if let Event::Call(CallEvent::ApprovalDecided(done)) = event {
                *decided.entry(done.request).or_default() += 1;
            }
        }
    }
    assert_eq!(decided.len(), rounds * calls);
    assert!(decided.values().all(|times| *times == 1));
    drop((first, second));
}

#[tokio::test]
async fn a_room_is_let_go_of_for_whoever_may_operate_it_and_nobody_has_it_meanwhile() {
    let (commons, room) = (Commons::default(), talkative());
    let first = Process::start(1, &room, &commons).serving(&commons);
    let here = first.begin(&room).await;
    person(&here, "ada")
        .publish_message(Post::text("one"))
        .await
        .unwrap();
    let second = Process::start(2, &room, &commons);
    let id = id_of(&commons).await;
    let ada = person(&here, "ada").principal().clone();
    let held = second.runtime.hold(&room_name(), &ada).await.unwrap();
    assert!(!here.is_open(), "its holder has closed it");
    assert_eq!(commons.holder(id), Some(second.member.id()));
    assert!(
        second.runtime.world(&room_name()).is_none(),
        "nobody opened it"
    );
    held.give_back().await;
    let first = first.reach().await;
    person(&first, "ada")
        .publish_message(Post::text("two"))
        .await
        .unwrap();
    assert_eq!(times(&commons, "two").await, 1);
}

#[tokio::test]
async fn a_room_is_not_let_go_of_for_whoever_may_not_operate_it() {
    let commons = Commons::default();
    let room = talkative().with(|spec| {
        let rights = &mut spec.policy.rights;
        rights.default = Rights([Right::Read, Right::Post].into());
    });
    let first = Process::start(1, &room, &commons).serving(&commons);
    let here = first.begin(&room).await;
    let second = Process::start(2, &room, &commons);
    let ada = person(&here, "ada").principal().clone();
    let refused = second.runtime.hold(&room_name(), &ada).await;
    assert!(matches!(refused, Err(OpenError::Refused(_))), "{refused:?}");
    assert!(here.is_open());
    let holder = commons.holder(id_of(&commons).await);
    assert_eq!(holder, Some(first.member.id()));
}

#[tokio::test]
async fn a_room_is_deleted_wherever_it_is_held() {
    let (commons, room) = (Commons::default(), talkative());
    let first = Process::start(1, &room, &commons).serving(&commons);
    let here = first.begin(&room).await;
    let second = Process::start(2, &room, &commons);
    let order = DeleteOrder {
        by: person(&here, "ada").principal().clone(),
        at: SystemClock.now(),
    };
    let store = Store::from(second.member.store());
    let deleted = delete_worlds(&second.runtime, &store, &[room_name()], &order).await;
    assert_eq!(deleted.unwrap().len(), 1);
    assert!(!here.is_open());
    let gone = first.runtime.reach(Opening::recorded(room_name())).await;
    assert!(matches!(gone, Err(OpenError::NoSuchWorld(_))), "{gone:?}");
}

#[tokio::test]
async fn a_room_that_is_held_is_not_opened_here_either() {
    let (commons, room) = (Commons::default(), talkative());
    let first = Process::start(1, &room, &commons);
    let here = first.begin(&room).await;
    let ada = person(&here, "ada").principal().clone();
    let held = first.runtime.hold(&room_name(), &ada).await.unwrap();
    let head = commits_of(&commons.store(), &room_name()).await.len();
    let opening = first.runtime.open(Opening::recorded(room_name()));
    let mut opening = std::pin::pin!(opening);
    assert!(futures::poll!(opening.as_mut()).is_pending());
    tokio::task::yield_now().await;
    assert!(futures::poll!(opening.as_mut()).is_pending());
    assert_eq!(commits_of(&commons.store(), &room_name()).await.len(), head);
    held.give_back().await;
    opening.await.unwrap();
}

#[tokio::test]
async fn a_room_in_which_a_tool_runs_is_not_let_go_of() {
    let commons = Commons::default();
    let may_end = Arc::new(Semaphore::new(0));
    let waits = Arc::clone(&may_end);
    let pay = FakeTool::new("pay", EffectClass::Destructive, move |_call| {
        let waits = Arc::clone(&waits);
        async move {
            waits.acquire().await.unwrap().forget();
            ToolOutcome::text("paid")
        }
    });
    let room = Room::auto()
        .agent("bob", &["pay"], Arc::new(Payer(1)))
        .tool(pay);
    let first = Process::start(1, &room, &commons).serving(&commons);
    let here = first.begin(&room).await;
    let ada = person(&here, "ada");
    let mut activity = ada.subscribe_activity().unwrap();
    ada.publish_message(Post::text("pay")).await.unwrap();
    while !matches!(activity.recv().await.unwrap(), ActivityEvent::Tool { .. }) {}
    let second = Process::start(2, &room, &commons);
    let ada = ada.principal().clone();
    let refused = second.runtime.hold(&room_name(), &ada).await;
    assert!(
        matches!(&refused, Err(OpenError::Elsewhere { why, .. }) if why.to_string().contains("pay runs there")),
        "{refused:?}"
    );
    assert!(here.is_open());
    may_end.add_permits(1);
    here.quiet().await.unwrap();
    second
        .runtime
        .hold(&room_name(), &ada)
        .await
        .unwrap()
        .give_back()
        .await;
}
