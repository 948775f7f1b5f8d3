//! The files of a room: what people attached, and what tools brought in or put away.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::event::{Attachment, CallStatus, ToolFinished};
use crate::ids::principal::Person;
use crate::ids::{AgentName, CallId, FileId, Position};
use crate::port::RoomFile;
use crate::tool::{FileChange, ToolOutcome};
use crate::world::World;
use crate::world::memory::Message;

#[cfg(test)]
mod tests;

/// The most files that a room keeps in view for tools. One more pushes out the oldest of whoever has the most, so that nobody
/// pushes out the files of others.
pub const FILES_MAX: usize = 1_000;

/// The files that are there, in the order in which they came.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::world) struct Files {
    all: VecDeque<RoomFile>,
    /// The number of those that are gone. It tells that what was derived of them has to go.
    gone: u64,
}

impl Files {
    pub(in crate::world) fn is_untouched(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, at: Position, files: &[Attachment], owner: Option<&Person>) {
        let numbered = (0..).zip(files);
        self.all.extend(numbered.map(|(ordinal, file)| RoomFile {
            id: FileId { at, ordinal },
            file: file.clone(),
            owner: owner.cloned(),
        }));
        while self.all.len() > FILES_MAX {
            let oldest = self.oldest_of_most();
            self.all.remove(oldest);
            self.gone += 1;
        }
    }

    /// The place of the oldest file of whoever has the most. Of several who have as many, it is the oldest of all theirs.
    fn oldest_of_most(&self) -> usize {
        let mut counts: BTreeMap<Option<(&str, &str)>, usize> = BTreeMap::new();
        for file in &self.all {
            *counts.entry(owner_of(file)).or_default() += 1;
        }
        let most = counts.values().max();
        let has_most = |file: &RoomFile| counts.get(&owner_of(file)) == most;
        self.all.iter().position(has_most).unwrap_or_default()
    }

    fn remove(&mut self, is_to_go: impl Fn(&RoomFile) -> bool) {
        let before = self.all.len();
        self.all.retain(|file| !is_to_go(file));
        self.gone += (before - self.all.len()) as u64;
    }
}

/// Whose file it is, as [`Person::is_same_as`] tells people apart.
fn owner_of(file: &RoomFile) -> Option<(&str, &str)> {
    let owner = file.owner.as_ref()?;
    Some((&owner.method, &owner.subject))
}

/// The files of a message that came into the room.
pub(in crate::world) fn note_message(world: &mut World, message: &Message) {
    let owner = message.person.as_ref();
    world.files.add(message.at, &message.attachments, owner);
}

/// The files of messages that were taken back are gone.
pub(in crate::world) fn take_back(world: &mut World, gone: &[Position]) {
    world
        .files
        .remove(|file| gone.binary_search(&file.id.at).is_ok());
}

/// What a tool brought in belongs to the one person who led to the call, or to all if they were many. A tool puts away
/// only what its call could see.
pub(in crate::world) fn note_outcome(world: &mut World, event: &ToolFinished) {
    let Content::Present(Some(ToolOutcome::Done(output))) = &event.outcome else {
        return;
    };
    if event.status != CallStatus::Done || output.files.is_empty() {
        return;
    }
    let people = led_to(world, &event.agent);
    let seen = |file: &RoomFile| is_seen_by(file, &people);
    let mut brought = Vec::new();
    for change in &output.files {
        match change {
            FileChange::Added(file) => brought.push(Attachment::from(file)),
            FileChange::Removed(id) => {
                world.files.remove(|file| file.id == *id && seen(file));
            }
        }
    }
    let owner = match people.as_slice() {
        [person] => Some(person),
        [] | [_, _, ..] => None,
    };
    world.files.add(world.head, &brought, owner);
}

/// The people whose messages led to what `agent` does.
fn led_to(world: &World, agent: &AgentName) -> Vec<Person> {
    let turn = world.agents.turn(agent);
    turn.map(|turn| turn.began_by.iter().cloned().collect())
        .unwrap_or_default()
}

fn is_seen_by(file: &RoomFile, people: &[Person]) -> bool {
    file.owner
        .as_ref()
        .is_none_or(|owner| people.iter().any(|person| person.is_same_as(owner)))
}

impl World {
    /// Returns the files that a call may see: those of the people who led to it, and those that belong to all; oldest
    /// first.
    #[must_use]
    pub fn files_of(&self, agent: &AgentName, call: CallId) -> Vec<RoomFile> {
        if self.agents.open_call(agent, call).is_none() {
            return Vec::new();
        }
        let people = led_to(self, agent);
        let files = self.files.all.iter();
        files
            .filter(|file| is_seen_by(file, &people))
            .cloned()
            .collect()
    }

    /// Returns how many files of the room are gone. Once it grows, what was derived of files has to go.
    #[must_use]
    pub const fn files_gone(&self) -> u64 {
        self.files.gone
    }
}
