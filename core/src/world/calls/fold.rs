//! Calls of tools: admitted, run, ended, in doubt.

use crate::content::Content;
use crate::event::refusal::{Decided, RefusalReason};
use crate::event::{
    AdmittedCall, CallReplaced, CallStatus, CallsAdmitted, OutcomeSettled, OutcomeUnknown,
    Reconciled, ReconciledHow, SettledHow, ToolFinished, ToolStarted, UnknownCause,
};
use crate::ids::{AgentName, Attempt, CallId, RequestId};
use crate::prompt::border::{Crossing, settled_notice};
use crate::tool::ViewPolicy;
use crate::world::calls::{done, memo};
use crate::world::fold::Fold;
use crate::world::memory::{Allowance, CallResult, CallState, Memory, OpenCall, Run, Slot};
use crate::world::meters::episode;
use crate::world::opening::fold::fork;
use crate::world::waits::fold::asking;
use crate::world::{RequestKind, World, consent, files};

pub(in crate::world) fn admit(fold: &mut Fold<'_>, event: &CallsAdmitted) {
    for admitted in &event.calls {
        let (tool, arguments) = written(fold, event, admitted);
        let is_erased = arguments.present().is_none();
        let origin = admitted
            .origin
            .and_then(|call| origin(fold, &event.agent, call));
        let call = OpenCall {
            folder: origin.and_then(|origin| origin.folder.clone()),
            turn: event.turn,
            answer: event.answer,
            admitted: fold.world.head,
            written: origin.map_or(event.answer, |origin| origin.written),
            tool: admitted.tool.clone(),
            arguments,
            arguments_digest: admitted.arguments,
            effect: admitted.effect,
            edited: None,
            // What runs again in the place of an edited call still is what a person edited.
            edits: origin.and_then(|origin| origin.difference().or_else(|| origin.edits.clone())),
            denied_for: None,
            // What takes the place of a call has its permission.
            allowed: origin.and_then(|origin| origin.allowed.clone()),
            wants_two: origin.is_some_and(|origin| origin.wants_two)
                || wants_two(fold.world, &event.agent, admitted),
            input: origin.and_then(|origin| origin.input.clone()),
            moved_by: fold.world.head,
            state: CallState::Ready { next: Attempt(1) },
        };
        if let (Some(tool), None) = (&admitted.tool, admitted.origin) {
            episode::count_call(fold.world, &event.agent, tool);
        }
        if let Some(origin) = admitted.origin {
            fork::hand_down(fold, &event.agent, origin, admitted.call);
        }
        let Some(memory) = fold.world.agents.memory_mut(&event.agent) else {
            return;
        };
        memory.open_calls.insert(admitted.call, call);
        memory.count_label(&admitted.label);
        let Some(turn) = memory.turn.as_mut() else {
            continue;
        };
        turn.moved_by = fold.world.head;
        if admitted.origin.is_none() {
            let label = admitted.label.clone();
            turn.slots.push(Slot {
                call: admitted.call,
                label,
                tool,
                is_erased,
                result: None,
            });
        }
    }
}

/// Tells whether the rules that a call is taken up under want a second person to allow it: those of
/// its turn, or those of now.
fn wants_two(world: &World, agent: &AgentName, admitted: &AdmittedCall) -> bool {
    let turn = world.agents.turn(agent);
    let rules = [Some(&world.rules), turn.map(|turn| &turn.rules)];
    // Rules that were in force only in between leave this note with the call (decision 0023).
    rules.into_iter().flatten().any(|rules| {
        let tool = admitted
            .tool
            .as_ref()
            .and_then(|tool| rules.spec().tools.get(tool));
        let effect = admitted.effect.or(tool.map(|tool| tool.effect));
        effect.is_some_and(|effect| rules.spec().policy.four_eyes.contains(&effect))
    })
}

/// The call that another one takes the place of.
fn origin<'f>(fold: &'f Fold<'_>, agent: &AgentName, call: CallId) -> Option<&'f OpenCall> {
    let here = fold.world.agents.open_call(agent, call);
    here.or_else(|| fork::inherited_call(fold, agent, call))
}

/// The tool's name and the arguments as the agent wrote them: in the answer, or in the call that
/// this one replaces.
fn written(
    fold: &Fold<'_>,
    event: &CallsAdmitted,
    admitted: &AdmittedCall,
) -> (String, Content<String>) {
    if let Some(origin) = admitted.origin {
        let origin = self::origin(fold, &event.agent, origin);
        let written = |call: &OpenCall| call.edited.as_ref().unwrap_or(&call.arguments).clone();
        return (String::new(), origin.map(written).unwrap_or_default());
    }
    let Some(answer) = &fold.answer else {
        return Default::default();
    };
    match &answer.response {
        Content::Present(response) if answer.at == event.answer => {
            let ordinal = usize::try_from(admitted.ordinal).unwrap_or(usize::MAX);
            let part = response.reply().calls().nth(ordinal);
            part.map_or_else(Default::default, |part| {
                (part.tool.clone(), Content::Present(part.arguments.clone()))
            })
        }
        Content::Present(_) => Default::default(),
        Content::Erased { by } => (String::new(), Content::Erased { by: *by }),
    }
}

pub(in crate::world) fn lose_outcome(world: &mut World, event: &OutcomeUnknown) {
    let request = RequestId(world.head);
    if ask_outcome_anew(world, event, request) {
        return;
    }
    let attempt = world
        .agents
        .open_call(&event.agent, event.call)
        .map_or(Attempt(1), OpenCall::attempt);
    let is_open = event.cause == UnknownCause::Crash;
    let state = CallState::AwaitsSettlement { request, attempt };
    consent::fold::ask(
        world,
        &event.agent,
        event.call,
        state,
        RequestKind::Outcome { attempt, is_open },
    );
}

/// Puts `request` in the place of the one that waits about the same outcome, if there is one.
fn ask_outcome_anew(world: &mut World, event: &OutcomeUnknown, request: RequestId) -> bool {
    if !world.consent.ask_outcome_anew(request, event.call) {
        return false;
    }
    let open = world.agents.open_call_mut(&event.agent, event.call);
    if let Some(CallState::AwaitsSettlement {
        request: waits_for, ..
    }) = open.map(|open| &mut open.state)
    {
        *waits_for = request;
    }
    true
}

/// A call that waited for permission may run.
pub(in crate::world) fn allow(
    world: &mut World,
    agent: &AgentName,
    id: CallId,
    allowance: Option<Allowance>,
) {
    let Some(call) = world.agents.open_call_mut(agent, id) else {
        return;
    };
    call.allowed = allowance;
    let next = call.next();
    make_ready(world, agent, id, next);
}

pub(in crate::world) fn make_ready(
    world: &mut World,
    agent: &AgentName,
    call: CallId,
    next: Attempt,
) {
    let at = world.head;
    if let Some(call) = world.agents.open_call_mut(agent, call) {
        call.state = CallState::Ready { next };
        call.moved_by = at;
    }
}

pub(in crate::world) fn start_tool(world: &mut World, event: &ToolStarted) {
    done::note_start(world, event);
    let at = world.head;
    let now = world.time;
    let Some(call) = world.agents.open_call_mut(&event.agent, event.call) else {
        return;
    };
    let first_started = call.first_started().unwrap_or(now);
    call.state = CallState::Running(Run::new(event, now, first_started));
    call.moved_by = at;
}

pub(in crate::world) fn finish_call(world: &mut World, event: &ToolFinished) {
    let said = if let CallStatus::Answered(at) = event.status {
        asking::answer_at(world, at, &event.agent)
    } else {
        None
    };
    let crossing = crossing(world, &event.agent, event.call);
    let result = match (
        &event.status,
        event.memo.and_then(|at| memo::remembered(world, at)),
    ) {
        (CallStatus::Answered(_), _) => CallResult::answered(said.as_deref(), crossing),
        (_, Some(memo)) => memo.again(crossing),
        (_, None) => CallResult::ended(event, crossing),
    };
    done::note_end(world, event.call, &result.view);
    note_denial(world, event);
    memo::memoise(world, event, &result);
    files::note_outcome(world, event);
    episode::discount_call(world, &event.agent, event.call, &event.status);
    close_call(world, &event.agent, event.call, result);
    if !matches!(event.status, CallStatus::Unknown(_)) {
        world.consent.close_requests_of(event.call, world.head);
    }
}

/// A denied call is denied again at once if the turn asks for it again.
fn note_denial(world: &mut World, event: &ToolFinished) {
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    let likeness = |call: &OpenCall| {
        Some(OpenCall::likeness(
            call.tool.as_ref()?,
            call.arguments_digest,
        ))
    };
    let denied = memory.open_calls.get(&event.call).and_then(likeness);
    if let (CallStatus::Denied, Some(turn), Some(denied)) =
        (&event.status, memory.turn.as_mut(), denied)
    {
        turn.denied.insert(denied);
    }
}

/// Returns what the rules that a call was made under, and people, say about what its agent's model
/// sees of its end. Where no rules are known a model sees nothing of an output.
fn crossing<'w>(world: &'w World, agent: &AgentName, call: CallId) -> Crossing<'w> {
    let turn = world.agents.turn(agent);
    let spec = turn.map_or(&world.rules, |turn| &turn.rules).spec();
    let open = world.agents.open_call(agent, call);
    let tool = open.and_then(|open| spec.tools.get(open.tool.as_ref()?));
    Crossing {
        redact: &spec.policy.redact,
        view: tool.map_or(ViewPolicy::None, |tool| tool.view),
        edits: open.and_then(|open| open.edits.as_ref()),
        reason: open.and_then(|open| open.denied_for.as_ref()),
    }
}

fn close_call(world: &mut World, agent: &AgentName, id: CallId, result: CallResult) {
    let at = world.head;
    let Some(memory) = world.agents.memory_mut(agent) else {
        return;
    };
    memory.open_calls.remove(&id);
    if let Some(turn) = memory.turn.as_mut() {
        turn.moved_by = at;
        if let Some(slot) = turn.slots.iter_mut().find(|slot| slot.call == id) {
            slot.result = Some(result);
        }
    }
    memory.flush_results();
    world.consent.close_outcome_of(id);
}

pub(in crate::world) fn settle_outcome(world: &mut World, event: &OutcomeSettled) {
    let is_open = world.agents.open_call(&event.agent, event.call).is_some();
    let decided = Decided {
        by: event.by.party(),
        how: "settled".to_owned(),
    };
    let reason = RefusalReason::AlreadyDecided;
    world
        .consent
        .settle(event.request, world.head, reason, decided);
    match event.how {
        SettledHow::Ran | SettledHow::NotRun if is_open => {
            let result = CallResult::settled(event, crossing(world, &event.agent, event.call));
            done::note_end(world, event.call, &result.view);
            close_call(world, &event.agent, event.call, result);
        }
        SettledHow::Ran | SettledHow::NotRun | SettledHow::Late => {
            let result = CallResult::settled(event, crossing(world, &event.agent, event.call));
            done::note_end(world, event.call, &result.view);
            if let Some(memory) = world.agents.memory_mut(&event.agent) {
                memory.notice(settled_notice(event));
            }
        }
        // It is about to run once more, and is noted again when it does.
        SettledHow::RunAgain => done::forget_doing(world, event.call),
    }
}

pub(in crate::world) fn reconcile(world: &mut World, event: &Reconciled) {
    let at = world.head;
    let Some(call) = world.agents.open_call_mut(&event.agent, event.call) else {
        return;
    };
    call.moved_by = at;
    match (event.how, &mut call.state) {
        (ReconciledHow::DidNot, CallState::InDoubt { run, .. }) => {
            call.state = CallState::Ready {
                next: run.attempt.next(),
            };
        }
        (ReconciledHow::CannotTell, CallState::InDoubt { was_asked, .. }) => *was_asked = true,
        (ReconciledHow::Landed | ReconciledHow::DidNot | ReconciledHow::CannotTell, _) => {}
    }
}

pub(in crate::world) fn replace_call(world: &mut World, event: &CallReplaced) {
    let at = world.head;
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    memory.open_calls.remove(&event.call);
    let Some(turn) = memory.turn.as_mut() else {
        return;
    };
    turn.moved_by = at;
    if let Some(slot) = turn.slots.iter_mut().find(|slot| slot.call == event.call) {
        slot.call = event.by;
    }
    world.consent.close_requests_of(event.call, world.head);
}

impl Memory {
    /// Counts a label of ours: of the facts alone, so that erased answers leave the count as it
    /// was.
    fn count_label(&mut self, label: &str) {
        let next = self.unlabelled.saturating_add(1);
        if label == format!("call_{next}") {
            self.unlabelled = next;
        }
    }
}
