//! Branching off: what was open in the other world is closed, but for what people are asked again.

use std::collections::BTreeMap;

use crate::event::{Forked, TurnOpened};
use crate::ids::{AgentName, CallId, EpisodeId, Incarnation, TurnId};
use crate::world::fold::Fold;
use crate::world::memory::{CallResult, CallState, Memory, OpenCall, Turn};
use crate::world::meters::meter;
use crate::world::meters::meter::Ended;
use crate::world::opening::lineage::{Branch, Inherited};
use crate::world::upkeep;

/// Becomes the world that was branched off: all that is open belongs to the other one.
pub(in crate::world) fn branch_off(fold: &mut Fold<'_>, event: &Forked) {
    let world = &mut *fold.world;
    if let Some(opening) = &mut world.opening {
        (opening.world, opening.name) = (event.world, event.name.clone());
    }
    // Whatever runs is the parent's, and its outcome is recorded there (decision 0019).
    let calls = world
        .agents
        .memories()
        .values()
        .flat_map(|memory| memory.open_calls.keys().copied())
        .collect();
    world.lineage.push(Branch {
        parent: event.parent,
        at: event.base.of,
        effects: event.effects,
        calls,
    });
    world.incarnation = Incarnation(0);
    upkeep::fold::branch_off(world);
    // The number of the run stays: what was played in it is used up here as well.
    world.script.done.clear();
    world.consent.disown(world.head);
    for agent in world.agents.rest_all() {
        meter::end_attempt(world, &agent, Ended::Lost);
        fold.inherited.extend(
            world
                .agents
                .memory_mut(&agent)
                .and_then(|memory| memory.let_go(&agent)),
        );
    }
    let turns = fold.inherited.iter().filter_map(|kept| kept.turn.as_ref());
    let held: Vec<EpisodeId> = turns.map(|turn| turn.episode).collect();
    world.episodes.release_all(&held);
}

/// Goes on with a turn of the other world: it keeps its news, its rules and the results that it
/// has.
pub(in crate::world) fn resume_turn(fold: &mut Fold<'_>, event: &TurnOpened, before: TurnId) {
    let id = TurnId(fold.world.head);
    let is_it = |turn: &Turn| turn.id == before;
    let kept = fold
        .inherited
        .iter_mut()
        .filter(|kept| kept.agent == event.agent);
    let turn = kept
        .filter(|kept| kept.turn.as_ref().is_some_and(is_it))
        .find_map(|kept| kept.turn.take());
    let (Some(turn), Some(memory)) = (turn, fold.world.agents.memory_mut(&event.agent)) else {
        return;
    };
    memory.turn = Some(Turn {
        id,
        moved_by: id.0,
        ..turn
    });
    fold.world.episodes.hold(event.episode);
    fold.world.agents.wake(event.agent.clone());
}

/// A call of this world takes the place of one of the other world's.
pub(in crate::world) fn hand_down(
    fold: &mut Fold<'_>,
    agent: &AgentName,
    origin: CallId,
    call: CallId,
) {
    let of_agent = fold
        .inherited
        .iter_mut()
        .filter(|kept| kept.agent == *agent);
    let was_there = of_agent
        .filter_map(|kept| kept.calls.remove(&origin))
        .count()
        > 0;
    let turn = fold.world.agents.turn_mut(agent);
    if let Some(slot) = turn.and_then(|turn| {
        turn.slots
            .iter_mut()
            .find(|slot| slot.call == origin && was_there)
    }) {
        slot.call = call;
    }
}

/// Ends the commit that branches off: what was not taken up is closed.
pub(in crate::world) fn close_inherited(fold: &mut Fold<'_>) {
    if fold.inherited.is_empty() {
        return;
    }
    for Inherited { agent, turn, calls } in std::mem::take(&mut fold.inherited) {
        let Some(memory) = fold.world.agents.memory_mut(&agent) else {
            continue;
        };
        memory.close_all(&calls, turn);
    }
    fold.world.episodes.end_unheld();
}

impl Memory {
    /// Closes what is open here; gives what waits for people.
    fn let_go(&mut self, agent: &AgentName) -> Option<Inherited> {
        self.inbox.clear();
        self.joining = None;
        self.calm();
        let waits = |open: &OpenCall| match open.state {
            CallState::AwaitsApproval { .. } | CallState::AwaitsAnswer { .. } => true,
            CallState::Ready { .. }
            | CallState::AwaitsAgent { .. }
            | CallState::Running(_)
            | CallState::InDoubt { .. }
            | CallState::AwaitsSettlement { .. } => false,
        };
        let (kept, closed): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(&mut self.open_calls)
            .into_iter()
            .partition(|(_, open)| waits(open));
        let mut turn = self.turn.take()?;
        turn.asks.clear();
        if turn.model.take().is_some() {
            self.turn = Some(turn);
            self.end_turn();
            return None;
        }
        if kept.is_empty() {
            self.close_all(&closed, Some(turn));
            return None;
        }
        turn.close(&closed);
        self.turn = Some(turn);
        self.flush_taken_back();
        let turn = self.turn.take();
        Some(Inherited {
            agent: agent.clone(),
            turn,
            calls: kept,
        })
    }

    /// Closes calls, and the turn that they belong to if it is not gone on with.
    fn close_all(&mut self, calls: &BTreeMap<CallId, OpenCall>, turn: Option<Turn>) {
        let is_over = turn.is_some();
        if let Some(turn) = turn {
            self.turn = Some(turn);
        }
        if let Some(turn) = self.turn.as_mut() {
            turn.close(calls);
        }
        if !calls.is_empty() {
            self.flush_results();
        }
        if is_over {
            self.end_turn();
        }
    }

    fn end_turn(&mut self) {
        self.turn = None;
        self.flush_taken_back();
        self.flush_notices();
    }
}

impl Turn {
    /// Gives calls the result that they were closed.
    fn close(&mut self, calls: &BTreeMap<CallId, OpenCall>) {
        for slot in self
            .slots
            .iter_mut()
            .filter(|slot| calls.contains_key(&slot.call))
        {
            slot.result = Some(CallResult::closed_by_fork());
        }
    }
}

/// A call of `agent` that waited for people in the other world and is not taken up here yet.
pub(in crate::world) fn inherited_call<'f>(
    fold: &'f Fold<'_>,
    agent: &AgentName,
    call: CallId,
) -> Option<&'f OpenCall> {
    fold.inherited
        .iter()
        .filter(|kept| kept.agent == *agent)
        .find_map(|kept| kept.calls.get(&call))
}
