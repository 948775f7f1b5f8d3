//! The calls that may start now: reads together, writes as their tool allows, a destructive call
//! alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{AgentName, CallId, Position, ToolName};
use crate::tool::{EffectClass, ToolSpec};
use crate::world::World;
use crate::world::memory::{CallState, OpenCall, Turn};

/// The most runs of a tool that reads that may go on at a time, if it does not say.
const READS_MAX: u32 = 8;
/// The most runs of a tool that writes that may go on at a time, if it does not say.
const WRITES_MAX: u32 = 1;

/// A call that waits for its turn to run.
struct WaitingCall<'w> {
    /// The position of its admission, and its place in the answer: first come, first served.
    order: (Position, usize),
    id: CallId,
    run: RunOf<'w>,
}

/// A run that goes on, or would.
#[derive(Clone, Copy)]
struct RunOf<'w> {
    /// `None` if the agent has no such tool: the call ends at once.
    tool: Option<&'w ToolSpec>,
    effect: EffectClass,
}

/// The runs that go on already.
#[derive(Default)]
struct Floor<'w> {
    runs: u32,
    is_taken: bool,
    reads: BTreeMap<&'w ToolName, u32>,
    writes: BTreeMap<&'w ToolName, u32>,
}

/// The calls that may start together now.
///
/// Calls are served in the order in which they were admitted. One that has to wait holds back those
/// behind it which it could otherwise wait for without end: all of them if it is destructive, else
/// those of the same tool. The run of a lost process is not one that goes on: what is in doubt
/// waits for its turn like a call that never ran.
pub(in crate::world) fn startable(world: &World) -> BTreeSet<CallId> {
    let mut waiting: Vec<WaitingCall<'_>> = Vec::new();
    let mut floor = Floor::default();
    for agent in world.agents.busy() {
        survey(world, agent, &mut floor, &mut waiting);
    }
    waiting.sort_by_key(|candidate| candidate.order);
    let mut held: BTreeSet<&ToolName> = BTreeSet::new();
    let mut free = BTreeSet::new();
    for WaitingCall { id, run, .. } in waiting {
        let name = run.tool.map(|tool| &tool.name);
        if name.is_some_and(|name| held.contains(name)) {
            continue;
        }
        if floor.has_room(run) {
            floor.add(run);
            free.insert(id);
        } else if run.effect == EffectClass::Destructive || floor.is_taken {
            break;
        } else {
            held.extend(name);
        }
    }
    free
}

/// The calls of the room that have no end yet.
pub(in crate::world) fn open_calls(world: &World) -> usize {
    let busy = world.agents.busy_memories().map(|(_, memory)| memory);
    busy.fold(0, |count: usize, memory| count + memory.open_calls.len())
}

/// Tells whether no other call has to run first.
pub(in crate::world) fn may_start(world: &World, call: CallId) -> bool {
    startable(world).contains(&call)
}

/// Sorts the open calls of an agent's turn into those that run and those that could.
fn survey<'w>(
    world: &'w World,
    agent: &AgentName,
    floor: &mut Floor<'w>,
    waiting: &mut Vec<WaitingCall<'w>>,
) {
    let Some(memory) = world.agents.memory(agent) else {
        return;
    };
    let Some(turn) = &memory.turn else { return };
    for (place, slot) in turn.slots.iter().enumerate() {
        let Some(open) = memory.open_calls.get(&slot.call) else {
            continue;
        };
        match &open.state {
            CallState::Running(run) => floor.add(RunOf {
                effect: run.effect,
                ..run_of(turn, open)
            }),
            CallState::Ready { .. } => waiting.push(WaitingCall {
                order: (open.admitted, place),
                id: slot.call,
                run: run_of(turn, open),
            }),
            // A lost run that may be made again waits for its turn like any other.
            CallState::InDoubt { run, .. } if run.may_repeat(world.time) => {
                waiting.push(WaitingCall {
                    order: (open.admitted, place),
                    id: slot.call,
                    run: run_of(turn, open),
                })
            }
            CallState::InDoubt { .. }
            | CallState::AwaitsApproval { .. }
            | CallState::AwaitsAnswer { .. }
            | CallState::AwaitsAgent { .. }
            | CallState::AwaitsSettlement { .. } => {}
        }
    }
}

fn run_of<'w>(turn: &'w Turn, open: &OpenCall) -> RunOf<'w> {
    let tool = open
        .tool
        .as_ref()
        .and_then(|name| turn.rules.spec().tools.get(name));
    RunOf {
        tool,
        effect: tool.map_or(EffectClass::Read, |tool| open.effect.unwrap_or(tool.effect)),
    }
}

impl<'w> Floor<'w> {
    /// Tells whether one more run fits beside those that go on.
    fn has_room(&self, run: RunOf<'w>) -> bool {
        let Some(tool) = run.tool else { return true };
        let count = |of: &BTreeMap<&ToolName, u32>| of.get(&tool.name).copied().unwrap_or_default();
        let reads = count(&self.reads);
        let writes = count(&self.writes);
        // A recorded limit of 0 is taken as 1: nothing would ever start.
        let max = |default| tool.concurrency_max.unwrap_or(default).max(1);
        let is_below = reads.saturating_add(writes) < max(READS_MAX);
        match run.effect {
            EffectClass::Read => !self.is_taken && is_below,
            EffectClass::Write => !self.is_taken && is_below && writes < max(WRITES_MAX),
            EffectClass::Destructive => self.runs == 0,
        }
    }

    fn add(&mut self, run: RunOf<'w>) {
        let Some(tool) = run.tool else { return };
        self.runs = self.runs.saturating_add(1);
        let counts = match run.effect {
            EffectClass::Read => &mut self.reads,
            EffectClass::Write => &mut self.writes,
            EffectClass::Destructive => {
                self.is_taken = true;
                return;
            }
        };
        let count = counts.entry(&tool.name).or_default();
        *count = count.saturating_add(1);
    }
}
