//! The feed of a seat: whoever reads on behind any item gets exactly the items behind it, whatever happened in the room.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{CallEvent, Event, OutcomeSettled, SettledHow, TalkEvent, TurnEvent};
use folkmoot::core::ids::Position;
use folkmoot::core::world::projection::{FeedActivity, FeedBody, FeedItem, ItemId};
use folkmoot::{
    Feed, FeedEvent, FeedStart, Forking, Opening, Perform, Post, Runtime, SeatError, Store,
    WorldHandle, WorldName,
};
use folkmoot_tests::{
    Cut, FakeModel, FakeTool, Kept, Room, Stage, commits_of, person, says, wants,
};

use crate::scripts;

/// Every how many items a feed is cut, unless `FOLKMOOT_SWEEP` says otherwise.
const STEP: usize = 5;

fn step() -> usize {
    match std::env::var("FOLKMOOT_SWEEP") {
        Ok(step) => step.parse().unwrap(),
        Err(_) => STEP,
    }
}

/// Opens a world that performs nothing, so that its feed stands still.
async fn look(store: &Store, name: &WorldName) -> (Runtime, WorldHandle) {
    let runtime = Runtime::builder(store).build();
    let opening = Opening {
        perform: Perform::Nothing,
        ..Opening::recorded(name.clone())
    };
    let world = runtime.open(opening).await.unwrap();
    (runtime, world)
}

/// All events of a feed up to the end of its world.
async fn drain(mut feed: Feed) -> Vec<FeedEvent> {
    let mut events = Vec::new();
    while let Some(event) = feed.next().await.unwrap() {
        events.push(event);
    }
    events
}

fn items(events: Vec<FeedEvent>) -> Vec<FeedItem> {
    let item = |event| match event {
        FeedEvent::Item(item) => Some(item),
        FeedEvent::Draft(_) => None,
    };
    events.into_iter().filter_map(item).collect()
}

/// The items of a world from its beginning, read by somebody who comes late.
async fn all_items(store: &Store, name: &WorldName) -> Vec<FeedItem> {
    let (runtime, world) = look(store, name).await;
    let feed = world.operator().feed(FeedStart::Beginning).unwrap();
    runtime.shutdown().await;
    items(drain(feed).await)
}

#[tokio::test]
async fn whoever_reads_on_after_any_item_gets_exactly_those_behind_it() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut inside = 0;
    for file in scripts::all() {
        let stage = Stage::of(&file, Kept::InMemory);
        let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)) as _);
        stage.run(&runtime).await.unwrap();
        runtime.shutdown().await;
        let name = &stage.script.world;
        let all = all_items(stage.store(), name).await;
        for item in &all {
            *kinds.entry(kind(item)).or_default() += 1;
            let written = serde_json::to_value(item).unwrap();
            assert_eq!(&serde_json::from_value::<FeedItem>(written).unwrap(), item);
        }
        whole(&all, &commits_of(stage.store(), name).await);

        let (runtime, world) = look(stage.store(), name).await;
        let mut cut = Vec::new();
        for place in (all.len() % step()..all.len()).step_by(step()) {
            let start = FeedStart::After(all[place].id);
            cut.push((place, world.operator().feed(start).unwrap()));
        }
        runtime.shutdown().await;
        for (place, feed) in cut {
            assert_eq!(
                items(drain(feed).await),
                all[place + 1..],
                "{name} at {place}"
            );
            inside += usize::from(all.get(place + 1).is_some_and(|next| next.id.number > 0));
        }
    }
    let expected = [
        "activity",
        "call_finished",
        "call_replaced",
        "call_started",
        "decision",
        "message",
        "notice",
        "request",
        "revised",
    ];
    assert_eq!(
        kinds.keys().map(String::as_str).collect::<Vec<_>>(),
        expected
    );
    assert!(inside > 0, "no feed was cut inside an event");
}

/// The items of a log are all there, in order, and say where they belong.
fn whole(items: &[FeedItem], commits: &[Commit]) {
    assert!(items.is_sorted_by(|one, other| one.id < other.id));
    let count = |fits: fn(&FeedBody) -> bool| items.iter().filter(|item| fits(&item.body)).count();
    let events = || commits.iter().flat_map(|commit| &commit.events);
    let recorded = |fits: fn(&Event) -> bool| events().filter(|event| fits(event)).count();
    assert_eq!(
        count(|item| matches!(item, FeedBody::Message { .. })),
        recorded(|event| matches!(
            event,
            Event::Talk(TalkEvent::MessagePosted(_) | TalkEvent::MessageEdited(_))
        ))
    );
    assert_eq!(
        count(|item| matches!(item, FeedBody::CallStarted { .. })),
        recorded(|event| matches!(event, Event::Call(CallEvent::ToolStarted(_))))
    );
    assert_eq!(
        count(|item| matches!(item, FeedBody::CallFinished { .. })),
        recorded(|event| matches!(event, Event::Call(CallEvent::ToolFinished(_))))
            + recorded(
                |event| matches!(event, Event::Call(CallEvent::OutcomeSettled(settled)) if ends(settled))
            )
    );
    let is_opened = |item: &FeedBody| {
        let FeedBody::Activity { activity } = item else {
            return false;
        };
        *activity == FeedActivity::TurnOpened
    };
    assert_eq!(
        count(is_opened),
        recorded(|event| matches!(event, Event::Turn(TurnEvent::TurnOpened(_))))
    );
    let is_ended = |body: &FeedBody| {
        let FeedBody::Activity { activity } = body else {
            return false;
        };
        *activity == FeedActivity::EpisodeEnded
    };
    let mut episodes = BTreeSet::new();
    let mut ended = BTreeSet::new();
    let mut waiting = BTreeSet::new();
    for item in items {
        if let FeedBody::Request { request, .. } = &item.body {
            assert!(waiting.insert(request.request), "a request came twice");
            assert!(request.arguments.is_some());
        } else if let FeedBody::Decision { request, .. } = &item.body {
            assert!(waiting.remove(request), "a decision on no request");
        } else if let FeedBody::CallStarted {
            arguments, tool, ..
        } = &item.body
        {
            assert!(arguments.is_some() && !tool.is_empty());
            assert!(item.agent.is_some() && item.turn.is_some() && item.episode.is_some());
        } else if let FeedBody::Activity { .. } = &item.body {
            assert!(item.episode.is_some(), "{item:?}");
        }
        if is_ended(&item.body) {
            assert!(
                episodes.contains(&item.episode),
                "no such episode: {item:?}"
            );
            assert!(ended.insert(item.episode), "it ended before: {item:?}");
        } else {
            episodes.insert(item.episode);
        }
    }
}

/// A settlement gives a call its result, if it does not run again.
fn ends(settled: &OutcomeSettled) -> bool {
    settled.how != SettledHow::RunAgain
}

#[tokio::test]
async fn of_messages_that_are_gone_a_late_reader_gets_ids_and_no_words() {
    let store = Store::memory();
    let model = FakeModel::new([says("first"), says("second")]);
    let (runtime, world) = Room::auto().agent("a", &[], model).open(&store).await;
    let seat = person(&world, "ada");
    let mut live = seat.feed(FeedStart::Now).unwrap();
    let message = seat.publish_message(Post::text("hi")).await.unwrap();
    world.quiet().await.unwrap();
    let mut early = Vec::new();
    while early.len() < 5 {
        early.extend(live.next().await.unwrap());
    }
    seat.edit(message, "hello", None).await.unwrap();
    world.quiet().await.unwrap();
    let late = seat.feed(FeedStart::Beginning).unwrap();
    // The tail is still there for whoever comes back to an item of it.
    let FeedEvent::Item(first) = &early[0] else {
        panic!("a draft comes first")
    };
    let back = seat.feed(FeedStart::After(first.id)).unwrap();
    let room = world.name().clone();
    runtime.shutdown().await;

    let early = words(&items(early));
    assert_eq!(early, [Some("hi".to_owned()), Some("first".to_owned())]);
    let live = items(drain(live).await);
    let late = items(drain(late).await);
    let expected = [
        None,
        None,
        Some("hello".to_owned()),
        Some("second".to_owned()),
    ];
    assert_eq!(words(&late), expected);
    assert_eq!(items(drain(back).await), late[1..]);
    assert_eq!(late[late.len() - live.len()..], live);
    let revised = late.iter().filter_map(|item| match &item.body {
        FeedBody::Revised { gone, .. } => Some(gone.clone()),
        _ => None,
    });
    let gone: Vec<Position> = late
        .iter()
        .filter(|item| matches!(item.body, FeedBody::Message { gone: true, .. }))
        .map(|item| item.id.at)
        .collect();
    assert_eq!(revised.collect::<Vec<_>>(), [gone]);
    assert_eq!(late, all_items(&store, &room).await);
}

fn words(items: &[FeedItem]) -> Vec<Option<String>> {
    let text = |item: &FeedItem| match &item.body {
        FeedBody::Message { text, .. } => Some(text.clone()),
        _ => None,
    };
    items.iter().filter_map(text).collect()
}

#[tokio::test]
async fn a_reader_who_falls_far_behind_gets_everything_from_the_log() {
    let store = Store::memory();
    let (runtime, world) = Room::auto().open(&store).await;
    let seat = person(&world, "ada");
    let mut slow = seat.feed(FeedStart::Now).unwrap();
    let count = 600;
    for number in 0..count {
        let post = Post::text(format!("message {number}"));
        seat.publish_message(post).await.unwrap();
        if number == 300 {
            let _one = slow.next().await.unwrap();
        }
    }
    runtime.shutdown().await;
    let said = words(&items(drain(slow).await));
    let expected: Vec<_> = (1..count).map(|n| Some(format!("message {n}"))).collect();
    assert_eq!(said, expected);
}

#[tokio::test]
async fn a_feed_goes_on_behind_an_item_only_of_its_own_world() {
    let store = Store::memory();
    let (_runtime, world) = Room::auto().open(&store).await;
    let seat = person(&world, "ada");
    let at = Position::new(1_000);
    let behind = seat.feed(FeedStart::After(ItemId { at, number: 0 }));
    let head = world.operator().read(|world| world.head()).await.unwrap();
    assert_eq!(behind.unwrap_err(), SeatError::BehindHead { at, head });
}

#[test]
fn ids_of_items_are_positions_with_a_number() {
    let id = |at, number| ItemId {
        at: Position::new(at),
        number,
    };
    for (text, id) in [
        ("17", id(17, 0)),
        ("17.1", id(17, 1)),
        ("1.12", id(1, 12)),
        ("4.end", ItemId::behind(Position::new(4))),
    ] {
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(id.to_string(), text);
    }
    for wrong in [
        "",
        ".",
        "1.",
        ".1",
        "+1",
        "1.+1",
        "-1",
        "1.2.3",
        "end",
        "1.END",
        "1 ",
        "18446744073709551616",
    ] {
        assert!(wrong.parse::<ItemId>().is_err(), "{wrong:?}");
    }
}

/// A call that a person allows names its agent, turn and episode from the request to the result.
#[tokio::test]
async fn a_call_is_followed_from_its_request_to_its_result() {
    let store = Store::memory();
    let model = FakeModel::new([wants(&["pay"]), says("paid")]);
    let tool = FakeTool::new("pay", folkmoot::Effect::Destructive, |_| async {
        folkmoot::core::tool::ToolOutcome::text("42")
    });
    let room = Room::asking().agent("a", &["pay"], model).tool(tool);
    let (runtime, world) = room.open(&store).await;
    let seat = person(&world, "ada");
    let feed = seat.feed(FeedStart::Now).unwrap();
    seat.publish_message(Post::text("pay")).await.unwrap();
    world.quiet().await.unwrap();
    let waiting = seat.waiting().await.unwrap().remove(0);
    seat.allow(&waiting).await.unwrap();
    world.quiet().await.unwrap();
    runtime.shutdown().await;
    let items = items(drain(feed).await);
    let kinds: Vec<String> = items.iter().map(kind).collect();
    let expected = [
        "message",
        "activity",
        "request",
        "decision",
        "call_started",
        "call_finished",
        "message",
        "activity",
        "activity",
    ];
    assert_eq!(kinds, expected);
    let episodes: BTreeSet<_> = items.iter().map(|item| item.episode).collect();
    let turns: BTreeSet<_> = items[1..8].iter().map(|item| item.turn).collect();
    assert_eq!((episodes.len(), turns.len()), (1, 1), "{items:#?}");
    assert!(
        items[1..8]
            .iter()
            .all(|item| item.agent.is_some() && item.turn.is_some())
    );
}

/// The kind of an item, as it is written.
fn kind(item: &FeedItem) -> String {
    let written = serde_json::to_value(item).unwrap();
    written["type"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn words_that_are_taken_back_between_two_items_of_a_commit_are_not_given() {
    let store = Store::memory();
    let (runtime, world) = Room::auto().open(&store).await;
    let seat = person(&world, "ada");
    let message = seat.publish_message(Post::text("hi")).await.unwrap();
    let mut live = seat.feed(FeedStart::Now).unwrap();
    let mut late = seat.feed(FeedStart::Beginning).unwrap();
    seat.edit(message, "secret", None).await.unwrap();
    for feed in [&mut live, &mut late] {
        let is_revised = |event: &FeedEvent| matches!(event, FeedEvent::Item(item) if matches!(item.body, FeedBody::Revised { .. }));
        while !is_revised(&feed.next().await.unwrap().unwrap()) {}
    }
    seat.retract(message, None).await.unwrap();
    runtime.shutdown().await;
    for feed in [live, late] {
        assert_eq!(words(&items(drain(feed).await)), [None]);
    }
}

#[tokio::test]
async fn a_call_that_is_taken_back_with_its_message_still_says_where_it_belongs() {
    let store = Store::memory();
    let model = FakeModel::new([wants(&["pay"]), says("no")]);
    let tool = FakeTool::new("pay", folkmoot::Effect::Destructive, |_| async {
        folkmoot::core::tool::ToolOutcome::text("42")
    });
    let room = Room::asking().agent("a", &["pay"], model).tool(tool);
    let (runtime, world) = room.open(&store).await;
    let seat = person(&world, "ada");
    let feed = seat.feed(FeedStart::Now).unwrap();
    let message = seat.publish_message(Post::text("pay")).await.unwrap();
    world.quiet().await.unwrap();
    seat.edit(message, "do not pay", None).await.unwrap();
    world.quiet().await.unwrap();
    runtime.shutdown().await;
    let items = items(drain(feed).await);
    for wanted in ["request", "decision", "call_finished"] {
        let item = items.iter().find(|item| kind(item) == wanted);
        let item = item.unwrap_or_else(|| panic!("{wanted} is missing: {items:#?}"));
        assert!(item.turn.is_some() && item.episode.is_some(), "{item:#?}");
        if let FeedBody::CallFinished { tool, .. } = &item.body {
            assert_eq!(tool, "pay");
        }
    }
}

#[tokio::test]
async fn a_branch_and_its_parent_each_take_back_words_of_their_own() {
    let store = Store::memory();
    let model = FakeModel::new([]);
    let (runtime, world) = Room::auto().agent("a", &[], model).open(&store).await;
    let seat = person(&world, "ada");
    let one = seat.publish_message(Post::text("@kim one")).await.unwrap();
    let two = seat.publish_message(Post::text("@kim two")).await.unwrap();
    world.quiet().await.unwrap();
    let name = WorldName::new("branch").unwrap();
    let branched = runtime
        .fork(Forking::of(world.name().clone(), name))
        .await
        .unwrap();
    let other = person(&branched.world, "ada");
    seat.retract(one, None).await.unwrap();
    other.retract(two, None).await.unwrap();
    let of_parent = seat.feed(FeedStart::Beginning).unwrap();
    let of_branch = other.feed(FeedStart::Beginning).unwrap();
    runtime.shutdown().await;
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(
        words(&items(drain(of_parent).await)),
        [None, said("@kim two")]
    );
    assert_eq!(
        words(&items(drain(of_branch).await)),
        [said("@kim one"), None]
    );
}

#[tokio::test]
async fn a_closed_handle_reads_no_further_than_it_came() {
    let store = Store::memory();
    let (runtime, world) = Room::auto().open(&store).await;
    let seat = person(&world, "ada");
    seat.publish_message(Post::text("then")).await.unwrap();
    runtime.shutdown().await;
    let (runtime, world) = Room::auto().open(&store).await;
    let again = person(&world, "ada");
    again.publish_message(Post::text("now")).await.unwrap();
    runtime.shutdown().await;
    let old = seat.feed(FeedStart::Beginning).unwrap();
    assert_eq!(words(&items(drain(old).await)), [Some("then".to_owned())]);
}
