//! The first opening for writing in a copy of a store. The store that it was copied from may still
//! be there and act.

use crate::event::{OutcomeUnknown, Restored, StreamCut, UnknownCause};
use crate::ids::{AgentName, Attempt, CallId, CopyId, Position, RequestId, Time};
use crate::spec::limits::FACTS_BYTES_MAX;
use crate::tool::{ArgumentFinding, ToolSpec};
use crate::world::calls::decide::admission::Asking;
use crate::world::calls::decide::call;
use crate::world::consent::decide::approval;
use crate::world::decide::{Draft, fit};
use crate::world::memory::{CallState, OpenCall};
use crate::world::opening::decide::fork;
use crate::world::turns::decide::turn;
use crate::world::{Request, RequestKind, World};

/// The most bytes of facts of what one opening asks anew, unless a single request has more. The
/// opening and a changed definition stand in the same commit.
const RESTORED_BYTES_MAX: usize = FACTS_BYTES_MAX / 4;

/// Something that another store may act upon as well, so that people are asked about it anew.
#[derive(Clone, Copy)]
enum Stale<'w> {
    /// People were asked, and have not answered.
    Request {
        request: &'w Request,
        attempt: Option<Attempt>,
    },
    /// The call was allowed, has not run, and must not run twice.
    Allowed {
        agent: &'w AgentName,
        call: CallId,
        open: &'w OpenCall,
        tool: &'w ToolSpec,
        arguments: &'w str,
    },
    /// The call ran, and must not run twice.
    Outcome {
        agent: &'w AgentName,
        call: CallId,
        cause: UnknownCause,
    },
}

impl World {
    /// Tells whether people are still to be asked about something, since the world was first opened
    /// in its copy of the store. Until then nothing of it may act: give
    /// [`WorldAction::Open`](crate::command::WorldAction::Open) again.
    #[must_use]
    pub fn is_restoring(&self) -> bool {
        stale(self, self.restored_at, self.time).next().is_some()
    }
}

/// Whatever has not moved since `since` and has to be asked about at `now`.
fn stale(world: &World, since: Position, now: Time) -> impl Iterator<Item = Stale<'_>> {
    let memories = world.agents.busy_memories();
    let calls = memories.flat_map(|(agent, memory)| {
        let slots = memory.turn.iter().flat_map(|turn| &turn.slots);
        slots.filter_map(move |slot| Some((agent, slot.call, memory.open_calls.get(&slot.call)?)))
    });
    let calls = calls
        .filter_map(move |(agent, call, open)| stale_call(world, agent, call, open, (since, now)));
    let closed = world
        .consent
        .pending()
        .range(..RequestId(since))
        .map(|(_, request)| request);
    let closed = closed
        .filter(|request| matches!(request.kind, RequestKind::Outcome { is_open: false, .. }));
    calls.chain(closed.map(|request| {
        let agent = &request.agent;
        let call = request.call;
        let cause = UnknownCause::Lost;
        Stale::Outcome { agent, call, cause }
    }))
}

fn stale_call<'w>(
    world: &'w World,
    agent: &'w AgentName,
    call: CallId,
    open: &'w OpenCall,
    (since, now): (Position, Time),
) -> Option<Stale<'w>> {
    let outcome = || {
        Some(Stale::Outcome {
            agent,
            call,
            cause: UnknownCause::Crash,
        })
    };
    match &open.state {
        CallState::AwaitsApproval { request, .. } | CallState::AwaitsAnswer { request, .. } => {
            let asked = world
                .consent
                .pending()
                .get(request)
                .filter(|asked| request.0 < since && is_whole(asked))?;
            Some(Stale::Request {
                request: asked,
                attempt: further(open),
            })
        }
        CallState::Ready { .. } if open.moved_by < since => {
            stale_allowance(world, agent, call, open, now)
        }
        CallState::Running(run) | CallState::InDoubt { run, .. } if open.moved_by < since => {
            // Its tool is not asked: the other store may just be running it (decision 0028).
            if run.may_repeat(now) { None } else { outcome() }
        }
        CallState::AwaitsSettlement { request, .. } if request.0 < since => outcome(),
        CallState::Ready { .. }
        | CallState::Running(_)
        | CallState::InDoubt { .. }
        | CallState::AwaitsSettlement { .. }
        | CallState::AwaitsAgent { .. } => None,
    }
}

fn stale_allowance<'w>(
    world: &'w World,
    agent: &'w AgentName,
    call: CallId,
    open: &'w OpenCall,
    now: Time,
) -> Option<Stale<'w>> {
    let turn = world.agents.turn(agent);
    let rules = turn.map_or(&world.rules, |turn| &turn.rules);
    let tool = rules.spec().tools.get(open.tool.as_ref()?)?;
    let arguments = open.arguments.present()?;
    let effect = open.effect.unwrap_or(tool.effect);
    // Its key stays the old one, so that such a tool acts once, whichever store asks
    // (decision 0028).
    let is_safe = tool.repeat.allows(effect, now, now);
    if is_safe {
        None
    } else {
        Some(Stale::Allowed {
            agent,
            call,
            open,
            tool,
            arguments,
        })
    }
}

/// Notes the copy that the world begins in.
pub(in crate::world) fn begin_in(draft: &mut Draft<'_>, copy: Option<CopyId>) {
    if let Some(copy) = copy {
        draft.push(Restored { copy });
    }
}

/// Asks people anew, if the world was never opened in this copy: what they were asked, and about
/// every call that was allowed and must not run twice. One commit cannot hold any number of
/// requests; what does not fit is asked at the next opening, and [`World::is_restoring`] until
/// then.
pub(in crate::world) fn restore(draft: &mut Draft<'_>, copy: Option<CopyId>) {
    let world = draft.world;
    let Some(copy) = copy else { return };
    // The original may have run since what was allowed before it was copied (decision 0028).
    let since = if world.copy == Some(copy) {
        world.restored_at
    } else {
        draft.here()
    };
    draft.push(Restored { copy });
    let before = draft.events.len();
    let mut facts = 0_usize;
    for stale in stale(world, since, draft.now()) {
        let asked = draft.events.len();
        ask_anew(draft, stale);
        facts += fit::facts(draft.events.get(asked..).unwrap_or_default());
        if facts > RESTORED_BYTES_MAX && asked > before {
            draft.events.truncate(asked);
            return;
        }
    }
}

fn ask_anew<'w>(draft: &mut Draft<'w>, stale: Stale<'w>) {
    match stale {
        Stale::Request { request, attempt } => {
            fork::ask_again(draft, &request.agent, request.call, request, attempt)
        }
        Stale::Allowed {
            agent,
            call,
            open,
            tool,
            arguments,
        } => {
            ask_about_allowed(draft, agent, call, open, (tool, arguments));
        }
        Stale::Outcome { agent, call, cause } => ask_outcome(draft, agent, call, cause),
    }
}

/// A call that was allowed: it runs under the key that it has in the other store, which is enough
/// if its tool knows keys.
fn ask_about_allowed(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
    open: &OpenCall,
    (tool, arguments): (&ToolSpec, &str),
) {
    let mut warnings = turn::rules_of(draft, agent).findings(&tool.name, arguments);
    warnings.retain(|finding| !finding.severity.is_error());
    warnings.push(ArgumentFinding::restored());
    let effect = open.effect.unwrap_or(tool.effect);
    let attempt = further(open);
    approval::request_approval(
        draft,
        &Asking {
            agent,
            call,
            tool,
            effect,
            arguments,
            warnings,
            attempt,
        },
        open.arguments_digest,
    );
}

fn ask_outcome(draft: &mut Draft<'_>, agent: &AgentName, call: CallId, cause: UnknownCause) {
    let request = RequestId(draft.push(OutcomeUnknown {
        call,
        agent: agent.clone(),
        cause,
    }));
    call::tell_unknown(draft, agent, request);
}

/// Ends the streams of the model calls that are given up: nothing more of them will be shown.
pub(in crate::world) fn cut_streams(draft: &mut Draft<'_>) {
    let world = draft.world;
    for agent in world.agents.busy() {
        let model = world
            .agents
            .memory(agent)
            .and_then(|memory| memory.turn.as_ref()?.model.as_ref());
        if let Some((model, stream)) = model.and_then(|model| Some((model, model.stream?))) {
            let agent = agent.clone();
            let call = model.call;
            let attempt = model.attempt;
            draft.push(StreamCut {
                agent,
                call,
                attempt,
                stream,
            });
        }
    }
}

/// The attempt that is next, if it is a further one.
fn further(open: &OpenCall) -> Option<Attempt> {
    Some(open.next()).filter(|next| *next != Attempt(1))
}

/// True if nothing of what is asked was erased.
fn is_whole(request: &Request) -> bool {
    match &request.kind {
        RequestKind::Approval { .. } => request.tool.is_some(),
        RequestKind::Question { question, .. } => question.present().is_some(),
        RequestKind::Outcome { .. } => false,
    }
}
