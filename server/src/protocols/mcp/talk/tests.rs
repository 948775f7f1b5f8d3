use serde_json::{Value, json};

use super::*;

/// The message that was posted.
const POSTED: u64 = 7;

/// The item at `at` of the episode `episode`.
fn item(at: u64, episode: u64, body: &Value) -> FeedItem {
    let mut item = json!({ "id": at.to_string(), "time": 0, "episode": episode });
    let agent = body.get("agent").cloned();
    item.as_object_mut()
        .unwrap()
        .extend(body.as_object().unwrap().clone());
    item["agent"] = agent.unwrap_or_else(|| "clerk".into());
    serde_json::from_value(item).unwrap()
}

fn message(at: u64, text: &str) -> Value {
    let author = json!({ "agent": "clerk" });
    json!({ "type": "message", "message": at, "author": author, "text": text, "reply_to": POSTED })
}

fn said(at: u64, text: &str) -> Frame {
    Frame::Said(Utterance {
        at,
        from: "clerk".to_owned(),
        speaker: Speaker::Agent,
        text: Some(text.to_owned()),
        reply_to: Some(POSTED),
        message: Some(at),
        files: Vec::new(),
    })
}

fn step(number: u32, words: &str) -> Frame {
    Frame::Step(number, words.to_owned())
}

/// The frames of all items, in order.
fn all(items: &[FeedItem]) -> Vec<Frame> {
    let mut cursor = Cursor::behind(MessageId(Position::new(POSTED)));
    let each = items.iter().flat_map(|item| frames(&mut cursor, item));
    each.collect()
}

#[test]
fn work_is_told_step_by_step_and_ends_with_its_episode() {
    let call = json!({ "type": "call_started", "call": "1438bddcd2530a7ddb4c5d11081c3cae", "tool": "file", "arguments": "{}",
        "attempt": 1, "effect": "write" });
    let items = [
        item(
            8,
            POSTED,
            &json!({ "type": "activity", "activity": "turn_opened" }),
        ),
        item(11, POSTED, &call),
        item(14, POSTED, &message(14, "Filed.")),
        item(
            15,
            POSTED,
            &json!({ "type": "activity", "activity": "episode_ended" }),
        ),
    ];
    let expected = [
        step(1, "clerk works"),
        step(2, "clerk runs file"),
        said(14, "Filed."),
        Frame::Over,
    ];
    assert_eq!(all(&items), expected);
}

#[test]
fn nothing_of_other_episodes_and_not_the_message_itself_is_told() {
    let items = [
        item(POSTED, POSTED, &message(POSTED, "Please file it.")),
        item(9, 3, &message(9, "This is for somebody else.")),
        item(
            10,
            3,
            &json!({ "type": "activity", "activity": "turn_opened" }),
        ),
    ];
    assert_eq!(all(&items), []);
}

#[test]
fn words_that_were_taken_back_do_not_stand() {
    let items = [
        item(9, POSTED, &message(9, "Wrong.")),
        item(12, POSTED, &message(12, "Right.")),
        item(
            13,
            13,
            &json!({ "type": "revised", "message": 9, "how": "retracted", "gone": [9] }),
        ),
    ];
    let mut talk = Talk::default();
    all(&items).into_iter().for_each(|frame| talk.take(frame));
    let Frame::Said(right) = said(12, "Right.") else {
        panic!("it is said");
    };
    assert_eq!(talk.stands(), [right]);
}

#[test]
fn a_notice_for_somebody_else_is_not_told() {
    let unheard = json!({ "nobody_answers": { "message": POSTED } });
    let notice = |to: Value| json!({ "type": "notice", "notice": unheard, "to": to });
    let own = item(9, 3, &notice(Value::Null));
    let frames = all(&[own, item(10, 3, &notice("ada".into()))]);
    let [Frame::Said(told)] = frames.as_slice() else {
        panic!("{frames:?}");
    };
    assert_eq!(
        (told.at, told.from.as_str(), told.speaker),
        (9, "world", Speaker::World)
    );
}

#[test]
fn a_draft_is_told_once_and_without_its_words() {
    let mut cursor = Cursor::behind(MessageId(Position::new(POSTED)));
    let draft = |offset| DraftNews::Piece {
        agent: AgentName::new("clerk").unwrap(),
        message: MessageId(Position::new(9)),
        offset,
        text: "secret".to_owned(),
    };
    assert_eq!(
        draft_frames(&mut cursor, &draft(0)),
        [step(1, "clerk writes")]
    );
    assert_eq!(draft_frames(&mut cursor, &draft(4)), []);
}
