//! `evolve`: what each event does to the state. It cannot fail, and it accepts erased content everywhere.

use super::World;
use super::meter::Ended;
use crate::content::Content;
use crate::event::{CallEvent, Event, Opened, SpecRevised, TalkEvent, TurnEvent, WorldEvent};
use crate::ids::principal::proof;
use crate::ids::{AgentName, CopyId, Digest, Incarnation, Position};
use crate::spec::{History, SpecText, WorldSpec};
use crate::world::memory::{CallState, Memory};

mod asking;
mod call;
mod consent;
mod erasure;
mod fork;
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
            Event::World(event) => self.evolve_world(event),
            Event::Talk(event) => self.evolve_talk(event),
            Event::Turn(event) => self.evolve_turn(event),
            Event::Call(event) => self.evolve_call(event),
            Event::Refused(event) => self.upkeep.count_refusal(event, self.time),
        }
    }

    fn evolve_world(&mut self, event: &WorldEvent) {
        match event {
            WorldEvent::WorldOpened(event) => self.open_as(event),
            WorldEvent::Opened(event) => self.open_again(event),
            WorldEvent::SpecRevised(SpecRevised {
                spec,
                spec_digest,
                text,
                source,
                ..
            }) => {
                self.source.clone_from(source);
                self.revise(spec, *spec_digest, text);
            }
            WorldEvent::EpochOpened(event) => self.decider = event.decider,
            WorldEvent::Restored(event) => self.enter_copy(event.copy),
            WorldEvent::HeadSigned(_) => self.upkeep.note_signed(),
            WorldEvent::Forked(event) => self.branch_off(event),
            WorldEvent::ErasureRequested(event) => self.request_erasure(event),
            WorldEvent::Erased(event) => self.note_erased(event),
            WorldEvent::PersonJoined(event) => self.people.join(&event.person, self.head),
            WorldEvent::Labelled(event) => self.labelled = event.clone(),
            WorldEvent::RightsChanged(event) => self
                .people
                .change_rights(proof(&event.method, &event.subject), event.rights.clone()),
            WorldEvent::PersonLeft(event) => self.part(&event.person),
            WorldEvent::StepDone(event) => self.note_step(event.step, event.digest, self.head),
            WorldEvent::WarningRecorded(_) => {}
        }
    }

    fn evolve_talk(&mut self, event: &TalkEvent) {
        match event {
            TalkEvent::MessageEdited(event) => self.edit(event),
            TalkEvent::MessageRetracted(event) => self.retract(event),
            TalkEvent::ReplyRegenerated(event) => self.regenerate(event),
            TalkEvent::MessagePosted(event) => self.post(event),
            TalkEvent::MessageRouted(event) => self.route_to(event),
            TalkEvent::NoticePosted(event) => self.note_notice(event),
            TalkEvent::StateObserved(event) => self.note_state(event),
            TalkEvent::ArtifactWithheld(_) => {}
        }
    }

    fn evolve_turn(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::JoinElapsed(event) => self.elapse_join(event),
            TurnEvent::HandedOff(event) => self.hand_off(event),
            TurnEvent::TurnOpened(event) => self.open_turn(event),
            TurnEvent::TurnDeclined(event) => self.decline_turn(event),
            TurnEvent::ModelCalled(event) => self.call_model(event),
            TurnEvent::StreamStarted(event) => self.start_stream(event),
            TurnEvent::ModelAnswered(event) => self.take_answer(event),
            TurnEvent::ModelFailed(event) => self.fail_model(event),
            TurnEvent::AgentReacted(event) => self.take_reaction(event),
            TurnEvent::AgentFailed(event) => self.fail_agent(event),
            TurnEvent::MemoryCompacted(event) => self.compact(event),
            TurnEvent::PrefixBroken(event) => self.break_prefix(event),
            TurnEvent::TurnClosed(event) => self.close_turn(event),
            TurnEvent::Stopped(event) => self.stop(event),
            // Opening the world, or giving the call up, has ended the stream already.
            TurnEvent::StreamCut(_) => {}
        }
    }

    fn evolve_call(&mut self, event: &CallEvent) {
        match event {
            CallEvent::AgentAsked(event) => self.ask_agent(event),
            CallEvent::CallsAdmitted(event) => self.admit(event),
            CallEvent::ApprovalRequested(event) => self.ask_approval(event),
            CallEvent::ApprovalDecided(event) => self.decide_approval(event),
            CallEvent::ApprovalExpired(event) => self.expire_approval(event),
            CallEvent::GrantGiven(event) => self.give_grant(event),
            CallEvent::GrantUsed(event) => self.use_grant(event),
            CallEvent::GrantRevoked(event) => self.revoke_grant(event),
            CallEvent::QuestionAsked(event) => self.ask_question(event),
            CallEvent::QuestionAnswered(event) => self.answer_question(event),
            CallEvent::ToolStarted(event) => self.start_tool(event),
            CallEvent::ToolFinished(event) => self.finish_call(event),
            CallEvent::OutcomeUnknown(event) => self.lose_outcome(event),
            CallEvent::OutcomeSettled(event) => self.settle_outcome(event),
            CallEvent::Reconciled(event) => self.reconcile(event),
            CallEvent::CallReplaced(event) => self.replace_call(event),
        }
    }

    /// A new incarnation: what an older one had started is in doubt.
    /// Only the first opening in a copy of the store counts: those behind it ask what did not fit there.
    fn enter_copy(&mut self, copy: CopyId) {
        if self.copy != Some(copy) {
            self.copy = Some(copy);
            self.restored_at = self.head;
        }
    }

    fn open_again(&mut self, event: &Opened) {
        self.incarnation = event.incarnation;
        self.opened_at = self.time;
        self.upkeep.sign_with(event.signer.as_deref(), self.time);
        if let (Some(base), Some(opening)) = (&event.base, &mut self.opening) {
            opening.base = Some(base.clone());
        }
        let lost: Vec<AgentName> = self
            .busy
            .iter()
            .filter(|name| self.loses_delivery(name))
            .cloned()
            .collect();
        self.lose_model_calls();
        for (name, memory) in &mut self.memories {
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
    pub(super) fn lose_model_calls(&mut self) {
        for name in self.busy.iter().cloned().collect::<Vec<_>>() {
            self.end_attempt(&name, Ended::Lost);
        }
        for memory in self.memories.values_mut() {
            let model = memory.turn.as_mut().and_then(|turn| turn.model.as_mut());
            if let Some(model) = model {
                model.broken_stream = model.stream.take().or(model.broken_stream);
                model.incarnation = Incarnation::default();
            }
            memory.flush_taken_back();
        }
    }

    fn loses_delivery(&self, agent: &AgentName) -> bool {
        self.memories
            .get(agent)
            .is_some_and(|memory| self.is_delivered(agent, memory, self.time))
    }

    /// A new definition. Agents that left the roster keep their memory, in case they come back; open turns keep the
    /// rules that they began under.
    pub(super) fn revise(&mut self, spec: &WorldSpec, digest: Digest, text: &Content<SpecText>) {
        let before = &self.rules.spec().policy.rights;
        self.people.renew_rights(before, &spec.policy.rights);
        self.rules = std::sync::Arc::new(spec.clone().into());
        self.observed
            .retain(|name, _| spec.states.contains_key(name));
        self.defined_at = self.head;
        self.spec_digest = digest;
        self.spec_text = text.clone();
        let seen = match spec.policy.history {
            History::All => Position::ZERO,
            History::SinceJoin => self.head,
        };
        for agent in &spec.agents {
            let joined = || Memory {
                seen,
                ..Memory::default()
            };
            self.memories
                .entry(agent.name.clone())
                .or_insert_with(joined);
        }
    }
}
