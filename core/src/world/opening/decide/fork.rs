//! Branching a world off: decided by the one that it is branched off, as it stood there.

use crate::event::refusal::Refusal;
use crate::event::{
    AdmittedCall, ApprovalRequested, CallsAdmitted, EpochOpened, Forked, Labelled, Opened,
    QuestionAsked, TurnOpened,
};
use crate::ids::{AgentName, Attempt, CallId, CopyId, TurnId};
use crate::world::decide::{Draft, No};
use crate::world::decider::{BINARY, decider_id};
use crate::world::memory::{CallState, OpenCall, Turn};
use crate::world::opening::decide::restore;
use crate::world::opening::lineage;
use crate::world::turns::decide::turn;
use crate::world::upkeep::decide::label;
use crate::world::{FORKS_DEEP_MAX, Request, RequestKind};

/// A call that people are asked about again.
struct AskedCall<'w> {
    id: CallId,
    open: &'w OpenCall,
    request: &'w Request,
}

/// Begins the new world: it is opened, and people are asked again what they were asked in the old
/// one.
pub(in crate::world) fn fork(
    draft: &mut Draft<'_>,
    forked: Forked,
    opened: Opened,
    copy: Option<CopyId>,
    labelled: Option<&Labelled>,
) -> Result<(), No> {
    check_fork(draft, &forked)?;
    draft.push(forked);
    draft.push(opened);
    if draft.world.decider != decider_id() {
        draft.push(EpochOpened {
            decider: decider_id(),
            binary: BINARY.to_owned(),
        });
    }
    if let Some(Labelled { owner, labels }) = labelled {
        label::label(draft, owner.as_deref(), labels)?;
    }
    restore::begin_in(draft, copy);
    let world = draft.world;
    for agent in world.agents.busy() {
        let turn = world.agents.turn(agent);
        if let Some(turn) = turn {
            resume(draft, agent, turn);
        }
    }
    Ok(())
}

fn check_fork(draft: &Draft<'_>, forked: &Forked) -> Result<(), No> {
    let bad = |why: String| Err(No::Quiet(Refusal::BadFork { why }));
    let world = draft.world;
    if forked.base.of != world.head {
        return bad(format!(
            "the fork begins behind event {}, and the room ends at event {}",
            forked.base.of, world.head
        ));
    }
    if Some(forked.world) == world.id()
        || lineage::comes_from(world, forked.world)
        || Some(&forked.name) == world.name()
    {
        return bad(format!(
            "the fork comes from a room called {}: take another name",
            forked.name
        ));
    }
    if world.lineage.len() >= FORKS_DEEP_MAX {
        return bad(format!(
            "{FORKS_DEEP_MAX} rooms were branched off one another already; copy one of them"
        ));
    }
    Ok(())
}

/// Goes on with a turn in which people were asked something.
fn resume<'w>(draft: &mut Draft<'w>, agent: &AgentName, turn: &'w Turn) {
    let asked = asked_again(draft, agent, turn);
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
    let resumed = TurnId(draft.push(opened));
    let at = draft.here();
    let calls: Vec<AdmittedCall> = (0..)
        .zip(&asked)
        .map(|(n, asked)| asked.admitted(CallId::of(draft.id, at, n), n))
        .collect();
    let ids: Vec<CallId> = calls.iter().map(|admitted| admitted.call).collect();
    draft.push(CallsAdmitted {
        agent: agent.clone(),
        turn: resumed,
        answer,
        calls,
    });
    for (call, asked) in ids.into_iter().zip(asked) {
        ask_again(draft, agent, call, asked.request, None);
    }
}

/// The calls of a turn that wait for people. A question whose words were erased is not asked again.
fn asked_again<'w>(draft: &Draft<'w>, agent: &AgentName, turn: &'w Turn) -> Vec<AskedCall<'w>> {
    let world = draft.world;
    let open = |id: CallId| world.agents.open_call(agent, id).map(|open| (id, open));
    let waits = |(id, open): (CallId, &'w OpenCall)| {
        let (CallState::AwaitsApproval { request, .. } | CallState::AwaitsAnswer { request, .. }) =
            &open.state
        else {
            return None;
        };
        let request = world.consent.pending().get(request)?;
        let is_whole = match &request.kind {
            RequestKind::Approval { .. } => request.tool.is_some(),
            RequestKind::Question { question, .. } => question.present().is_some(),
            RequestKind::Outcome { .. } => false,
        };
        is_whole.then_some(AskedCall { id, open, request })
    };
    turn.slots
        .iter()
        .filter_map(|slot| open(slot.call))
        .filter_map(waits)
        .collect()
}

/// Asks people the same once more, with the full time to decide.
pub(in crate::world) fn ask_again(
    draft: &mut Draft<'_>,
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
            let limits = &turn::rules_of(draft, &agent).spec().limits;
            let ttl = std::time::Duration::from_millis(limits.approval_ttl_ms(effect));
            let tool = tool.clone();
            let expires_at = draft.now().after(ttl);
            draft.push(ApprovalRequested {
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
            let attempt = draft
                .world
                .agents
                .open_call(&agent, request.call)
                .map_or(Attempt(1), OpenCall::attempt);
            draft.push(QuestionAsked {
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

impl AskedCall<'_> {
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
