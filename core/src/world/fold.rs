//! `evolve`: what each event does to the state. It cannot fail, and it accepts erased content everywhere.

use super::World;
use super::meter::Ended;
use crate::content::Content;
use crate::event::{CallEvent, Event, Opened, SpecRevised, TalkEvent, TurnEvent, WorldEvent};
use crate::ids::principal::proof;
use crate::ids::{AgentName, CopyId, Digest, Incarnation, Position};
use crate::spec::{History, SpecText, WorldSpec};
use crate::world::memory::{CallState, Memory};
use crate::world::{meter, observed, owed, script};

mod asking;
mod call;
mod consent;
mod erasure;
pub(super) mod fork;
mod join;
mod revision;
mod talk;
mod turn;

impl World {
    /// Folds one event.
    pub fn evolve(&mut self, event: &Event) {
        self.head = self.head.next();
        if !matches!(event, Event::World(WorldEvent::HeadSigned(_))) {
            self.upkeep.note_unsigned(self.time);
        }
        match event {
            Event::World(event) => evolve_world(self, event),
            Event::Talk(event) => evolve_talk(self, event),
            Event::Turn(event) => evolve_turn(self, event),
            Event::Call(event) => evolve_call(self, event),
            Event::Refused(event) => self.upkeep.count_refusal(event, self.time),
        }
    }
}

fn evolve_world(world: &mut World, event: &WorldEvent) {
    match event {
        WorldEvent::WorldOpened(event) => world.open_as(event),
        WorldEvent::Opened(event) => open_again(world, event),
        WorldEvent::SpecRevised(SpecRevised {
            spec,
            spec_digest,
            text,
            source,
            ..
        }) => {
            world.source.clone_from(source);
            revise(world, spec, *spec_digest, text);
        }
        WorldEvent::EpochOpened(event) => world.decider = event.decider,
        WorldEvent::Restored(event) => enter_copy(world, event.copy),
        WorldEvent::HeadSigned(_) => world.upkeep.note_signed(),
        WorldEvent::Forked(event) => fork::branch_off(world, event),
        WorldEvent::ErasureRequested(event) => erasure::request_erasure(world, event),
        WorldEvent::Erased(event) => erasure::note_erased(world, event),
        WorldEvent::PersonJoined(event) => world.people.join(&event.person, world.head),
        WorldEvent::Labelled(event) => world.labelled = event.clone(),
        WorldEvent::RightsChanged(event) => world
            .people
            .change_rights(proof(&event.method, &event.subject), event.rights.clone()),
        WorldEvent::PersonLeft(event) => talk::part(world, &event.person),
        WorldEvent::StepDone(event) => {
            script::note_step(world, event.step, event.digest, world.head)
        }
        WorldEvent::WarningRecorded(_) => {}
    }
}

fn evolve_talk(world: &mut World, event: &TalkEvent) {
    match event {
        TalkEvent::MessageEdited(event) => revision::edit(world, event),
        TalkEvent::MessageRetracted(event) => revision::retract(world, event),
        TalkEvent::ReplyRegenerated(event) => revision::regenerate(world, event),
        TalkEvent::MessagePosted(event) => talk::post(world, event),
        TalkEvent::MessageRouted(event) => talk::route_to(world, event),
        TalkEvent::NoticePosted(event) => talk::note_notice(world, event),
        TalkEvent::StateObserved(event) => observed::note_state(world, event),
        TalkEvent::ArtifactWithheld(_) => {}
    }
}

fn evolve_turn(world: &mut World, event: &TurnEvent) {
    match event {
        TurnEvent::JoinElapsed(event) => join::elapse_join(world, event),
        TurnEvent::HandedOff(event) => asking::hand_off(world, event),
        TurnEvent::TurnOpened(event) => turn::open_turn(world, event),
        TurnEvent::TurnDeclined(event) => turn::decline_turn(world, event),
        TurnEvent::ModelCalled(event) => turn::call_model(world, event),
        TurnEvent::StreamStarted(event) => turn::start_stream(world, event),
        TurnEvent::ModelAnswered(event) => turn::take_answer(world, event),
        TurnEvent::ModelFailed(event) => turn::fail_model(world, event),
        TurnEvent::AgentReacted(event) => turn::take_reaction(world, event),
        TurnEvent::AgentFailed(event) => turn::fail_agent(world, event),
        TurnEvent::MemoryCompacted(event) => turn::compact(world, event),
        TurnEvent::PrefixBroken(event) => turn::break_prefix(world, event),
        TurnEvent::TurnClosed(event) => turn::close_turn(world, event),
        TurnEvent::Stopped(event) => turn::stop(world, event),
        // Opening the world, or giving the call up, has ended the stream already.
        TurnEvent::StreamCut(_) => {}
    }
}

fn evolve_call(world: &mut World, event: &CallEvent) {
    match event {
        CallEvent::AgentAsked(event) => asking::ask_agent(world, event),
        CallEvent::CallsAdmitted(event) => call::admit(world, event),
        CallEvent::ApprovalRequested(event) => call::ask_approval(world, event),
        CallEvent::ApprovalDecided(event) => call::decide_approval(world, event),
        CallEvent::ApprovalExpired(event) => call::expire_approval(world, event),
        CallEvent::GrantGiven(event) => consent::give_grant(world, event),
        CallEvent::GrantUsed(event) => consent::use_grant(world, event),
        CallEvent::GrantRevoked(event) => consent::revoke_grant(world, event),
        CallEvent::QuestionAsked(event) => call::ask_question(world, event),
        CallEvent::QuestionAnswered(event) => call::answer_question(world, event),
        CallEvent::ToolStarted(event) => call::start_tool(world, event),
        CallEvent::ToolFinished(event) => call::finish_call(world, event),
        CallEvent::OutcomeUnknown(event) => call::lose_outcome(world, event),
        CallEvent::OutcomeSettled(event) => call::settle_outcome(world, event),
        CallEvent::Reconciled(event) => call::reconcile(world, event),
        CallEvent::CallReplaced(event) => call::replace_call(world, event),
    }
}

/// A new incarnation: what an older one had started is in doubt.
/// Only the first opening in a copy of the store counts: those behind it ask what did not fit there.
fn enter_copy(world: &mut World, copy: CopyId) {
    if world.copy != Some(copy) {
        world.copy = Some(copy);
        world.restored_at = world.head;
    }
}

fn open_again(world: &mut World, event: &Opened) {
    world.incarnation = event.incarnation;
    world.opened_at = world.time;
    world.upkeep.sign_with(event.signer.as_deref(), world.time);
    if let (Some(base), Some(opening)) = (&event.base, &mut world.opening) {
        opening.base = Some(base.clone());
    }
    let lost: Vec<AgentName> = world
        .busy
        .iter()
        .filter(|name| loses_delivery(world, name))
        .cloned()
        .collect();
    lose_model_calls(world);
    for (name, memory) in &mut world.memories {
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
pub(super) fn lose_model_calls(world: &mut World) {
    for name in world.busy.iter().cloned().collect::<Vec<_>>() {
        meter::end_attempt(world, &name, Ended::Lost);
    }
    for memory in world.memories.values_mut() {
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
        .memories
        .get(agent)
        .is_some_and(|memory| owed::is_delivered(world, agent, memory, world.time))
}

/// A new definition. Agents that left the roster keep their memory, in case they come back; open turns keep the
/// rules that they began under.
pub(super) fn revise(
    world: &mut World,
    spec: &WorldSpec,
    digest: Digest,
    text: &Content<SpecText>,
) {
    let before = &world.rules.spec().policy.rights;
    world.people.renew_rights(before, &spec.policy.rights);
    world.rules = std::sync::Arc::new(spec.clone().into());
    world
        .observed
        .retain(|name, _| spec.states.contains_key(name));
    world.defined_at = world.head;
    world.spec_digest = digest;
    world.spec_text = text.clone();
    let seen = match spec.policy.history {
        History::All => Position::ZERO,
        History::SinceJoin => world.head,
    };
    for agent in &spec.agents {
        let joined = || Memory {
            seen,
            ..Memory::default()
        };
        world
            .memories
            .entry(agent.name.clone())
            .or_insert_with(joined);
    }
}
