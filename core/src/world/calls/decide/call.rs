//! Runs of tools.

use crate::event::{
    CallEvent, CallStatus, Event, ForkEffects, Notice, OutcomeSettled, OutcomeUnknown, Progress,
    QuestionAsked, SettledHow, SettledText, ToolFinished, ToolStarted, UnknownCause,
};
use crate::ids::{AgentName, Attempt, CallId, EpisodeId, RequestId};
use crate::tool::{Question, ToolErrorCode, ToolOutcome};
use crate::world::RequestKind;
use crate::world::calls::decide::admission;
use crate::world::calls::starting;
use crate::world::consent::decide::now;
use crate::world::consent::decide::now::Starting;
use crate::world::decide::{Draft, No};
use crate::world::memory::{CallState, OpenCall, Run};
use crate::world::talk::decide::message;
use crate::world::turns::decide::{answer, turn};

/// The warning that an artifact is not shown: its kind is not one that its tool declares, or it
/// does not fit it.
const ARTIFACT_DROPPED: &str = "artifact_dropped";

/// The open call, verified against the agent's memory: the one place where pending calls live.
pub(in crate::world) fn open_call<'w>(
    draft: &Draft<'w>,
    agent: &AgentName,
    call: CallId,
) -> Result<&'w OpenCall, No> {
    turn::memory(draft, agent)
        .and_then(|memory| memory.open_calls.get(&call))
        .ok_or(No::STALE)
}

pub(in crate::world) fn start_tool(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
    attempt: Attempt,
) -> Result<(), No> {
    let open = open_call(draft, agent, call)?;
    let is_next = match &open.state {
        CallState::Ready { next } => *next == attempt,
        CallState::InDoubt { run, .. } => {
            run.attempt.next() == attempt && run.may_repeat(draft.world.time)
        }
        CallState::AwaitsApproval { .. }
        | CallState::AwaitsAnswer { .. }
        | CallState::AwaitsAgent { .. }
        | CallState::Running(_)
        | CallState::AwaitsSettlement { .. } => false,
    };
    // A destructive call runs alone in its world, whatever the shell thinks that it is owed.
    if !is_next || !starting::may_start(draft.world, call) {
        return Err(No::STALE);
    }
    draft.cause = Some(open.moved_by);
    let Some(tool) = open
        .tool
        .as_ref()
        .and_then(|tool| turn::rules_of(draft, agent).spec().tools.get(tool))
    else {
        admission::end(draft, agent, call, Some(attempt), CallStatus::Missing);
        return Ok(());
    };
    if !now::is_clear(
        draft,
        Starting {
            agent,
            call,
            attempt,
            open,
            tool,
        },
    ) {
        return Ok(());
    }
    draft.push(ToolStarted {
        call,
        agent: agent.clone(),
        attempt,
        incarnation: draft.world.incarnation,
        effect: open.effect.unwrap_or(tool.effect),
        repeat: tool.repeat,
        // Where nothing is performed, the record can always tell: nothing was.
        reconciles: tool.reconciles || draft.world.effects() == ForkEffects::Recorded,
    });
    Ok(())
}

/// The run that is under way in this incarnation, if it is `attempt`.
fn running<'w>(
    draft: &mut Draft<'w>,
    agent: &AgentName,
    call: CallId,
    attempt: Attempt,
) -> Result<&'w Run, No> {
    let open = open_call(draft, agent, call)?;
    match &open.state {
        CallState::Running(run) if run.attempt == attempt => {
            draft.cause = Some(open.moved_by);
            Ok(run)
        }
        CallState::Running(_)
        | CallState::Ready { .. }
        | CallState::AwaitsApproval { .. }
        | CallState::AwaitsAnswer { .. }
        | CallState::AwaitsAgent { .. }
        | CallState::InDoubt { .. }
        | CallState::AwaitsSettlement { .. } => Err(No::STALE),
    }
}

pub(in crate::world) fn finish_tool(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
    attempt: Attempt,
    (outcome, progress): (&ToolOutcome, Option<Progress>),
) -> Result<(), No> {
    if let Some(request) = lost(draft, agent, call, attempt) {
        settle_late(draft, agent, call, attempt, request, outcome);
        return Ok(());
    }
    let run = running(draft, agent, call, attempt)?;
    match outcome.doubt() {
        // Nobody can take back a payment that was made twice: people are asked what became of it.
        Some(cause) if !run.may_repeat(draft.now()) => {
            end_unknown(draft, agent, call, attempt, cause, Some(outcome.clone()));
        }
        Some(_) | None => end_run(draft, agent, call, attempt, outcome),
    }
    // Behind an unknown outcome stands what people are told of it.
    for event in &mut draft.events {
        if let Event::Call(CallEvent::ToolFinished(finished)) = event
            && finished.call == call
        {
            finished.progress = progress;
        }
    }
    Ok(())
}

/// Gives a call the end that its tool gave it: a result, or a question to a person.
pub(in crate::world) fn end_run(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
    attempt: Attempt,
    outcome: &ToolOutcome,
) {
    let status = match outcome {
        ToolOutcome::Done(_) => CallStatus::Done,
        ToolOutcome::Failed(failure) => CallStatus::Failed(failure.code),
        ToolOutcome::NeedsInput(question) => {
            return ask_person(draft, agent, call, attempt, question);
        }
    };
    let dropped = misfits(draft, agent, call, outcome);
    if !dropped.is_empty() {
        answer::warn(draft, agent, ARTIFACT_DROPPED);
    }
    let finished = ToolFinished::new(
        call,
        agent.clone(),
        Some(attempt),
        status,
        Some(outcome.clone()),
    );
    draft.push(ToolFinished {
        dropped,
        ..finished
    });
}

/// The views of an outcome that nobody may see.
fn misfits(draft: &Draft<'_>, agent: &AgentName, call: CallId, outcome: &ToolOutcome) -> Vec<u32> {
    let ToolOutcome::Done(output) = outcome else {
        return Vec::new();
    };
    let tool = open_call(draft, agent, call)
        .ok()
        .and_then(|open| open.tool.as_ref());
    tool.map(|tool| turn::rules_of(draft, agent).misfits(tool, output))
        .unwrap_or_default()
}

fn ask_person(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
    attempt: Attempt,
    question: &Question,
) {
    draft.push(QuestionAsked {
        call,
        agent: agent.clone(),
        attempt,
        options: u32::try_from(question.options.len()).unwrap_or(u32::MAX),
        choose: question.choose,
        schema: question.schema.clone(),
        question: question.clone().into(),
    });
}

/// The request about the outcome of a call that was closed while `attempt` ran.
fn lost(draft: &Draft<'_>, agent: &AgentName, call: CallId, attempt: Attempt) -> Option<RequestId> {
    let is_it = |kind: &RequestKind| match kind {
        RequestKind::Outcome {
            attempt: lost,
            is_open: false,
        } => *lost == attempt,
        RequestKind::Outcome { .. }
        | RequestKind::Approval { .. }
        | RequestKind::Question { .. } => false,
    };
    draft
        .world
        .consent
        .find(|request| request.agent == *agent && request.call == call && is_it(&request.kind))
}

fn settle_late(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
    attempt: Attempt,
    request: RequestId,
    outcome: &ToolOutcome,
) {
    draft.cause = Some(request.0);
    let how = match outcome {
        ToolOutcome::Done(_) | ToolOutcome::Failed(_) => SettledHow::Late,
        // It asks before it does anything.
        ToolOutcome::NeedsInput(_) => SettledHow::NotRun,
    };
    draft.push(OutcomeSettled {
        request,
        call,
        agent: agent.clone(),
        how,
        by: draft.principal.clone(),
        text: SettledText {
            result: None,
            late: Some((attempt, outcome.clone())),
        }
        .into(),
    });
}

/// A run took too long and was stopped. What cannot be repeated may have taken effect.
pub(in crate::world) fn time_out_tool(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
    attempt: Attempt,
) -> Result<(), No> {
    let run = running(draft, agent, call, attempt)?;
    if run.may_repeat(draft.now()) {
        let outcome = ToolOutcome::failed(ToolErrorCode::TimedOut, "it took longer than its limit");
        end_run(draft, agent, call, attempt, &outcome);
    } else {
        end_unknown(draft, agent, call, attempt, UnknownCause::TimedOut, None);
    }
    Ok(())
}

/// Ends the waiting, not the past: the call gets the result *unknown*, and people are asked what
/// became of it.
pub(in crate::world) fn end_unknown(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
    attempt: Attempt,
    cause: UnknownCause,
    outcome: Option<ToolOutcome>,
) {
    let request = RequestId(draft.push(OutcomeUnknown {
        call,
        agent: agent.clone(),
        cause,
    }));
    let status = CallStatus::Unknown(cause);
    draft.push(ToolFinished::new(
        call,
        agent.clone(),
        Some(attempt),
        status,
        outcome,
    ));
    tell_unknown(draft, agent, request);
}

pub(in crate::world) fn tell_unknown(draft: &mut Draft<'_>, agent: &AgentName, request: RequestId) {
    let turn = turn::memory(draft, agent).and_then(|memory| memory.turn.as_ref());
    let episode = turn.map_or(EpisodeId(request.0), |turn| turn.episode);
    message::tell(
        draft,
        Notice::OutcomeUnknown {
            agent: agent.clone(),
            request,
        },
        None,
        episode,
    );
}
