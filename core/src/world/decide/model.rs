//! Attempts of model calls. The log owns them: the transport makes one each time.

use std::time::Duration;

use super::turn::RETRY_MIN;
use super::{Draft, No};
use crate::content::Content;
use crate::event::{CloseReason, Event, ModelCalled, ModelFailed, Notice, PrefixBroken, Purpose, StreamStarted};
use crate::ids::{AgentName, Attempt, ModelCallId, Seed, Time};
use crate::memory::{ModelState, Turn};
use crate::response::ModelError;
use crate::world::World;

/// The longest wait for another attempt. A provider that asks for more fails the turn.
const RETRY_MAX: Duration = Duration::from_secs(5 * 60);

impl<'w> Draft<'w> {
    /// The turn and the model call that it has under way, if that is `call`.
    pub(super) fn calling(&self, agent: &AgentName, call: ModelCallId) -> Result<(&'w Turn, &'w ModelState), No> {
        let turn = self.memory(agent).and_then(|memory| memory.turn.as_ref()).ok_or(No::STALE)?;
        let model = turn.model.as_ref().filter(|model| model.call == call).ok_or(No::STALE)?;
        Ok((turn, model))
    }

    /// The same, if `attempt` is the one that is under way in this incarnation.
    pub(super) fn under_way(
        &self,
        agent: &AgentName,
        call: ModelCallId,
        attempt: Attempt,
    ) -> Result<(&'w Turn, &'w ModelState), No> {
        let (turn, model) = self.calling(agent, call)?;
        let is_it = model.attempt == attempt && model.retry_at.is_none() && model.incarnation == self.world.incarnation;
        if is_it { Ok((turn, model)) } else { Err(No::STALE) }
    }

    pub(super) fn retry_model(&mut self, agent: &AgentName, call: ModelCallId) -> Result<(), No> {
        let world = self.world;
        let memory = world.memories.get(agent).ok_or(No::STALE)?;
        let turn = memory.turn.as_ref().ok_or(No::STALE)?;
        let model = turn.model.as_ref().filter(|model| model.call == call).ok_or(No::STALE)?;
        let is_due = match model.retry_at {
            Some(at) => at <= self.now(),
            None => model.incarnation != world.incarnation,
        };
        if !is_due {
            return Err(No::STALE);
        }
        let frame =
            World::frame(&turn.rules, &turn.layers, agent, &model.parameters, model.purpose).ok_or(No::STALE)?;
        self.cause = Some(model.at);
        if let Some(cause) = memory.broken.filter(|_| model.purpose != Purpose::Compaction) {
            self.push(Event::PrefixBroken(PrefixBroken { agent: agent.clone(), cause, dropped: 0 }));
        }
        self.push(Event::ModelCalled(ModelCalled {
            agent: agent.clone(),
            turn: turn.id,
            call,
            attempt: model.attempt.next(),
            incarnation: world.incarnation,
            purpose: model.purpose,
            model: model.model.clone(),
            parameters: model.parameters.clone(),
            items: u32::try_from(memory.asked(model).len()).unwrap_or(u32::MAX),
            fingerprint: memory.fingerprint_of(model, frame.start()),
        }));
        Ok(())
    }

    pub(super) fn start_stream(&mut self, agent: &AgentName, call: ModelCallId, attempt: Attempt) -> Result<(), No> {
        let (_, model) = self.under_way(agent, call, attempt)?;
        if model.purpose == Purpose::Compaction {
            return Err(No::STALE);
        }
        if model.stream.is_some() {
            return Ok(());
        }
        let (cause, replaces) = (model.at, model.broken_stream);
        self.cause = Some(cause);
        let incarnation = self.world.incarnation;
        self.push(Event::StreamStarted(StreamStarted { agent: agent.clone(), call, attempt, incarnation, replaces }));
        Ok(())
    }

    pub(super) fn record_failure(
        &mut self,
        agent: &AgentName,
        call: ModelCallId,
        attempt: Attempt,
        error: &ModelError,
    ) -> Result<(), No> {
        let (turn, model) = self.under_way(agent, call, attempt)?;
        let (id, episode, at, parameters) = (turn.id, turn.episode, model.at, model.parameters.clone());
        let retry_at = self.retry_at(turn, model, error);
        self.cause = Some(at);
        self.push(Event::ModelFailed(ModelFailed {
            agent: agent.clone(),
            turn: id,
            call,
            attempt,
            kind: error.kind,
            retry_after_ms: error.retry_after_ms,
            retry_at,
            played: error.played,
            detail: Content::Present(error.detail.clone()),
        }));
        if retry_at.is_none() && model.purpose == Purpose::Compaction {
            return self.go_without_summary(agent, &parameters);
        }
        if retry_at.is_none() {
            self.tell(Notice::TurnFailed { agent: agent.clone(), code: error.kind.code().to_owned() }, None, episode);
            self.close(agent, id, CloseReason::Failed);
        }
        Ok(())
    }

    /// When another attempt is due; `None` if it would be in vain, or people saw part of this one already.
    fn retry_at(&self, turn: &Turn, model: &ModelState, error: &ModelError) -> Option<Time> {
        let rules = turn.rules.spec();
        let failed = model.failed.saturating_add(1);
        let was_shown = model.stream.is_some() && !rules.policy.retry_shown;
        let asked = Duration::from_millis(error.retry_after_ms.unwrap_or(0));
        let is_worth_it =
            error.kind.is_transient() && failed < rules.limits.attempts && !was_shown && asked <= RETRY_MAX;
        is_worth_it.then(|| self.now().after(backoff(failed, &self.stamp.seed).max(asked)))
    }
}

/// The wait after the `failed`-th failure: doubled each time, with jitter from the stamp's seed, at most [`RETRY_MAX`].
pub(super) fn backoff(failed: u32, seed: &Seed) -> Duration {
    let doubled = RETRY_MIN.saturating_mul(2_u32.saturating_pow(failed.saturating_sub(1).min(16)));
    let jitter = seed.as_bytes().first().map_or(0, |byte| u32::from(*byte));
    (doubled + doubled.saturating_mul(jitter) / 512).min(RETRY_MAX)
}
