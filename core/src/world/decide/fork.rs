//! Branching a world off: decided by the one that it is branched off, as it stood there.

use super::{Draft, No};
use crate::event::refusal::Refusal;
use crate::event::{
    AdmittedCall, ApprovalRequested, CallsAdmitted, EpochOpened, Forked, Opened, QuestionAsked,
    TurnOpened,
};
use crate::ids::{AgentName, Attempt, CallId, CopyId, TurnId};
use crate::world::decider::{BINARY, decider_id};
use crate::world::memory::{CallState, OpenCall, Turn};
use crate::world::{FORKS_DEEP_MAX, Request, RequestKind};

/// A call that people are asked about again.
struct Asked<'w> {
    id: CallId,
    open: &'w OpenCall,
    request: &'w Request,
}

impl<'w> Draft<'w> {
    /// Begins the new world: it is opened, and people are asked again what they were asked in the old one.
    pub(super) fn fork(
        &mut self,
        forked: Forked,
        opened: Opened,
        copy: Option<CopyId>,
    ) -> Result<(), No> {
        self.check_fork(&forked)?;
        self.push(forked);
        self.push(opened);
        if self.world.decider != decider_id() {
            self.push(EpochOpened {
                decider: decider_id(),
                binary: BINARY.to_owned(),
            });
        }
        self.begin_in(copy);
        let world = self.world;
        for agent in &world.busy {
            let turn = world
                .memories
                .get(agent)
                .and_then(|memory| memory.turn.as_ref());
            if let Some(turn) = turn {
                self.resume(agent, turn);
            }
        }
        Ok(())
    }

    fn check_fork(&self, forked: &Forked) -> Result<(), No> {
        let bad = |why: String| Err(No::Quiet(Refusal::BadFork { why }));
        let world = self.world;
        if forked.base.of != world.head {
            return bad(format!(
                "its base ends at event {}, and the room at event {}",
                forked.base.of, world.head
            ));
        }
        if Some(forked.world) == world.id()
            || world.comes_from(forked.world)
            || Some(&forked.name) == world.name()
        {
            return bad(format!("{} is a room that it comes from", forked.name));
        }
        if world.lineage.len() >= FORKS_DEEP_MAX {
            return bad(format!(
                "{FORKS_DEEP_MAX} rooms were branched off one another already; copy one of them"
            ));
        }
        Ok(())
    }

    /// Goes on with a turn in which people were asked something.
    fn resume(&mut self, agent: &AgentName, turn: &'w Turn) {
        let asked = self.asked_again(agent, turn);
        let Some(answer) = asked.first().map(|asked| asked.open.answer) else {
            return;
        };
        let opened = TurnOpened {
            agent: agent.clone(),
            episode: turn.episode,
            horizon: turn.horizon,
            news: turn.because.to_vec(),
            resumes: Some(turn.id),
            redoes: Vec::new(),
        };
        let resumed = TurnId(self.push(opened));
        let at = self.here();
        let calls: Vec<AdmittedCall> = (0..)
            .zip(&asked)
            .map(|(n, asked)| asked.admitted(CallId::of(self.id, at, n), n))
            .collect();
        let ids: Vec<CallId> = calls.iter().map(|admitted| admitted.call).collect();
        self.push(CallsAdmitted {
            agent: agent.clone(),
            turn: resumed,
            answer,
            calls,
        });
        for (call, asked) in ids.into_iter().zip(asked) {
            self.ask_again(agent, call, asked.request, None);
        }
    }

    /// The calls of a turn that wait for people. A question whose words were erased is not asked again.
    fn asked_again(&self, agent: &AgentName, turn: &'w Turn) -> Vec<Asked<'w>> {
        let world = self.world;
        let open = |id: CallId| world.open_call(agent, id).map(|open| (id, open));
        let waits = |(id, open): (CallId, &'w OpenCall)| {
            let (CallState::AwaitsApproval { request, .. }
            | CallState::AwaitsAnswer { request, .. }) = &open.state
            else {
                return None;
            };
            let request = world.consent.pending().get(request)?;
            let is_whole = match &request.kind {
                RequestKind::Approval { .. } => request.tool.is_some(),
                RequestKind::Question { question, .. } => question.present().is_some(),
                RequestKind::Outcome { .. } => false,
            };
            is_whole.then_some(Asked { id, open, request })
        };
        turn.slots
            .iter()
            .filter_map(|slot| open(slot.call))
            .filter_map(waits)
            .collect()
    }

    /// Asks people the same once more, with the full time to decide.
    pub(super) fn ask_again(
        &mut self,
        agent: &AgentName,
        call: CallId,
        request: &Request,
        attempt: Option<Attempt>,
    ) {
        let agent = agent.clone();
        match (request.kind.clone(), &request.tool) {
            (
                RequestKind::Approval {
                    effect,
                    arguments,
                    schema,
                    folder,
                    warnings,
                    shown,
                    ..
                },
                Some(tool),
            ) => {
                let limits = &self.rules_of(&agent).spec().limits;
                let ttl = std::time::Duration::from_millis(limits.approval_ttl_ms(effect));
                let tool = tool.clone();
                let expires_at = self.now().after(ttl);
                self.push(ApprovalRequested {
                    attempt,
                    call,
                    agent,
                    tool,
                    effect,
                    arguments,
                    schema,
                    folder,
                    warnings,
                    shown,
                    expires_at,
                });
            }
            (
                RequestKind::Question {
                    options,
                    choose,
                    schema,
                    question,
                },
                _,
            ) => {
                let attempt = self
                    .world
                    .open_call(&agent, request.call)
                    .map_or(Attempt(1), OpenCall::attempt);
                self.push(QuestionAsked {
                    call,
                    agent,
                    attempt,
                    options,
                    choose,
                    schema,
                    question,
                });
            }
            (RequestKind::Approval { .. }, None) | (RequestKind::Outcome { .. }, _) => {}
        }
    }
}

impl Asked<'_> {
    fn admitted(&self, call: CallId, ordinal: u32) -> AdmittedCall {
        let OpenCall {
            tool,
            arguments_digest,
            effect,
            ..
        } = self.open;
        AdmittedCall {
            call,
            ordinal,
            label: String::new(),
            tool: tool.clone(),
            arguments: *arguments_digest,
            effect: *effect,
            origin: Some(self.id),
        }
    }
}
