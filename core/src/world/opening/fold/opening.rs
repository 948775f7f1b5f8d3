//! Openings, copies of the store and definitions.

use std::sync::Arc;

use crate::content::Content;
use crate::event::{Opened, WorldOpened};
use crate::ids::{AgentName, CopyId, Digest, Incarnation, Position};
use crate::spec::{History, SpecText, WorldSpec};
use crate::world::memory::CallState;
use crate::world::meters::meter;
use crate::world::meters::meter::Ended;
use crate::world::{OpeningFacts, World, owed};

pub(in crate::world) fn open_as(world: &mut World, event: &WorldOpened) {
    world.opening = Some(OpeningFacts {
        world: event.world,
        name: event.name.clone(),
        clock: event.clock,
        base: event.base.clone(),
    });
    world.decider = event.decider;
    world.source.clone_from(&event.source);
    revise(world, &event.spec, event.spec_digest, &event.text);
}

/// Only the first opening in a copy of the store counts: those behind it ask what did not fit
/// there.
pub(in crate::world) fn enter_copy(world: &mut World, copy: CopyId) {
    if world.copy != Some(copy) {
        world.copy = Some(copy);
        world.restored_at = world.head;
    }
}

/// A new incarnation: what an older one had started is in doubt.
pub(in crate::world) fn open_again(world: &mut World, event: &Opened) {
    world.incarnation = event.incarnation;
    world.opened_at = world.time;
    world.upkeep.sign_with(event.signer.as_deref(), world.time);
    if let (Some(base), Some(opening)) = (&event.base, &mut world.opening) {
        opening.base = Some(base.clone());
    }
    let lost: Vec<AgentName> = world
        .agents
        .busy()
        .iter()
        .filter(|name| loses_delivery(world, name))
        .cloned()
        .collect();
    lose_model_calls(world);
    for (name, memory) in world.agents.memories_mut() {
        memory.lost = memory.lost.saturating_add(u32::from(lost.contains(name)));
        for call in memory.open_calls.values_mut() {
            if let CallState::Running(run) = &call.state {
                call.state = CallState::InDoubt {
                    run: run.clone(),
                    was_asked: false,
                };
            }
        }
    }
}

/// The model calls that are under way will have no outcome: they are made again.
pub(in crate::world) fn lose_model_calls(world: &mut World) {
    for name in world.agents.busy().iter().cloned().collect::<Vec<_>>() {
        meter::end_attempt(world, &name, Ended::Lost);
    }
    for (_, memory) in world.agents.memories_mut() {
        let model = memory.turn.as_mut().and_then(|turn| turn.model.as_mut());
        if let Some(model) = model {
            model.broken_stream = model.stream.take().or(model.broken_stream);
            model.incarnation = Incarnation::default();
        }
        memory.flush_taken_back();
    }
}

fn loses_delivery(world: &World, agent: &AgentName) -> bool {
    world
        .agents
        .memory(agent)
        .is_some_and(|memory| owed::is_delivered(world, agent, memory, world.time))
}

/// A new definition. Agents that left the roster keep their memory, in case they come back; open
/// turns keep the rules that they began under.
pub(in crate::world) fn revise(
    world: &mut World,
    spec: &WorldSpec,
    digest: Digest,
    text: &Content<SpecText>,
) {
    let before = &world.rules.spec().policy.rights;
    world.people.renew_rights(before, &spec.policy.rights);
    world.rules = Arc::new(spec.clone().into());
    world.states.keep(|name| spec.states.contains_key(name));
    world.defined_at = world.head;
    world.spec_digest = digest;
    world.spec_text = text.clone();
    let seen = match spec.policy.history {
        History::All => Position::ZERO,
        History::SinceJoin => world.head,
    };
    for agent in &spec.agents {
        world.agents.enter(&agent.name, seen);
    }
}
