use crate::event::{CloseReason, MessageRetracted, TalkEvent, TurnEvent};
use crate::ids::PersonName;
use crate::testing::*;
use crate::tool::{ToolOutcome, ToolOutput};
use crate::world::projection::transcript::*;

/// What a page says, one word each: positions of messages with their texts, codes of notices.
fn told(page: &TranscriptPage) -> Vec<String> {
    let line = |entry: &TranscriptEntry| match entry {
        TranscriptEntry::Message(message) => {
            let text = message.text.clone().unwrap_or_else(|| "?".to_owned());
            format!("{} {text}", message.at)
        }
        TranscriptEntry::Notice(notice) => {
            let code = serde_json::to_value(&notice.notice).unwrap();
            format!(
                "{} {}",
                notice.at,
                code.as_object().unwrap().keys().next().unwrap()
            )
        }
        TranscriptEntry::Shown(shown) => format!("{} {} views", shown.at, shown.views.len()),
    };
    page.entries.iter().map(line).collect()
}

fn page_of(past: &Past, before: u64, limit: usize, gone: &[u64]) -> TranscriptPage {
    let gone = gone.iter().copied().map(at).collect();
    let mut pager = TranscriptPager::new(at(before), limit);
    for commit in past
        .commits
        .iter()
        .rev()
        .skip_while(|commit| commit.header.first >= at(before))
    {
        if pager.is_full() {
            break;
        }
        pager.take(commit, &gone);
    }
    pager.finish()
}

/// Ada says something, bob answers, ada asks a stranger.
fn past() -> Past {
    Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", text("all is well"))
        .said("@zoe hi")
}

#[test]
fn pages_give_everything_once_newest_first_whatever_their_size() {
    let past = past();
    let whole = page_of(&past, 99, 99, &[]);
    assert_eq!(
        told(&whole),
        [
            "14 undeliverable",
            "12 @zoe hi",
            "9 all is well",
            "4 @bob hi"
        ]
    );
    assert_eq!(whole.next, None);
    for limit in 1..5 {
        let (mut before, mut entries) = (Some(at(99)), Vec::new());
        while let Some(at) = before {
            let page = page_of(&past, at.get(), limit, &[]);
            assert!(
                page.entries.len() <= limit && page.next < before,
                "{page:?}"
            );
            before = page.next;
            entries.extend(page.entries);
        }
        assert_eq!(entries, whole.entries, "pages of {limit}");
    }
}

#[test]
fn a_message_says_who_spoke_when_and_in_which_episode() {
    let past = past();
    let page = page_of(&past, 10, 1, &[]);
    let expected = TranscriptMessage {
        message: MessageId(at(9)),
        at: at(9),
        time: past.now,
        author: Author::Agent(agent("bob")),
        reply_to: Some(MessageId(at(4))),
        episode: episode(4),
        text: Some("all is well".to_owned()),
        attachments: Vec::new(),
        edited: false,
    };
    assert_eq!(page.entries, [TranscriptEntry::Message(expected)]);
}

#[test]
fn what_was_taken_away_is_not_there_nor_is_a_notice_about_it() {
    let past = past();
    assert_eq!(told(&page_of(&past, 99, 99, &[9, 12])), ["4 @bob hi"]);
    assert_eq!(
        told(&page_of(&past, 99, 1, &[9, 12])),
        ["4 @bob hi"],
        "the page is filled with what is there"
    );
}

#[test]
fn an_edited_message_stands_where_it_was_edited_under_its_own_id() {
    let mut past = past();
    let mut commit = past.commits.pop().unwrap();
    let body = MessageBody {
        text: "@eve hi".to_owned(),
        attachments: Vec::new(),
    };
    let (message, author) = (
        MessageId(at(4)),
        Author::Person(PersonName::new("ada").unwrap()),
    );
    let edited = MessageEdited {
        message,
        at: at(4),
        author: author.clone(),
        reply_to: None,
        gone: vec![at(4)],
        body: body.into(),
    };
    let first = commit.header.first;
    commit.events = vec![Event::Talk(TalkEvent::MessageEdited(edited))];
    past.commits.push(commit);
    let page = page_of(&past, 99, 1, &[4, 9]);
    let expected = TranscriptMessage {
        message,
        at: first,
        time: past.now,
        author,
        reply_to: None,
        episode: EpisodeId(first),
        text: Some("@eve hi".to_owned()),
        attachments: Vec::new(),
        edited: true,
    };
    assert_eq!(page.entries, [TranscriptEntry::Message(expected)]);
    assert_eq!(told(&page_of(&past, first.get(), 9, &[4, 9])), [""; 0]);
}

#[test]
fn erased_words_leave_a_message_without_a_text() {
    let mut past = past();
    for event in past
        .commits
        .iter_mut()
        .flat_map(|commit| &mut commit.events)
    {
        if let Event::Turn(TurnEvent::ModelAnswered(answered)) = event {
            answered.response = Content::Erased { by: None };
        } else if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
            posted.body = Content::Erased { by: None };
        }
    }
    assert_eq!(
        told(&page_of(&past, 99, 99, &[])),
        ["14 undeliverable", "12 ?", "9 ?", "4 ?"]
    );
}

#[test]
fn events_that_nobody_reads_are_passed_over() {
    let mut past = past();
    let mut commit = past.commits.pop().unwrap();
    let retracted = MessageRetracted {
        message: MessageId(at(4)),
        at: at(4),
        gone: vec![at(4)],
    };
    commit.events = vec![
        Event::Talk(TalkEvent::MessageRetracted(retracted)),
        closed("bob", crate::ids::TurnId(at(6)), CloseReason::Stopped),
    ];
    past.commits.push(commit);
    assert_eq!(told(&page_of(&past, 99, 99, &[4])), ["9 all is well"]);
}

#[test]
fn what_a_tool_shows_stands_where_its_call_ended_and_bare_words_do_not() {
    let output = ToolOutput::text("for the model").with(View::Text("for people".to_owned()));
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", calls(&[("look", "{}"), ("look", "{}")]));
    let past = past.started("bob", 0, 1).started("bob", 1, 1).finished(
        "bob",
        0,
        1,
        ToolOutcome::text("words"),
    );
    let call = past.call("bob", 1);
    let past = past.finished("bob", 1, 1, ToolOutcome::Done(output.clone()));
    let page = page_of(&past, 99, 99, &[]);
    let (at, time) = (
        past.world.head(),
        past.commits.last().unwrap().header.stamp.time,
    );
    let shown = TranscriptShown {
        at,
        time,
        agent: agent("bob"),
        call,
        views: output.views,
    };
    assert_eq!(page.entries[0], TranscriptEntry::Shown(shown));
    assert_eq!(page.entries.len(), 2);
}

#[test]
fn a_message_tells_only_the_answer_that_it_names() {
    let mut past = past();
    for event in past
        .commits
        .iter_mut()
        .flat_map(|commit| &mut commit.events)
    {
        if let Event::Talk(TalkEvent::MessagePosted(posted)) = event
            && let Some(place) = &mut posted.answer
        {
            place.at = at(1);
        }
    }
    assert_eq!(
        told(&page_of(&past, 99, 99, &[])),
        ["14 undeliverable", "12 @zoe hi", "9 ?", "4 @bob hi"]
    );
}
