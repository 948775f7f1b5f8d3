//! `fold`: what each event does to the state. It cannot fail, and it accepts erased content
//! everywhere.

use crate::command::commit::{CommandKey, Commit};
use crate::content::Content;
use crate::event::{CallEvent, Event, SpecRevised, TalkEvent, TurnEvent, WorldEvent};
use crate::ids::Position;
use crate::ids::principal::{Person, Principal, Service};
use crate::model::response::LLMResponse;
use crate::world::opening::fold::{fork, opening};
use crate::world::opening::lineage::Inherited;
use crate::world::opening::script;
use crate::world::talk::fold::{message, revision};
use crate::world::talk::observed;
use crate::world::waits::fold::{asking, join};
use crate::world::{World, calls, consent, turns, upkeep};

/// The folding of one commit: the world, and what only the events of the same commit refer to.
pub(super) struct Fold<'w> {
    pub(super) world: &'w mut World,
    /// The person who gave the command; `None` if no person did.
    pub(super) speaker: Option<Person>,
    /// The service that gave the command; `None` if no service did.
    pub(super) service: Option<Service>,
    /// The answer that the events behind it refer to; `None` before there is one.
    pub(super) answer: Option<Answer>,
    /// The turns that were open in the other world, until they are gone on with; empty if the
    /// commit branches nothing off.
    pub(super) inherited: Vec<Inherited>,
}

/// An agent's answer, and where it stands in the log.
pub(super) struct Answer {
    pub(super) at: Position,
    pub(super) response: Content<LLMResponse>,
}

/// Somebody who looks at the world before and after each event of a commit.
pub(super) trait Watch {
    /// Looks at the world before `event`.
    fn before(&mut self, world: &World, event: &Event);
    /// Looks at the world behind `event`.
    fn after(&mut self, world: &World, event: &Event);
}

/// Nobody looks.
impl Watch for () {
    fn before(&mut self, _: &World, _: &Event) {}
    fn after(&mut self, _: &World, _: &Event) {}
}

/// Folds one commit.
pub(super) fn fold(world: &mut World, commit: &Commit) {
    fold_watched(world, commit, &mut ());
}

/// Folds one commit, and lets `watch` look on.
pub(super) fn fold_watched(world: &mut World, commit: &Commit, watch: &mut impl Watch) {
    let header = &commit.header;
    world.time = header.stamp.time;
    // The first commit begins an epoch without saying so; each later epoch has its event.
    if world.head == Position::ZERO {
        world.decider = header.decider;
    }
    let mut fold = Fold::of(world, Some(&header.principal));
    for event in &commit.events {
        watch.before(fold.world, event);
        fold.evolve(event);
        watch.after(fold.world, event);
    }
    fork::close_inherited(&mut fold);
    // A command that was refused is no act.
    let is_refused = matches!(commit.events.last(), Some(Event::Refused(_)));
    if let Some(person) = fold.speaker.filter(|_| !is_refused) {
        world.people.note_hand(&person);
    }
    // Steps only: all other keys are the store's, or the fold would grow with every message
    // (decision 0005).
    if let Some(keyed) = &header.key
        && let CommandKey::Step(step) = keyed.key
    {
        script::note_step(world, step, keyed.digest, header.first);
    }
}

#[cfg(test)]
impl World {
    /// Folds an event that stands in no commit.
    pub(crate) fn evolve(&mut self, event: &Event) {
        Fold::of(self, None).evolve(event);
    }
}

impl<'w> Fold<'w> {
    fn of(world: &'w mut World, giver: Option<&Principal>) -> Self {
        Self {
            world,
            speaker: giver.and_then(Principal::person).cloned(),
            service: giver.and_then(Principal::service).cloned(),
            answer: None,
            inherited: Vec::new(),
        }
    }

    fn evolve(&mut self, event: &Event) {
        let world = &mut *self.world;
        world.head = world.head.next();
        // A signature is nothing that would need another one.
        if !matches!(event, Event::World(WorldEvent::HeadSigned(_))) {
            world.upkeep.note_unsigned(world.time);
        }
        match event {
            Event::World(event) => evolve_world(self, event),
            Event::Talk(event) => evolve_talk(self, event),
            Event::Turn(event) => evolve_turn(self, event),
            Event::Call(event) => evolve_call(self, event),
            Event::Refused(event) => world.upkeep.count_refusal(event, world.time),
        }
    }

    /// Keeps the answer of the event that is folded, for those behind it.
    pub(super) fn note_answer(&mut self, response: Content<LLMResponse>) {
        let at = self.world.head;
        self.answer = Some(Answer { at, response });
    }

    /// The answer at `at`; `None` if another one is kept, or it is erased.
    pub(super) fn response_at(&self, at: Position) -> Option<&LLMResponse> {
        let answer = self.answer.as_ref().filter(|answer| answer.at == at)?;
        answer.response.present()
    }
}

fn evolve_world(fold: &mut Fold<'_>, event: &WorldEvent) {
    match event {
        WorldEvent::WorldOpened(event) => opening::open_as(fold.world, event),
        WorldEvent::Opened(event) => opening::open_again(fold.world, event),
        WorldEvent::SpecRevised(SpecRevised {
            spec,
            spec_digest,
            text,
            source,
            ..
        }) => {
            fold.world.source.clone_from(source);
            opening::revise(fold.world, spec, *spec_digest, text);
        }
        WorldEvent::EpochOpened(event) => fold.world.decider = event.decider,
        WorldEvent::Restored(event) => opening::enter_copy(fold.world, event.copy),
        WorldEvent::HeadSigned(_) => fold.world.upkeep.note_signed(),
        WorldEvent::Forked(event) => fork::branch_off(fold, event),
        WorldEvent::ErasureRequested(event) => upkeep::fold::request_erasure(fold.world, event),
        WorldEvent::Erased(event) => upkeep::fold::note_erased(fold.world, event),
        WorldEvent::PersonJoined(event) => fold.world.people.join(&event.person, fold.world.head),
        WorldEvent::Labelled(event) => fold.world.labelled = event.clone(),
        WorldEvent::RightsChanged(event) => fold.world.people.change_rights(
            event.holder.proof(&event.method, &event.subject),
            event.rights.clone(),
        ),
        WorldEvent::PersonLeft(event) => message::part(fold.world, &event.person),
        WorldEvent::StepDone(event) => {
            script::note_step(fold.world, event.step, event.digest, fold.world.head)
        }
        WorldEvent::WarningRecorded(_) | WorldEvent::WithheldViewed(_) => {}
    }
}

fn evolve_talk(fold: &mut Fold<'_>, event: &TalkEvent) {
    match event {
        TalkEvent::MessageEdited(event) => revision::edit(fold.world, event),
        TalkEvent::MessageRetracted(event) => revision::retract(fold.world, event),
        TalkEvent::ReplyRegenerated(event) => {
            if fold.service.is_some() {
                fold.world.services.begin(fold.world.time);
            }
            revision::regenerate(fold.world, event);
        }
        TalkEvent::MessagePosted(event) => message::post(fold, event),
        TalkEvent::MessageRouted(event) => message::route_to(fold.world, event),
        TalkEvent::NoticePosted(event) => message::note_notice(fold.world, event),
        TalkEvent::StateObserved(event) => observed::note_state(fold.world, event),
        TalkEvent::ArtifactWithheld(_) => {}
    }
}

fn evolve_turn(fold: &mut Fold<'_>, event: &TurnEvent) {
    match event {
        TurnEvent::JoinElapsed(event) => join::elapse_join(fold.world, event),
        TurnEvent::HandedOff(event) => asking::hand_off(fold.world, event),
        TurnEvent::TurnOpened(event) => turns::fold::open_turn(fold, event),
        TurnEvent::TurnDeclined(event) => turns::fold::decline_turn(fold.world, event),
        TurnEvent::ModelCalled(event) => turns::fold::call_model(fold.world, event),
        TurnEvent::StreamStarted(event) => turns::fold::start_stream(fold.world, event),
        TurnEvent::ModelAnswered(event) => turns::fold::take_answer(fold, event),
        TurnEvent::ModelFailed(event) => turns::fold::fail_model(fold.world, event),
        TurnEvent::AgentReacted(event) => turns::fold::take_reaction(fold, event),
        TurnEvent::AgentFailed(event) => turns::fold::fail_agent(fold.world, event),
        TurnEvent::MemoryCompacted(event) => turns::fold::compact(fold, event),
        TurnEvent::PrefixBroken(event) => turns::fold::break_prefix(fold.world, event),
        TurnEvent::TurnClosed(event) => turns::fold::close_turn(fold.world, event),
        TurnEvent::Stopped(event) => turns::fold::stop(fold.world, event),
        // Opening the world, or giving the call up, has ended the stream already.
        TurnEvent::StreamCut(_) => {}
    }
}

fn evolve_call(fold: &mut Fold<'_>, event: &CallEvent) {
    match event {
        CallEvent::AgentAsked(event) => asking::ask_agent(fold.world, event),
        CallEvent::CallsAdmitted(event) => calls::fold::admit(fold, event),
        CallEvent::ApprovalRequested(event) => consent::fold::ask_approval(fold.world, event),
        CallEvent::ApprovalDecided(event) => consent::fold::decide_approval(fold.world, event),
        CallEvent::ApprovalExpired(event) => consent::fold::expire_approval(fold.world, event),
        CallEvent::GrantGiven(event) => consent::fold::give_grant(fold.world, event),
        CallEvent::GrantUsed(event) => consent::fold::use_grant(fold.world, event),
        CallEvent::GrantRevoked(event) => consent::fold::revoke_grant(fold.world, event),
        CallEvent::QuestionAsked(event) => consent::fold::ask_question(fold.world, event),
        CallEvent::QuestionAnswered(event) => consent::fold::answer_question(fold.world, event),
        CallEvent::ToolStarted(event) => calls::fold::start_tool(fold.world, event),
        CallEvent::ToolFinished(event) => calls::fold::finish_call(fold.world, event),
        CallEvent::OutcomeUnknown(event) => calls::fold::lose_outcome(fold.world, event),
        CallEvent::OutcomeSettled(event) => calls::fold::settle_outcome(fold.world, event),
        CallEvent::Reconciled(event) => calls::fold::reconcile(fold.world, event),
        CallEvent::CallReplaced(event) => calls::fold::replace_call(fold.world, event),
    }
}
