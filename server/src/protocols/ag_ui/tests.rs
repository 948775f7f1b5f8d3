//! The protocol over a recorded feed, and its order over feeds that are drawn.

use std::collections::BTreeSet;

use folkmoot::{FeedBody, FeedItem, Position};
use proptest::prelude::*;

use super::frame::Frame;
use super::frames::{Cursor, close, draft_frames, frames};
use super::transcript::Transcript;
use crate::protocols::recorded::{episodes, feed, recorded};
use crate::protocols::run::Step;

fn told(cursor: &mut Cursor, step: &Step) -> Vec<Frame> {
    match step {
        Step::Item(item) => frames(cursor, item),
        Step::Draft(draft) => draft_frames(cursor, draft),
        Step::Rest(_) | Step::Bye => close(cursor),
    }
}

fn lines(frames: &[Frame]) -> String {
    let lines = frames
        .iter()
        .map(|frame| serde_json::to_string(frame).unwrap() + "\n");
    lines.collect()
}

#[test]
fn a_recorded_feed_is_told_so() {
    let steps = recorded();
    let mut cursor = Cursor::new("desk".to_owned(), episodes(&steps));
    let mut frames: Vec<Frame> = steps
        .iter()
        .flat_map(|step| told(&mut cursor, step))
        .collect();
    frames.extend(close(&mut cursor));
    assert_eq!(lines(&frames), include_str!("tests/frames.jsonl"));
}

#[test]
fn the_snapshot_of_a_recorded_feed_is_this() {
    // Words that were taken back are read no more, and those of an edit stand where it was made.
    let (_, transcript) = connected(&read_again(recorded()));
    assert_eq!(
        lines(&[transcript.snapshot()]),
        include_str!("tests/snapshot.jsonl")
    );
}

#[test]
fn no_item_before_a_run_is_told_as_it_is() {
    let steps = recorded();
    let mut cursor = Cursor::of_past("desk".to_owned(), episodes(&steps));
    let customs = |cursor: &mut Cursor| {
        let frames = steps.iter().flat_map(|step| told(cursor, step));
        let is_custom = |frame: &Frame| matches!(frame, Frame::Custom { .. });
        frames.filter(is_custom).count()
    };
    assert_eq!(customs(&mut cursor), 0);
    cursor.begin_run();
    assert!(customs(&mut cursor) > 0);
}

fn items(steps: &[Step]) -> impl Iterator<Item = &FeedItem> {
    steps.iter().filter_map(|step| {
        let Step::Item(item) = step else {
            return None;
        };
        Some(item)
    })
}

/// The steps as whoever reads them later gets them.
fn read_again(mut steps: Vec<Step>) -> Vec<Step> {
    let gone = items(&steps).filter_map(|item| {
        let FeedBody::Revised { gone, .. } = &item.body else {
            return None;
        };
        Some(gone.clone())
    });
    let gone: BTreeSet<Position> = gone.flatten().collect();
    for step in &mut steps {
        if let Step::Item(item) = step {
            item.withhold(&gone);
        }
    }
    steps
}

/// The rules of the order, as the client of others has them.
#[derive(Default)]
struct Order {
    messages: BTreeSet<String>,
    calls: BTreeSet<String>,
    steps: BTreeSet<String>,
}

impl Order {
    fn check(&mut self, frame: &Frame) {
        match frame {
            Frame::TextMessageStart { message_id, .. } => {
                assert!(self.messages.insert(message_id.clone()))
            }
            Frame::TextMessageContent { message_id, delta } => {
                assert!(self.messages.contains(message_id) && !delta.is_empty());
            }
            Frame::TextMessageEnd { message_id } => assert!(self.messages.remove(message_id)),
            Frame::ToolCallStart { tool_call_id, .. } => {
                assert!(self.calls.insert(tool_call_id.clone()))
            }
            Frame::ToolCallArgs { tool_call_id, .. } => assert!(self.calls.contains(tool_call_id)),
            Frame::ToolCallEnd { tool_call_id } => assert!(self.calls.remove(tool_call_id)),
            Frame::StepStarted { step_name } => assert!(self.steps.insert(step_name.clone())),
            Frame::StepFinished { step_name } => assert!(self.steps.remove(step_name)),
            Frame::ToolCallResult { .. } | Frame::Custom { .. } => {}
            Frame::RunStarted { .. }
            | Frame::MessagesSnapshot { .. }
            | Frame::StateSnapshot { .. }
            | Frame::RunFinished { .. }
            | Frame::RunError { .. } => panic!("{frame:?} is of no item"),
        }
    }

    fn check_end(&self) {
        assert!(self.messages.is_empty() && self.calls.is_empty() && self.steps.is_empty());
    }
}

/// The texts of messages in the log.
fn texts(steps: &[Step]) -> BTreeSet<String> {
    let texts = items(steps).filter_map(|item| {
        let FeedBody::Message { text, .. } = &item.body else {
            return None;
        };
        text.clone()
    });
    texts.collect()
}

/// A client that has seen the items of `steps` and connects.
fn connected(steps: &[Step]) -> (Cursor, Transcript) {
    let mut cursor = Cursor::of_past("desk".to_owned(), episodes(steps));
    let mut transcript = Transcript::default();
    let is_item = |step: &&Step| matches!(step, Step::Item(_));
    for step in steps.iter().filter(is_item) {
        for frame in told(&mut cursor, step) {
            transcript.take(frame);
        }
    }
    let _ends: Vec<Frame> = close(&mut cursor);
    cursor.begin_run();
    (cursor, transcript)
}

proptest! {
    /// A connection may end anywhere, and the next one goes on: the order holds in each, a call has one result, and a client
    /// ends up with the words of all messages, however they were streamed.
    #[test]
    fn the_order_holds_in_each_cut_of_a_feed(
        steps in feed(),
        cuts in prop::collection::vec(0..60_usize, 0..4),
    ) {
        let (mut cursor, mut transcript) = connected(&[]);
        let mut order = Order::default();
        let mut answered = BTreeSet::new();
        for (place, step) in steps.iter().enumerate() {
            let mut frames = told(&mut cursor, step);
            let is_cut = cuts.contains(&place);
            if is_cut {
                frames.extend(close(&mut cursor));
            }
            for frame in frames {
                order.check(&frame);
                if let Frame::ToolCallResult { tool_call_id, .. } = &frame {
                    prop_assert!(answered.insert(tool_call_id.clone()));
                }
                transcript.take(frame);
            }
            if is_cut {
                order.check_end();
                (cursor, transcript) = connected(&steps[..=place]);
            }
        }
        for frame in close(&mut cursor) {
            order.check(&frame);
        }
        order.check_end();
        let shown: BTreeSet<String> = transcript.contents().collect();
        for text in texts(&steps) {
            prop_assert!(shown.contains(&text), "{text:?} is not in {shown:?}");
        }
    }
}
