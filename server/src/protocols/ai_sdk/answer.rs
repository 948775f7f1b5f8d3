//! A running answer as parts, and as the events of its stream.

use std::convert::Infallible;

use axum::response::sse::Event;
use folkmoot::ItemId;
use futures::stream::{Stream, StreamExt as _, iter, unfold};

use super::frames::{Cursor, bye, drafts, ends, frames, rest};
use super::part::Part;
use crate::protocols::run::{Rest, Run, Step};
use crate::wire::with_json;

/// How much of an answer the client is told.
#[derive(Debug)]
pub(crate) enum Telling {
    /// These parts, and all of it.
    Whole(Vec<Part>),
    /// The step that has the item at this place, and all behind it: the client has the steps
    /// before.
    FromStepOf {
        place: ItemId,
        /// The parts of the newest step so far.
        step: Vec<Part>,
        /// Parts to be told behind what is told anew.
        then: Vec<Part>,
    },
}

impl Telling {
    /// The step that has the item at `place`, then these parts, and all behind it.
    pub(crate) const fn from_step_of(place: ItemId, then: Vec<Part>) -> Self {
        Self::FromStepOf {
            place,
            step: Vec::new(),
            then,
        }
    }

    /// The parts to tell first.
    fn begin(&mut self) -> Vec<Part> {
        match self {
            Self::Whole(first) => std::mem::take(first),
            Self::FromStepOf { .. } => Vec::new(),
        }
    }

    /// The parts to tell, of those that an answer adds. They come with the item at `id`; with none,
    /// they are drafts.
    pub(crate) fn of(&mut self, parts: Vec<Part>, id: Option<ItemId>) -> Vec<Part> {
        let Self::FromStepOf { place, step, then } = self else {
            return parts;
        };
        for part in parts {
            if part == Part::StartStep {
                step.clear();
            } else {
                step.push(part);
            }
        }
        if id.is_none_or(|id| id < *place) {
            return Vec::new();
        }
        let mut told = vec![Part::ResetStep];
        told.append(step);
        told.append(then);
        *self = Self::Whole(Vec::new());
        told
    }
}

/// An answer that is told.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) run: Run,
    pub(crate) cursor: Cursor,
    pub(crate) telling: Telling,
    /// True once its end was told.
    pub(crate) is_over: bool,
}

impl Answer {
    /// All parts, in order.
    pub(crate) fn parts(mut self) -> impl Stream<Item = Part> {
        let mut begun = vec![self.cursor.start()];
        begun.extend(self.telling.begin());
        let rest = unfold(self, |mut answer| async {
            let parts = answer.next().await?;
            Some((iter(parts), answer))
        });
        iter(begun).chain(rest.flatten())
    }

    async fn next(&mut self) -> Option<Vec<Part>> {
        if self.is_over {
            return None;
        }
        let cursor = &mut self.cursor;
        Some(match self.run.next().await? {
            Step::Item(item) => {
                let mut parts = self.telling.of(frames(cursor, &item), Some(item.id));
                // An answer that ended long ago has all of the log behind it, and no word of its own.
                // Whoever heard it live was told no more.
                self.is_over = ends(cursor, &item);
                if self.is_over {
                    parts.extend(rest(cursor, Rest::Over));
                }
                parts
            }
            Step::Draft(draft) => self.telling.of(drafts(cursor, &draft), None),
            Step::Rest(reason) => rest(cursor, reason),
            Step::Bye => bye(cursor),
        })
    }
}

/// The events of a stream. One that was not cut off says that it is done.
pub(crate) fn events(
    parts: impl Stream<Item = Part>,
) -> impl Stream<Item = Result<Event, Infallible>> {
    parts.flat_map(|part| {
        let done = part.is_last().then(|| Event::default().data("[DONE]"));
        iter(
            [with_json(Event::default(), &part)]
                .into_iter()
                .chain(done)
                .map(Ok),
        )
    })
}
