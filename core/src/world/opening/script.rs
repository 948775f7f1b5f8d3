//! The progress of a world script: the steps of its newest run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{Digest, Position, StepKey};
use crate::world::World;

/// The steps of a script's newest run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptProgress {
    /// The run, from 1; 0 before the first.
    pub run: u32,
    /// The steps that are recorded, by index.
    pub done: BTreeMap<u32, StepRecord>,
    /// The first event that belongs to the run.
    pub began: Position,
}

/// A recorded step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// The digest of what it said.
    pub digest: Digest,
    /// The first event that belongs to it.
    pub from: Position,
    /// The last event of the commit that records it.
    pub at: Position,
}

/// Notes a step. A new run forgets the old one's steps and the replies that were played in it.
pub(in crate::world) fn note_step(
    world: &mut World,
    step: StepKey,
    digest: Digest,
    from: Position,
) {
    if step.run > world.script.run {
        world.script = ScriptProgress {
            run: step.run,
            done: BTreeMap::new(),
            began: from,
        };
        world
            .agents
            .memories_mut()
            .for_each(|(_, memory)| memory.played.clear());
    }
    if step.run == world.script.run {
        world.script.done.entry(step.index).or_insert(StepRecord {
            digest,
            from,
            at: world.head,
        });
    }
}
