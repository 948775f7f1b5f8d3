//! Answers out of feeds: recorded ones, and others at random.
#![expect(clippy::wildcard_enum_match_arm, reason = "tests")]

use folkmoot::core::ids::EpisodeId;
use folkmoot::{ItemId, Position};

use super::answer::Telling;
use super::calls::Reader;
use super::frames::{Cursor, bye, drafts, frames, rest};
use super::part::Part;
use crate::protocols::run::{Rest, Step};

mod chat;
mod client;
mod laws;
mod recorded;
mod story;

/// The place of a step in the feed; `None` of a draft.
fn place(step: &Step) -> Option<ItemId> {
    match step {
        Step::Item(item) => Some(item.id),
        Step::Draft(_) | Step::Rest(_) | Step::Bye => None,
    }
}

/// The parts that a step of a run adds.
fn add(cursor: &mut Cursor, step: &Step) -> Vec<Part> {
    match step {
        Step::Item(item) => frames(cursor, item),
        Step::Draft(news) => drafts(cursor, news),
        Step::Rest(reason) => rest(cursor, *reason),
        Step::Bye => bye(cursor),
    }
}

fn cursor_of(episode: u64, reader: Reader) -> Cursor {
    Cursor::new("desk".to_owned(), EpisodeId(Position::new(episode)), reader)
}

/// A whole answer.
fn answer(steps: &[Step], episode: u64, reader: Reader) -> Vec<Part> {
    let cursor = cursor_of(episode, reader);
    told(steps, cursor, Telling::Whole(Vec::new()), Rest::Over)
}

/// An answer that comes to a rest behind these steps.
fn told(steps: &[Step], mut cursor: Cursor, mut telling: Telling, end: Rest) -> Vec<Part> {
    let mut parts = vec![cursor.start()];
    for step in steps {
        let added = add(&mut cursor, step);
        parts.extend(telling.of(added, place(step)));
    }
    parts.extend(add(&mut cursor, &Step::Rest(end)));
    parts
}
