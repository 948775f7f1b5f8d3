//! A seat elsewhere does what a seat does.

use folkmoot::core::command::{Action, TalkAction};
use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::core::event::{Right, Rights, Span};
use folkmoot::core::ids::StepKey;
use folkmoot::{
    Activity, ActivityEvent, FeedEvent, FeedStart, File, IDLE_CLOSE, ItemId, Key, Post, SeatError,
};
use folkmoot_tests::{Commons, person, room_name};

use super::{Process, id_of, paying, talkative};

#[tokio::test]
async fn what_is_said_elsewhere_is_answered_and_seen_on_both_sides() {
    let (commons, room) = (Commons::default(), talkative());
    let holder = Process::start(1, &room, &commons).serving(&commons);
    let here = holder.begin(&room).await;
    let other = Process::start(2, &room, &commons);
    let there = other.reach().await;
    assert_eq!(
        commons.holder(id_of(&commons).await),
        Some(holder.member.id())
    );
    let ada = person(&there, "ada");
    let mut texts = ada.subscribe_text().await.unwrap();
    let mut activity = ada.subscribe_activity().unwrap();
    let message = ada.publish_message(Post::text("hi")).await.unwrap();
    // Whoever was answered sees what came of it at once.
    assert!(
        ada.read(move |world| world.head() >= message.0)
            .await
            .unwrap()
    );
    assert_eq!(there.quiet().await, Ok(Activity::Idle));
    assert_eq!(texts.next().await.unwrap().unwrap().text, "hi");
    assert_eq!(texts.next().await.unwrap().unwrap().text, "done");
    assert_eq!(
        activity.recv().await,
        Ok(ActivityEvent::World(Activity::Running))
    );
    let said = |world: &folkmoot::core::world::World| world.transcript().len();
    assert_eq!(ada.read(said).await, Ok(2));
    assert_eq!(person(&here, "ada").read(said).await, Ok(2));
}

#[tokio::test]
async fn approvals_edits_files_and_rights_reach_the_holder() {
    let (commons, room) = (Commons::default(), paying(1));
    let holder = Process::start(1, &room, &commons).serving(&commons);
    let here = holder.begin(&room).await;
    let other = Process::start(2, &room, &commons);
    let there = other.reach().await;
    let ada = person(&there, "ada");
    let file = File {
        name: "a.txt".to_owned(),
        media_type: "text/plain".to_owned(),
        bytes: b"hello".to_vec(),
    };
    let attachment = ada.attach(file).await.unwrap();
    let post = Post {
        attachments: vec![attachment.clone()],
        ..Post::text("please pay")
    };
    let message = ada.publish_message(post).await.unwrap();
    assert_eq!(
        ada.attached(attachment.blob).await,
        Ok(Some(b"hello".to_vec()))
    );
    assert_eq!(there.quiet().await, Ok(Activity::Parked));
    let waiting = ada.waiting().await.unwrap();
    ada.allow(&waiting[0]).await.unwrap();
    there.quiet().await.unwrap();
    assert_eq!(ada.waiting().await, Ok(Vec::new()));
    let again = ada.allow(&waiting[0]).await;
    let refused = |answer: &Result<_, SeatError>| {
        matches!(
            answer,
            Err(SeatError::Refused(Refusal::Right {
                reason: RefusalReason::AlreadyDecided,
                ..
            }))
        )
    };
    assert!(refused(&again), "{again:?}");
    ada.edit(message, "please pay twice", None).await.unwrap();
    there.quiet().await.unwrap();
    let who = ada.principal().person().unwrap().clone();
    let rights = Some(Rights([Right::Post].into()));
    let mut feed = ada.feed(FeedStart::Beginning).unwrap();
    here.operator()
        .set_rights(&who.method, &who.subject, rights, None)
        .await
        .unwrap();
    // The feed ends as soon as the news is there.
    while feed.next().await.unwrap().is_some() {}
    assert!(!ada.may(Right::Read));
    assert!(matches!(ada.read(|_| ()).await, Err(SeatError::Refused(_))));
}

#[tokio::test]
async fn what_is_erased_from_elsewhere_is_gone_on_both_sides() {
    let (commons, room) = (Commons::default(), talkative());
    let holder = Process::start(1, &room, &commons).serving(&commons);
    let here = holder.begin(&room).await;
    let other = Process::start(2, &room, &commons);
    let there = other.reach().await;
    let mut feed = person(&there, "bea").feed(FeedStart::Beginning).unwrap();
    let ada = person(&there, "ada");
    let message = ada.publish_message(Post::text("a secret")).await.unwrap();
    there.quiet().await.unwrap();
    let span = Span {
        from: message.0,
        to: message.0,
    };
    let request = there
        .operator()
        .erase(vec![span], "asked for", None)
        .await
        .unwrap();
    let erased = there.erased(request).await.unwrap();
    assert_eq!(erased.events, 1);
    for world in [&here, &there] {
        let words = world
            .operator()
            .read(|world| serde_json::to_string(world).unwrap())
            .await
            .unwrap();
        assert!(!words.contains("a secret"));
    }
    let mut words = String::new();
    while let Some(FeedEvent::Item(item)) = feed.next_up_to(erased.request).await.unwrap() {
        words.push_str(&serde_json::to_string(&item).unwrap());
    }
    assert!(!words.contains("a secret"), "{words}");
}

#[tokio::test]
async fn what_cannot_be_had_elsewhere_is_refused_clearly() {
    let (commons, room) = (Commons::default(), talkative());
    let holder = Process::start(1, &room, &commons).serving(&commons);
    let _here = holder.begin(&room).await;
    let other = Process::start(2, &room, &commons);
    let there = other.reach().await;
    let step = StepKey { run: 1, index: 0 };
    let digest = folkmoot::core::ids::Digest::of(&[b"step"]);
    let advanced = there
        .operator()
        .advance(std::time::Duration::from_secs(1), step, digest)
        .await;
    let why = "its clock is moved on where it is held".to_owned();
    assert_eq!(advanced, Err(SeatError::Elsewhere(why)));
    let tick = Action::Shell(folkmoot::core::command::ShellAction::Tick);
    let ticked = there.operator().give(tick, None).await;
    assert!(
        matches!(&ticked, Err(SeatError::Elsewhere(why)) if why.contains("Tick")),
        "{ticked:?}"
    );
    let ada = person(&there, "ada");
    let long = TalkAction::Edit {
        message: folkmoot::MessageId(folkmoot::Position::new(1)),
        text: "x".repeat(256 * 1024),
    };
    let answer = ada.give(Action::Talk(long), None).await;
    let is_too_large = matches!(answer, Err(SeatError::TooLarge { bytes, max }) if bytes > max && max <= 256 * 1024);
    assert!(is_too_large, "{answer:?}");
    // Neither was sent.
    assert_eq!(commons.asks_left(), 0);
    let revised = room.with(|spec| spec.limits.attachment_bytes_max = 5);
    there
        .operator()
        .revise(revised.definition(), None)
        .await
        .unwrap();
    let max = ada
        .read(|world| world.rules().spec().limits.attachment_bytes_max)
        .await;
    assert_eq!(max, Ok(5));
}

#[tokio::test]
async fn a_key_gives_its_first_answer_wherever_it_is_used() {
    let (commons, room) = (Commons::default(), talkative());
    let holder = Process::start(1, &room, &commons).serving(&commons);
    let here = holder.begin(&room).await;
    let other = Process::start(2, &room, &commons);
    let there = other.reach().await;
    let post = |text: &str| Post {
        key: Some(Key::Client("k".to_owned())),
        ..Post::text(text)
    };
    let first = person(&there, "ada").publish_message(post("hi")).await;
    assert!(first.is_ok());
    assert_eq!(
        person(&here, "ada").publish_message(post("hi")).await,
        first
    );
    assert_eq!(
        person(&there, "ada").publish_message(post("hi")).await,
        first
    );
    let other = person(&there, "ada").publish_message(post("ho")).await;
    assert_eq!(other, Err(SeatError::KeyReused("k".to_owned())));
}

#[tokio::test]
async fn a_key_that_is_too_long_is_refused_wherever_it_is_used() {
    let (commons, room) = (Commons::default(), talkative());
    let holder = Process::start(1, &room, &commons).serving(&commons);
    let here = holder.begin(&room).await;
    let other = Process::start(2, &room, &commons);
    let there = other.reach().await;
    let post = |length: usize| Post {
        key: Some(Key::Client("k".repeat(length))),
        ..Post::text("hi")
    };
    let (bytes, max) = (Key::BYTES_MAX + 1, Key::BYTES_MAX);
    for world in [&here, &there] {
        let ada = person(world, "ada");
        let refused = ada.publish_message(post(bytes)).await;
        assert_eq!(refused, Err(SeatError::LongKey { bytes, max }));
        ada.publish_message(post(max)).await.unwrap();
    }
}

#[tokio::test]
async fn a_room_whose_task_broke_off_is_not_open_and_is_reached_anew() {
    let (commons, room) = (Commons::default(), talkative());
    let process = Process::start(1, &room, &commons);
    let broken = process.begin(&room).await;
    let look = |_: &folkmoot::core::world::World| panic!("a look that breaks the task off");
    let answer: Result<(), SeatError> = broken.operator().read(look).await;
    assert_eq!(answer, Err(SeatError::Closed));
    assert!(!broken.is_open());
    let again = process.reach().await;
    let ada = person(&again, "ada");
    assert!(ada.publish_message(Post::text("hi")).await.is_ok());
}

#[tokio::test]
async fn a_command_on_its_way_is_answered_though_its_room_is_closed_where_it_was_given() {
    let (commons, room) = (Commons::default(), talkative());
    // It holds the room, and answers nobody yet.
    let holder = Process::start(1, &room, &commons);
    holder.begin(&room).await;
    let other = Process::beside(&room, &commons);
    let ada = person(&other.reach().await, "ada");
    let given = tokio::spawn(async move { ada.publish_message(Post::text("hi")).await });
    let mut news = commons.news();
    while commons.asks_left() == 0 {
        news.changed().await.unwrap();
    }
    other.runtime.close(&room_name()).await;
    let _serving = holder.serving(&commons);
    let said = given.await.unwrap();
    assert!(said.is_ok(), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_room_that_waits_for_people_is_not_followed_for_ever() {
    let (commons, room) = (Commons::default(), paying(1));
    let holder = Process::start(1, &room, &commons);
    let here = holder.begin(&room).await;
    person(&here, "ada")
        .publish_message(Post::text("pay"))
        .await
        .unwrap();
    assert_eq!(here.quiet().await, Ok(Activity::Parked));
    let other = Process::beside(&room, &commons);
    let there = other.reach().await;
    let ended = tokio::time::timeout(2 * IDLE_CLOSE, there.unparked()).await;
    assert_eq!(ended, Ok(Ok(())), "it is still followed");
    assert!(!there.is_open());
    assert_eq!(other.reach().await.quiet().await, Ok(Activity::Parked));
}

#[tokio::test]
async fn a_look_elsewhere_is_no_older_than_the_question() {
    let (commons, room) = (Commons::default(), talkative());
    let holder = Process::start(1, &room, &commons).serving(&commons);
    let here = holder.begin(&room).await;
    let other = Process::start(2, &room, &commons);
    let there = other.reach().await;
    let ada = person(&here, "ada");
    for round in 0..50 {
        let message = ada
            .publish_message(Post::text(format!("{round}")))
            .await
            .unwrap();
        let head = there.operator().read(|world| world.head()).await.unwrap();
        assert!(head >= message.0, "{head} after {message:?}");
    }
    // Whoever was told of a place by one process goes on behind it at another.
    for round in 0..20 {
        let text = format!("{round}");
        let message = ada.publish_message(Post::text(text)).await.unwrap();
        let again = person(&other.reach().await, "ada");
        let behind = FeedStart::After(ItemId::behind(message.0));
        assert!(again.feed(behind).is_ok());
    }
}
