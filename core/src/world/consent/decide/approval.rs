//! Approvals: a call that asks, and what a person decides about it.

use crate::command::Judgement;
use crate::content::canonical::arguments_digest;
use crate::event::refusal::RefusalReason;
use crate::event::{
    AdmittedCall, ApprovalDecided, ApprovalRequested, CallReplaced, CallStatus, CallsAdmitted,
    DecisionText, Event, Verdict, WorldEvent,
};
use crate::ids::principal::Party;
use crate::ids::{AgentName, Attempt, CallId, Digest, RequestId, ToolName};
use crate::spec::WorldSpec;
use crate::spec::rules::schema_digest;
use crate::tool::{EffectClass, ToolSpec};
use crate::world::calls::decide::admission::Asking;
use crate::world::calls::decide::{admission, call};
use crate::world::consent::decide::now::Now;
use crate::world::consent::decide::{grant, now, question, verification};
use crate::world::consent::second;
use crate::world::decide::{Draft, No};
use crate::world::memory::{CallState, OpenCall};
use crate::world::opening::lineage;
use crate::world::people::decide::roster;
use crate::world::turns::decide::turn;
use crate::world::{Request, RequestKind, approval_text};

/// A call that waits, looked up in its agent's memory, and what is known of it under the rules that
/// it was asked by.
pub(in crate::world) struct Pending<'w> {
    pub(in crate::world) id: RequestId,
    pub(in crate::world) agent: &'w AgentName,
    pub(in crate::world) call: CallId,
    pub(in crate::world) open: &'w OpenCall,
    pub(in crate::world) tool: &'w ToolSpec,
    pub(in crate::world) effect: EffectClass,
    pub(in crate::world) arguments: &'w str,
}

/// A call that may not run unasked: it was denied before, a grant allows it, or a person is asked.
pub(in crate::world) fn ask_approval(draft: &mut Draft<'_>, asking: &Asking<'_>) {
    let Asking {
        agent,
        call,
        tool,
        effect,
        arguments,
        ..
    } = *asking;
    let digest = arguments_digest(arguments);
    let turn = turn::memory(draft, agent).and_then(|memory| memory.turn.as_ref());
    // A model that asks the same again would wear people down until somebody says yes.
    if turn.is_some_and(|turn| {
        turn.denied
            .contains(&OpenCall::likeness(&tool.name, digest))
    }) {
        admission::end(draft, agent, call, asking.attempt, CallStatus::DeniedBefore);
    } else if let Some(grant) = grant::grant_for(draft, agent, tool, effect, arguments) {
        grant::use_grant(draft, grant, agent, call, None);
    } else {
        request_approval(draft, asking, digest);
    }
}

pub(in crate::world) fn request_approval(
    draft: &mut Draft<'_>,
    asking: &Asking<'_>,
    arguments: Digest,
) {
    let Asking {
        agent,
        call,
        tool,
        effect,
        warnings,
        ..
    } = asking;
    let ttl = std::time::Duration::from_millis(
        turn::rules_of(draft, agent)
            .spec()
            .limits
            .approval_ttl_ms(*effect),
    );
    // The digest goes into the log: whoever decides must have read this text and no other.
    let shown = approval_text(agent, &tool.name, *effect, asking.arguments, warnings);
    draft.push(ApprovalRequested {
        call: *call,
        agent: (*agent).clone(),
        tool: tool.name.clone(),
        effect: *effect,
        arguments,
        schema: schema_digest(tool),
        folder: folder_of(draft, &tool.name),
        warnings: warnings.to_vec(),
        shown: Digest::of(&[shown.as_bytes()]),
        expires_at: draft.now().after(ttl),
        attempt: asking.attempt,
    });
}

/// Returns the folder in which the tool called `name` works by the newest definition, which this
/// very commit may have recorded.
fn folder_of(draft: &Draft<'_>, name: &ToolName) -> Option<String> {
    let revised = draft.events.iter().rev().find_map(|event| {
        if let Event::World(WorldEvent::SpecRevised(revised)) = event {
            Some(&*revised.spec)
        } else {
            None
        }
    });
    revised
        .unwrap_or(draft.world.rules.spec())
        .tools
        .get(name)?
        .folder
        .clone()
}

/// Asks again about each call that waits for a person or was allowed and has not run, if its tool
/// is in another folder by `spec`: what people read of it was about another place. The newest
/// definition must be recorded already.
pub(in crate::world) fn ask_again_where_moved(draft: &mut Draft<'_>, spec: &WorldSpec) {
    let world = draft.world;
    for (agent, memory) in world.agents.busy_memories() {
        for (call, open) in &memory.open_calls {
            let is_asked = match &open.state {
                CallState::AwaitsApproval { .. } => true,
                CallState::Ready { .. } => open.folder.is_some(),
                CallState::Running(_)
                | CallState::InDoubt { .. }
                | CallState::AwaitsAnswer { .. }
                | CallState::AwaitsSettlement { .. }
                | CallState::AwaitsAgent { .. } => false,
            };
            let Some(tool) = open
                .tool
                .as_ref()
                .and_then(|name| turn::rules_of(draft, agent).tool_of(agent, name.as_str()))
            else {
                continue;
            };
            let has_moved = spec
                .tools
                .get(&tool.name)
                .is_some_and(|now| tool.acts_like(now) && open.is_elsewhere(tool, now));
            if let Some(arguments) = open.arguments.present().filter(|_| is_asked && has_moved) {
                let effect = open.effect.unwrap_or(tool.effect);
                let warnings = turn::rules_of(draft, agent).findings(&tool.name, arguments);
                let attempt = Some(open.next()).filter(|next| *next != Attempt(1));
                let asking = Asking {
                    agent,
                    call: *call,
                    tool,
                    effect,
                    arguments,
                    warnings,
                    attempt,
                };
                request_approval(draft, &asking, open.arguments_digest);
            }
        }
    }
}

/// Takes a decision about one request. `seen` is the agent whose call the person saw, if they said
/// whose it is.
pub(in crate::world) fn decide(
    draft: &mut Draft<'_>,
    seen: Option<&AgentName>,
    id: RequestId,
    judgement: &Judgement,
) -> Result<(), No> {
    let party = question::party(draft, id)?;
    // A request is named by a position, which other worlds have too (decision 0014).
    if let Some(other) = judgement.world.filter(|world| *world != draft.id) {
        let is_parent = lineage::comes_from(draft.world, other);
        return Err(No::right(if is_parent {
            RefusalReason::OfParent
        } else {
            RefusalReason::OtherWorld
        }));
    }
    let request = question::request(draft, id)?;
    verification::size(draft, id, judgement)?;
    verification::asked(draft, seen, id, request, judgement)?;
    // A no is taken whatever has become of the tool since: nothing runs by it.
    if judgement.verdict == Verdict::Deny {
        roster::enrol(draft);
        record_decision(draft, &party, id, request, judgement, false);
        admission::end(
            draft,
            &request.agent,
            request.call,
            None,
            CallStatus::Denied,
        );
        return Ok(());
    }
    let pending = pending(draft, id, request)?;
    verification::eyes(draft, &party, &pending)?;
    let edited = verification::edited(draft, &pending, judgement)?;
    if edited.is_none() {
        verification::fits(draft, &pending)?;
    }
    // With other arguments the call may have an effect for which the rules want two.
    let wants_two = edited.is_some_and(|arguments| {
        let effect = pending.tool.effect_at(arguments);
        second::wants_two(draft.world, pending.agent, effect)
    });
    if let Some(reason) = grant::fault_of_eyes(draft, pending.agent, wants_two, &party) {
        return Err(No::about(reason, id));
    }
    verification::reach(&pending, edited.unwrap_or(pending.arguments), judgement)?;
    roster::enrol(draft);
    record_decision(draft, &party, id, request, judgement, edited.is_some());
    match edited {
        None => grant::grant(
            draft,
            &party,
            &pending,
            (pending.call, pending.effect, pending.arguments),
            judgement,
        ),
        Some(arguments) => run_edited(draft, &party, &pending, arguments, judgement),
    }
    Ok(())
}

/// The call behind a request, if it is still what was asked for: its arguments, and the tool then
/// and now.
pub(in crate::world) fn pending<'w>(
    draft: &Draft<'w>,
    id: RequestId,
    request: &'w Request,
) -> Result<Pending<'w>, No> {
    let no = |reason| No::about(reason, id);
    let RequestKind::Approval {
        effect,
        arguments: digest,
        schema,
        warnings,
        shown,
        ..
    } = &request.kind
    else {
        return Err(no(RefusalReason::OtherKind));
    };
    let open = call::open_call(draft, &request.agent, request.call)
        .map_err(|_| no(RefusalReason::Closed))?;
    let arguments = open
        .arguments
        .present()
        .filter(|arguments| arguments_digest(arguments) == *digest);
    let arguments = arguments.ok_or(no(RefusalReason::ArgumentsDiffer))?;
    let name = request
        .tool
        .as_ref()
        .filter(|name| open.tool.as_ref() == Some(name));
    let name = name.ok_or(no(RefusalReason::ToolChanged))?;
    let then = turn::rules_of(draft, &request.agent).tool_of(&request.agent, name.as_str());
    let world: &'w crate::world::World = draft.world;
    let now = world.rules.tool_of(&request.agent, name.as_str());
    let is_same =
        |tool: &ToolSpec, other: &ToolSpec| tool.acts_like(other) && schema_digest(tool) == *schema;
    match then.zip(now) {
        Some((tool, now))
            if is_same(tool, now)
                && !open.is_elsewhere(tool, now)
                && tool.effect_at(arguments) == *effect =>
        {
            let text = approval_text(&request.agent, name, *effect, arguments, warnings);
            if Digest::of(&[text.as_bytes()]) != *shown {
                return Err(no(RefusalReason::ShownDiffers));
            }
            if matches!(
                now::ruled_now(world, &request.agent, tool, arguments),
                Now::Ends(_)
            ) {
                return Err(no(RefusalReason::Forbidden));
            }
            let agent = &request.agent;
            let call = request.call;
            let effect = *effect;
            Ok(Pending {
                id,
                agent,
                call,
                open,
                tool,
                effect,
                arguments,
            })
        }
        Some(_) | None => Err(no(RefusalReason::ToolChanged)),
    }
}

fn record_decision(
    draft: &mut Draft<'_>,
    party: &Party,
    id: RequestId,
    request: &Request,
    judgement: &Judgement,
    is_edited: bool,
) {
    let Judgement {
        verdict,
        scope,
        wider,
        arguments,
        shown,
        reason,
        shares_reason,
        ..
    } = judgement.clone();
    draft.push(ApprovalDecided {
        request: id,
        call: request.call,
        agent: request.agent.clone(),
        verdict,
        scope,
        wider,
        is_edited,
        shares_reason,
        shown,
        by: party.clone(),
        text: DecisionText { reason, arguments }.into(),
    });
}

/// Puts a call with the edited arguments in the place of the one that was asked about. It runs
/// without being asked about again, unless it may do more.
fn run_edited<'w>(
    draft: &mut Draft<'w>,
    party: &Party,
    pending: &Pending<'w>,
    arguments: &str,
    judgement: &Judgement,
) {
    let Pending {
        agent,
        call: old,
        open,
        tool,
        ..
    } = *pending;
    let call = replace(
        draft,
        agent,
        old,
        open,
        (arguments_digest(arguments), tool.effect_by_rules(arguments)),
    );
    let effect = tool.effect_at(arguments);
    if effect > pending.effect {
        let warnings = turn::rules_of(draft, agent).findings(&tool.name, arguments);
        let asking = Asking {
            agent,
            call,
            tool,
            effect,
            arguments,
            warnings,
            attempt: None,
        };
        return request_approval(draft, &asking, arguments_digest(arguments));
    }
    grant::grant(draft, party, pending, (call, effect, arguments), judgement);
}

/// Closes a call in favour of a new one, which answers the same label.
pub(in crate::world) fn replace(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    old: CallId,
    open: &OpenCall,
    (arguments, effect): (Digest, Option<EffectClass>),
) -> CallId {
    let call = CallId::of(draft.id, draft.here(), 0);
    let admitted = AdmittedCall {
        call,
        ordinal: 0,
        label: String::new(),
        tool: open.tool.clone(),
        arguments,
        effect,
        origin: Some(old),
    };
    let turn = open.turn;
    let answer = open.answer;
    draft.push(CallsAdmitted {
        agent: agent.clone(),
        turn,
        answer,
        calls: vec![admitted],
    });
    draft.push(CallReplaced {
        call: old,
        agent: agent.clone(),
        by: call,
    });
    call
}
