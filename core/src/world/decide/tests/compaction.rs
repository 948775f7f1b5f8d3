//! Memories that are larger than what a model reads.

use crate::content::Content;
use crate::event::refusal::Refusal;
use crate::event::*;
use crate::ids::Digest;
use crate::model::response::{LLMResponse, ModelErrorKind, Part, Reply};
use crate::prompt::Item;
use crate::spec::WorldSpec;
use crate::testing::*;
use crate::tool::ToolOutcome;

/// A room whose model reads about 240 tokens of items: five long messages.
fn small() -> WorldSpec {
    room_with(|spec| {
        spec.agents
            .iter_mut()
            .for_each(|agent| agent.tools.retain(|tool| tool.as_str() == "look"));
        spec.models
            .values_mut()
            .for_each(|model| model.context_tokens_max = 500);
    })
}

/// About 48 tokens.
fn long(n: u32) -> String {
    format!("@bob {n} {}", "x".repeat(150))
}

fn heard(said: &str) -> Item {
    Item::Heard {
        from: "ada".into(),
        text: said.into(),
        attachments: Vec::new(),
    }
}

fn said(text: &str) -> Item {
    Item::Said {
        parts: vec![Part::Text(text.to_owned())],
    }
}

fn summary(text: &str) -> Item {
    Item::Summary { text: text.into() }
}

fn read(past: &Past) -> Vec<Item> {
    let ask = past.world.model_ask(&agent("bob")).unwrap();
    ask.request
        .items
        .iter()
        .map(|item| (**item).clone())
        .collect()
}

fn purposes(past: &Past) -> Vec<Purpose> {
    let purpose = |event: &Event| {
        if let Event::Turn(TurnEvent::ModelCalled(called)) = event {
            Some(called.purpose)
        } else {
            None
        }
    };
    past.events().filter_map(purpose).collect()
}

fn kinds(past: &Past) -> Vec<&'static str> {
    past.last()
        .iter()
        .map(|event| event.kind().name())
        .collect()
}

/// Bob heard and answered `count` long messages, and heard one more.
fn talked(room: WorldSpec, count: u32) -> Past {
    let talk = |past: Past, n| past.said(&long(n)).woke("bob").answered("bob", text("yes"));
    (1..=count)
        .fold(Past::with(room), talk)
        .said(&long(count + 1))
}

/// Bob is asked for a summary.
fn compacting() -> Past {
    talked(small(), 4).woke("bob")
}

/// The call and the fingerprint of the request that bob's model has now.
fn asked(past: &Past) -> (u64, Digest) {
    let turn = past.memory("bob").turn.as_ref().unwrap();
    let request = past.world.model_ask(&agent("bob")).unwrap().request;
    (
        turn.model.as_ref().unwrap().call.0.get(),
        request.fingerprint,
    )
}

fn broken(cause: PrefixCause, dropped: u32) -> Event {
    Event::Turn(TurnEvent::PrefixBroken(PrefixBroken {
        agent: agent("bob"),
        cause,
        dropped,
    }))
}

fn summarised(past: &Past, at_position: u64, items: u32) -> Event {
    Event::Turn(TurnEvent::MemoryCompacted(MemoryCompacted {
        agent: agent("bob"),
        turn: past.turn("bob"),
        answer: at(at_position),
        items,
    }))
}

fn answered(past: &Past, response: &LLMResponse) -> Event {
    let model = past
        .memory("bob")
        .turn
        .as_ref()
        .unwrap()
        .model
        .clone()
        .unwrap();
    Event::Turn(TurnEvent::ModelAnswered(ModelAnswered {
        agent: agent("bob"),
        turn: past.turn("bob"),
        call: model.call,
        attempt: model.attempt,
        kind: AnswerKind::of(response),
        calls: u32::try_from(response.reply().calls().count()).unwrap(),
        usage: response.reply().usage,
        played: None,
        response: Content::Present(response.clone()),
    }))
}

#[test]
fn memory_that_fits_is_read_whole() {
    let past = talked(small(), 2).woke("bob");
    assert_eq!(purposes(&past), [Purpose::Turn; 3]);
    assert_eq!(
        read(&past),
        [
            heard(&long(1)),
            said("yes"),
            heard(&long(2)),
            said("yes"),
            heard(&long(3))
        ]
    );
}

#[test]
fn woken_agent_whose_memory_is_too_large_is_asked_for_a_summary_of_its_older_half() {
    let past = talked(small(), 4);
    let after = past.clone().woke("bob");
    let (call, link) = asked(&after);
    let news = past.memory("bob").inbox[0].at.get();
    let head = past.world.head().get();
    let opened = turn_opened("bob", news, head, &[news]);
    let called = model_called(call, 1, after.turn("bob"), Purpose::Compaction, 8, link);
    check(&past, &past.wake("bob", ask()), &accepted([opened, called]));
    let request = after.world.model_ask(&agent("bob")).unwrap().request;
    assert_eq!(request.tools, []);
    assert_eq!(request.parameters.output_tokens_max, Some(62));
    let items = read(&after);
    let older = [1, 2, 3, 4]
        .map(|n| [heard(&long(n)), said("yes")])
        .concat();
    assert_eq!(items[..7], older[..7]);
    assert!(
        matches!(&items[7], Item::Notice { text } if text.starts_with("Your memory is full.")),
        "{items:?}"
    );
}

#[test]
fn summary_takes_the_place_of_what_it_stands_for_and_the_call_that_was_wanted_follows() {
    let past = compacting();
    let response = text("ada asked thrice");
    let after = past.clone().answered("bob", response.clone());
    let ((call, link), first) = (asked(&after), past.world.head().get() + 1);
    let called = model_called(call, 1, past.turn("bob"), Purpose::Turn, 3, link);
    let then = [
        answered(&past, &response),
        summarised(&past, first, 7),
        broken(PrefixCause::Compaction, 0),
        called,
    ];
    check(&past, &past.answer("bob", response), &accepted(then));
    let items = [summary("ada asked thrice"), said("yes"), heard(&long(5))];
    assert_eq!(read(&after), items);
    let after = after.answered("bob", text("fine"));
    assert_eq!(
        kinds(&after),
        [
            "ModelAnswered",
            "MessagePosted",
            "MessageRouted",
            "TurnClosed"
        ]
    );
    assert_eq!(after.owed(), []);
}

#[test]
fn summary_is_never_said_to_anybody_and_none_of_its_calls_is_taken_up() {
    let call = calls(&[("look", "{}")]);
    let mut parts = call.reply().parts.clone();
    parts.insert(0, Part::Text("@eve look at this".to_owned()));
    let response = LLMResponse::Calls(Reply {
        parts,
        ..Reply::default()
    });
    let past = compacting().answered("bob", response);
    assert_eq!(
        kinds(&past),
        ["ModelAnswered", "PrefixBroken", "ModelCalled"]
    );
    let past = compacting().answered("bob", text("@eve look at this"));
    assert_eq!(
        kinds(&past),
        [
            "ModelAnswered",
            "MemoryCompacted",
            "PrefixBroken",
            "ModelCalled"
        ]
    );
    assert_eq!(
        (
            past.memory("eve").inbox.len(),
            &past.memory("bob").open_calls.len()
        ),
        (0, &0)
    );
}

#[test]
fn summary_that_was_cut_is_one_and_an_empty_one_or_a_refusal_is_none() {
    let reply = |part| Reply {
        parts: vec![part],
        ..Reply::default()
    };
    let cut = compacting().answered(
        "bob",
        LLMResponse::Truncated(reply(Part::Text("ada asked".to_owned()))),
    );
    assert_eq!(read(&cut)[0], summary("ada asked"));
    let refused = LLMResponse::Refused(reply(Part::Refusal("no".to_owned())));
    for none in [text("  "), refused, LLMResponse::Text(Reply::default())] {
        let past = compacting().answered("bob", none);
        let broken_by = past
            .events()
            .filter(|event| **event == broken(PrefixCause::MemoryFull, 5))
            .count();
        assert_eq!((broken_by, read(&past)[0].clone()), (1, said("yes")));
    }
}

#[test]
fn agent_goes_on_without_a_summary_that_could_not_be_had() {
    let past = compacting();
    let failed = past
        .clone()
        .model_failed("bob", ModelErrorKind::RefusesRequest);
    assert_eq!(
        kinds(&failed),
        ["ModelFailed", "PrefixBroken", "ModelCalled"]
    );
    assert_eq!(failed.last()[1], broken(PrefixCause::MemoryFull, 5));
    assert_eq!(
        read(&failed),
        [said("yes"), heard(&long(4)), said("yes"), heard(&long(5))]
    );
    let failed = failed.model_failed("bob", ModelErrorKind::Overload);
    let state = failed
        .memory("bob")
        .turn
        .as_ref()
        .unwrap()
        .model
        .as_ref()
        .unwrap();
    assert_eq!((state.failed, state.retry_at.is_some()), (1, true));
}

#[test]
fn summary_is_tried_again_after_a_failure_that_passes() {
    let past = compacting().model_failed("bob", ModelErrorKind::Overload);
    assert_eq!(kinds(&past), ["ModelFailed"]);
    let link = asked(&compacting());
    let past = past.after_ms(60_000);
    let retry = past.retry("bob");
    let past = past.then(retry);
    assert_eq!(
        (asked(&past), purposes(&past).last()),
        (link, Some(&Purpose::Compaction))
    );
    let past = past.answered("bob", text("ada asked thrice"));
    assert_eq!(read(&past)[0], summary("ada asked thrice"));
}

#[test]
fn summary_is_asked_for_again_after_a_crash() {
    let past = compacting();
    let link = asked(&past);
    let late = past.answer("bob", text("too late"));
    let past = past.crashed();
    check(&past, &late, &quietly(Refusal::Stale));
    let retry = past.retry("bob");
    let past = past.then(retry);
    assert_eq!(asked(&past), link);
    assert_eq!(past.memory("bob").turn.as_ref().unwrap().compactions, 1);
    let past = past.answered("bob", text("ada asked thrice"));
    assert_eq!(read(&past)[0], summary("ada asked thrice"));
}

#[test]
fn stop_ends_a_summary_and_the_memory_stays() {
    let past = compacting();
    let answer = past.answer("bob", text("too late"));
    let items = past.memory("bob").items.clone();
    let past = past.then(stop());
    check(&past, &answer, &quietly(Refusal::Stale));
    assert_eq!(
        (past.owed(), &past.memory("bob").items),
        (Vec::new(), &items)
    );
}

#[test]
fn summary_is_not_streamed() {
    let past = compacting();
    check(&past, &past.stream("bob"), &quietly(Refusal::Stale));
}

#[test]
fn summary_counts_for_the_episode_only() {
    let past = compacting().answered("bob", text("s"));
    let episode = past.world.episodes().values().next().unwrap();
    assert_eq!((episode.calls_total, episode.calls[&agent("bob")]), (2, 1));
}

#[test]
fn oldest_items_are_dropped_where_the_episode_affords_no_summary() {
    let few = |calls| WorldSpec {
        limits: crate::spec::Limits {
            model_calls_per_episode: calls,
            ..small().limits
        },
        ..small()
    };
    let past = talked(few(2), 4).woke("bob");
    assert_eq!(kinds(&past), ["TurnOpened", "PrefixBroken", "ModelCalled"]);
    assert_eq!(past.last()[1], broken(PrefixCause::MemoryFull, 5));
    assert_eq!(
        read(&past),
        [said("yes"), heard(&long(4)), said("yes"), heard(&long(5))]
    );
    assert_eq!(
        purposes(&talked(few(3), 4).woke("bob"))[4..],
        [Purpose::Compaction]
    );
}

#[test]
fn others_keep_their_closing_calls_when_a_summary_is_asked_for() {
    let few = WorldSpec {
        limits: crate::spec::Limits {
            model_calls_per_episode: 3,
            ..small().limits
        },
        ..small()
    };
    let past = talked(few, 4).said("@bob @eve both").woke("eve");
    // Three calls were enough for bob alone; one of them is eve's now, and she is to close.
    let past = past.answered("eve", text("done")).woke("bob");
    assert_eq!(kinds(&past)[0..2], ["TurnOpened", "ModelCalled"]);
}

#[test]
fn turn_that_grows_too_large_summarises_what_came_before_its_last_answer() {
    let big = || ToolOutcome::text("r".repeat(300));
    let mut past = Past::with(small()).bob_calls(&[("look", "{}")]);
    for _ in 0..2 {
        past = past
            .started("bob", 0, 1)
            .finished("bob", 0, 1, big())
            .carried_on("bob");
        past = past.answered("bob", calls(&[("look", "{}")]));
    }
    let past = past
        .started("bob", 0, 1)
        .finished("bob", 0, 1, big())
        .carried_on("bob");
    assert_eq!(kinds(&past), ["ModelCalled"]);
    let items = read(&past);
    assert!(
        matches!(
            items[items.len() - 2..],
            [Item::Result { .. }, Item::Notice { .. }]
        ),
        "{items:?}"
    );
    let past = past.answered("bob", text("looked"));
    let items = read(&past);
    assert_eq!(items[0], summary("looked"));
    assert!(
        matches!(
            items[items.len() - 2..],
            [Item::Said { .. }, Item::Result { .. }]
        ),
        "{items:?}"
    );
    let past = past.answered("bob", calls(&[("look", "{}")]));
    assert_eq!(past.memory("bob").open_calls.len(), 1);
}

#[test]
fn turn_asks_for_two_summaries_at_most_and_then_drops() {
    let wordy = text(&"s".repeat(900));
    let past = compacting().answered("bob", wordy.clone());
    assert_eq!(
        kinds(&past),
        [
            "ModelAnswered",
            "MemoryCompacted",
            "PrefixBroken",
            "ModelCalled"
        ]
    );
    let past = past.answered("bob", wordy);
    assert_eq!(
        purposes(&past)[4..],
        [Purpose::Compaction, Purpose::Compaction, Purpose::Turn]
    );
    let compacted = broken(PrefixCause::Compaction, 0);
    assert_eq!(
        past.last()[2..4],
        [compacted, broken(PrefixCause::MemoryFull, 1)]
    );
    assert_eq!(read(&past), [said("yes"), heard(&long(5))]);
}

#[test]
fn news_are_never_dropped_however_large_they_are() {
    let large = format!("@bob {}", "y".repeat(5_000));
    let past = talked(small(), 2)
        .woke("bob")
        .answered("bob", text("yes"))
        .said(&large)
        .woke("bob");
    assert_eq!(kinds(&past), ["TurnOpened", "PrefixBroken", "ModelCalled"]);
    assert_eq!(read(&past), [heard(&large)]);
    let past = past.model_failed("bob", ModelErrorKind::ContextTooLong);
    assert_eq!(kinds(&past), ["ModelFailed", "NoticePosted", "TurnClosed"]);
}

#[test]
fn all_news_of_a_turn_are_kept() {
    let past = talked(small(), 3).said(&long(5)).said(&long(6)).woke("bob");
    let past = past.answered("bob", text("older"));
    assert_eq!(read(&past)[0], summary("older"));
    let items = read(&past);
    assert_eq!(
        items[items.len() - 3..],
        [heard(&long(4)), heard(&long(5)), heard(&long(6))]
    );
}

#[test]
fn what_was_only_overheard_is_summarised_before_the_news() {
    let overheard = |past: Past, n: u32| past.said(&long(n).replace("@bob", "@cody"));
    let past = (0..8)
        .fold(Past::with(small()), overheard)
        .said("@bob and you?")
        .woke("bob");
    assert_eq!(kinds(&past), ["TurnOpened", "ModelCalled"]);
    assert_eq!(purposes(&past), [Purpose::Compaction]);
    let past = past.answered("bob", text("cody was busy"));
    let items = read(&past);
    assert_eq!(
        (&items[0], items.last().unwrap()),
        (&summary("cody was busy"), &heard("@bob and you?"))
    );
}

#[test]
fn erased_summary_leaves_its_place() {
    let past = compacting().answered("bob", text("ada asked thrice"));
    let erase = |event: &Event| {
        let mut record = event.to_record().unwrap();
        if record.content != StoredContent::None {
            record.content = StoredContent::Erased { by: None };
        }
        Event::from_record(record).unwrap()
    };
    let mut world = crate::world::World::default();
    for commit in &past.commits {
        let events = commit.events.iter().map(erase).collect();
        world.apply(&crate::command::commit::Commit {
            header: commit.header.clone(),
            events,
        });
    }
    let first = world.memory(&agent("bob")).unwrap().items[0].item.clone();
    assert_eq!(*first, summary("[erased]"));
}

#[test]
fn agent_in_code_drops_its_oldest_items_and_is_asked_for_no_summary() {
    let room = room_with(|spec| spec.limits.items_max = 4);
    let mut past = Past::with(room);
    for n in 0..6 {
        past = past.said(&format!("@cody {n}"));
        let command = past.wake("cody", answer(text("ok")));
        past = past.then(command);
        assert!(past.memory("cody").items.len() <= 5, "{n}");
    }
    let dropped = past
        .events()
        .filter(|event| matches!(event, Event::Turn(TurnEvent::PrefixBroken(_))))
        .count();
    assert!(dropped > 0);
    assert_eq!(purposes(&past), []);
}

#[test]
fn agent_that_always_fails_does_not_grow() {
    let room = room_with(|spec| (spec.limits.items_max, spec.limits.attempts) = (4, 1));
    let mut past = Past::with(room);
    for n in 0..9 {
        past = past.said(&format!("@cody {n}"));
        let command = past.fail_agent("cody");
        past = past.then(command);
    }
    assert!(past.memory("cody").items.len() <= 5);
}

#[test]
fn summary_of_what_was_taken_back_meanwhile_is_thrown_away() {
    let past = compacting();
    let first = past.world.transcript()[0].at.get();
    let past = past.then(retract(first));
    assert_eq!(purposes(&past).last(), Some(&Purpose::Compaction));
    let past = past.answered("bob", text("ada asked thrice"));
    // What is left fits.
    assert_eq!(
        kinds(&past),
        ["ModelAnswered", "PrefixBroken", "ModelCalled"]
    );
    assert_eq!(past.last()[1], broken(PrefixCause::Retraction, 0));
    assert_eq!(read(&past)[0], heard(&long(2)));
}

#[test]
fn summary_is_asked_for_again_without_what_was_taken_back() {
    let past = compacting();
    let first = past.world.transcript()[0].at.get();
    let past = past
        .model_failed("bob", ModelErrorKind::Overload)
        .then(retract(first))
        .after_ms(60_000);
    let retry = past.retry("bob");
    let past = past.then(retry);
    assert_eq!((kinds(&past), read(&past).len()), (vec!["ModelCalled"], 6));
    let past = past.answered("bob", text("ada asked twice"));
    assert_eq!(
        read(&past),
        [summary("ada asked twice"), said("yes"), heard(&long(5))]
    );
}
