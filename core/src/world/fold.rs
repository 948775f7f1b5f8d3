//! `evolve`: what each event does to the state. It cannot fail, and it accepts erased content everywhere.

use super::World;
use super::meter::Ended;
use crate::content::Content;
use crate::event::{Event, Opened, SpecRevised};
use crate::ids::{AgentName, CopyId, Digest, Incarnation, Position, Time};
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
        if !matches!(event, Event::HeadSigned(_)) {
            self.note_unsigned();
        }
        match event {
            Event::WorldOpened(event) => self.open_as(event),
            Event::Opened(event) => self.open_again(event),
            Event::SpecRevised(SpecRevised {
                spec,
                spec_digest,
                text,
                source,
                ..
            }) => {
                self.source.clone_from(source);
                self.revise(spec, *spec_digest, text);
            }
            Event::EpochOpened(event) => self.decider = event.decider,
            Event::Restored(event) => self.enter_copy(event.copy),
            Event::HeadSigned(event) => self.note_head(event),
            Event::Forked(event) => self.branch_off(event),
            Event::ErasureRequested(event) => self.request_erasure(event),
            Event::Erased(event) => self.note_erased(event),
            Event::PersonJoined(event) => self.join(&event.person),
            Event::Labelled(event) => self.labelled = event.clone(),
            Event::RightsChanged(event) => self.change_rights(event),
            Event::StateObserved(event) => self.note_state(event),
            // Opening the world, or giving the call up, has ended the stream already.
            Event::WarningRecorded(_) | Event::ArtifactWithheld(_) | Event::StreamCut(_) => {}
            Event::JoinElapsed(event) => self.elapse_join(event),
            Event::HandedOff(event) => self.hand_off(event),
            Event::AgentAsked(event) => self.ask_agent(event),
            Event::PersonLeft(event) => self.part(&event.person),
            Event::MessageEdited(event) => self.edit(event),
            Event::MessageRetracted(event) => self.retract(event),
            Event::ReplyRegenerated(event) => self.regenerate(event),
            Event::StepDone(event) => self.note_step(event.step, event.digest, self.head),
            Event::Refused(event) => self.count_refusal(event),
            Event::MessagePosted(event) => self.post(event),
            Event::MessageRouted(event) => self.route_to(event),
            Event::NoticePosted(event) => self.note_notice(event),
            Event::TurnOpened(event) => self.open_turn(event),
            Event::TurnDeclined(event) => self.decline_turn(event),
            Event::ModelCalled(event) => self.call_model(event),
            Event::StreamStarted(event) => self.start_stream(event),
            Event::ModelAnswered(event) => self.take_answer(event),
            Event::ModelFailed(event) => self.fail_model(event),
            Event::AgentReacted(event) => self.take_reaction(event),
            Event::AgentFailed(event) => self.fail_agent(event),
            Event::MemoryCompacted(event) => self.compact(event),
            Event::PrefixBroken(event) => self.break_prefix(event),
            Event::TurnClosed(event) => self.close_turn(event),
            Event::Stopped(event) => self.stop(event),
            Event::CallsAdmitted(event) => self.admit(event),
            Event::ApprovalRequested(event) => self.ask_approval(event),
            Event::ApprovalDecided(event) => self.decide_approval(event),
            Event::ApprovalExpired(event) => self.expire_approval(event),
            Event::GrantGiven(event) => self.give_grant(event),
            Event::GrantUsed(event) => self.use_grant(event),
            Event::GrantRevoked(event) => self.revoke_grant(event),
            Event::QuestionAsked(event) => self.ask_question(event),
            Event::QuestionAnswered(event) => self.answer_question(event),
            Event::ToolStarted(event) => self.start_tool(event),
            Event::ToolFinished(event) => self.finish_call(event),
            Event::OutcomeUnknown(event) => self.lose_outcome(event),
            Event::OutcomeSettled(event) => self.settle_outcome(event),
            Event::Reconciled(event) => self.reconcile(event),
            Event::CallReplaced(event) => self.replace_call(event),
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
        self.sign_with(event.signer.as_deref());
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

    /// Whether an agent in code is being told something at `now`, as far as the log knows.
    pub(super) fn is_delivered(&self, agent: &AgentName, memory: &Memory, now: Time) -> bool {
        let is_due = memory.retry_at.is_none_or(|at| at <= now);
        memory.is_owed_delivery() && is_due && !self.has_model(agent)
    }

    /// A new definition. Agents that left the roster keep their memory, in case they come back; open turns keep the
    /// rules that they began under.
    pub(super) fn revise(&mut self, spec: &WorldSpec, digest: Digest, text: &Content<SpecText>) {
        self.renew_rights(&spec.policy.rights);
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
