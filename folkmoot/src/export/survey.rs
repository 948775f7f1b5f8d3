//! What is to be known of a whole log before it is written down.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Event, EventKind, TalkEvent, WorldEvent};
use folkmoot_core::ids::{Position, Time};
use folkmoot_core::world::World;
use folkmoot_core::world::projection::{Revised, Revision};

use super::talk::is_lost;

mod calls;
mod requests;
mod runs;
mod steps;

pub(super) use calls::Calls;
pub(super) use requests::{Approval, Approvals, Fate};
pub(super) use runs::{Run, Runs};
pub(super) use steps::{Lifeline, Role, Step, StepKind, Steps};

/// The most rows of a table. What a longer log has more is counted, and the table says so.
pub const ROWS_MAX: usize = 2_000;

/// What became of messages: by the place of each one that is gone, the event that took it away, the message that this one is
/// about, and what became of that.
#[derive(Debug, Default)]
pub(super) struct Revisions(BTreeMap<Position, (Position, (Position, Revised))>);

impl Revisions {
    fn take(&mut self, commit: &Commit) {
        let about = |event: &Event| {
            if let Event::Talk(TalkEvent::MessageEdited(edited)) = event {
                return Some(edited.at);
            }
            if let Event::Talk(TalkEvent::MessageRetracted(retracted)) = event {
                return Some(retracted.at);
            }
            if let Event::Talk(TalkEvent::ReplyRegenerated(made)) = event {
                Some(made.at)
            } else {
                None
            }
        };
        let abouts = commit.events.iter().filter_map(about);
        for (Revision { at, how, gone, .. }, about) in Revision::of(commit).into_iter().zip(abouts)
        {
            self.0.extend(
                gone.into_iter()
                    .chain([about])
                    .map(|gone| (gone, (at, (about, how)))),
            );
        }
    }

    /// Returns what became of the message there, if it does not stand any more: by which event, about which message, and how.
    pub(super) fn of(&self, at: Position) -> Option<(Position, (Position, Revised))> {
        self.0.get(&at).copied()
    }
}

/// What is to be known of a whole log.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) revisions: Revisions,
    pub(super) world: World,
    pub(super) began: Option<Time>,
    pub(super) events: u64,
    pub(super) commits: u64,
    pub(super) messages: u64,
    pub(super) model_calls: u64,
    /// How many events had their content erased.
    pub(super) erased: usize,
    /// How many events have lost it.
    pub(super) lost: usize,
    /// How many commands were refused.
    pub(super) refused: usize,
    pub(super) people: BTreeSet<String>,
    /// What the room is for.
    pub(super) description: Option<String>,
    pub(super) approvals: Approvals,
    pub(super) runs: Runs,
    pub(super) steps: Steps,
    calls: Calls,
}

impl Survey {
    /// Takes the next commit.
    pub(super) fn take(&mut self, commit: &Commit) {
        let time = commit.header.stamp.time;
        self.began.get_or_insert(time);
        self.commits += 1;
        self.revisions.take(commit);
        for (at, event) in commit.numbered() {
            self.calls.take(commit, event);
            self.count(event);
            self.approvals.take(&self.calls, at, time, event);
            self.runs.take(&self.calls, at, time, event);
            self.steps.take(&self.calls, commit, at, event);
            self.calls.let_go(event);
        }
        self.world.apply(commit);
    }

    fn count(&mut self, event: &Event) {
        let add = |count: &mut u64, is_one: bool| *count += u64::from(is_one);
        let kind = event.kind();
        add(&mut self.events, true);
        add(&mut self.messages, kind == EventKind::MessagePosted);
        add(&mut self.model_calls, kind == EventKind::ModelCalled);
        self.erased += usize::from(event.is_erased() && !is_lost(event));
        self.lost += usize::from(is_lost(event));
        self.refused += usize::from(kind == EventKind::Refused);
        if let Event::World(WorldEvent::PersonJoined(joined)) = event {
            self.people.insert(joined.person.display.to_string());
        } else if let Event::World(WorldEvent::WorldOpened(opened)) = event {
            self.description = opened
                .text
                .present()
                .and_then(|text| text.description.clone());
        } else if let Event::World(WorldEvent::SpecRevised(revised)) = event {
            self.description = revised
                .text
                .present()
                .and_then(|text| text.description.clone());
        }
    }
}
