//! `decide`: what a command leads to. Reads the state and the stamp, and nothing else.

use crate::command::commit::{Commit, CommitHeader};
use crate::command::{
    Action, Command, ConsentAction, Giver, Refusals, ShellAction, TalkAction, WorldAction,
};
use crate::event::refusal::{Decided, Refusal, RefusalReason};
use crate::event::{Event, Forked, TalkEvent};
use crate::ids::principal::Principal;
use crate::ids::{MessageId, Position, RequestId, Stamp, Time, WorldId};
use crate::world::World;
use crate::world::calls::decide::{call, doubt};
use crate::world::consent::decide::{approval, grant, question};
use crate::world::opening::decide::{fork, opening, restore};
use crate::world::opening::lineage;
use crate::world::people::decide::{named, rights, roster};
use crate::world::talk::decide::{message, observe, revision};
use crate::world::turns::decide::{answer, closing, model, turn};
use crate::world::upkeep::decide::{erasure, label, refused, signing};

pub(super) mod fit;
mod intent;

#[cfg(test)]
mod tests;

/// The decision about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The events; empty if nothing is to be appended.
    pub events: Vec<Event>,
    /// Yes or no.
    pub answer: Result<Accepted, Refusal>,
    /// The event that made the command necessary, if one did.
    pub cause: Option<Position>,
}

/// A yes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accepted {
    /// The message that was posted, if one was.
    pub message: Option<MessageId>,
    /// The last event that the command led to; `None` if it led to none.
    pub last: Option<Position>,
}

/// The answer that a stored commit was. A repeated command gets it again.
///
/// # Errors
/// The refusal that was recorded.
impl TryFrom<&Commit> for Accepted {
    type Error = Refusal;

    fn try_from(commit: &Commit) -> Result<Self, Refusal> {
        if let Some(Event::Refused(refused)) = commit.events.last() {
            return Err(Refusal::Right {
                reason: refused.reason,
                decided: None,
            });
        }
        Ok(Self {
            message: posted(&commit.events),
            last: Some(commit.last()),
        })
    }
}

/// The message among `events`, if there is one.
fn posted(events: &[Event]) -> Option<MessageId> {
    events.iter().find_map(|event| {
        if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
            Some(posted.message)
        } else {
            None
        }
    })
}

/// The reason that a command leads to nothing, or to a recorded refusal.
pub(super) enum No {
    /// A refusal that leaves no record.
    Quiet(Refusal),
    /// The command asserts a right.
    Recorded {
        reason: RefusalReason,
        request: Option<RequestId>,
        decided: Option<Decided>,
    },
}

impl No {
    pub(super) const STALE: Self = Self::Quiet(Refusal::Stale);

    pub(super) const fn right(reason: RefusalReason) -> Self {
        Self::Recorded {
            reason,
            request: None,
            decided: None,
        }
    }

    pub(super) const fn about(reason: RefusalReason, request: RequestId) -> Self {
        Self::Recorded {
            reason,
            request: Some(request),
            decided: None,
        }
    }
}

/// A decision in the making: the events so far, and where the next one will stand.
pub(super) struct Draft<'w> {
    pub(super) world: &'w World,
    pub(super) stamp: Stamp,
    pub(super) principal: &'w Principal,
    pub(super) id: WorldId,
    pub(super) events: Vec<Event>,
    pub(super) cause: Option<Position>,
}

impl Draft<'_> {
    pub(super) const fn now(&self) -> Time {
        self.stamp.time
    }

    /// The position of the next event.
    pub(super) fn here(&self) -> Position {
        self.world
            .head
            .plus(u64::try_from(self.events.len()).unwrap_or(u64::MAX))
            .next()
    }

    pub(super) fn push(&mut self, event: impl Into<Event>) -> Position {
        let at = self.here();
        self.events.push(event.into());
        at
    }
}

impl World {
    /// Decides a command. Nothing changes until the events are appended and folded.
    #[must_use]
    pub fn decide(&self, command: &Command, stamp: &Stamp) -> Decision {
        let meant = self.meant(command);
        let id = id_for(self, &meant.action).unwrap_or(WorldId(uuid::Uuid::nil()));
        let mut draft = Draft {
            world: self,
            stamp: *stamp,
            principal: &command.principal,
            id,
            events: Vec::new(),
            cause: None,
        };
        let answer = match act(&mut draft, &meant.action) {
            Ok(()) => {
                fit::check(&meant.action, &draft.events).inspect_err(|_| draft.events.clear())
            }
            Err(No::Quiet(refusal)) => {
                draft.events.clear();
                Err(refusal)
            }
            Err(No::Recorded {
                reason,
                request,
                decided,
            }) => {
                refused::refuse(&mut draft, command.digest(), reason, request);
                Err(Refusal::Right { reason, decided })
            }
        };
        let Draft { events, cause, .. } = draft;
        let answer = answer.map(|()| accepted(self, &events));
        Decision {
            events,
            answer,
            cause,
        }
    }

    /// Refuses a command whose key was used for another one. It is recorded if the command asserts a right.
    #[must_use]
    pub fn refuse_reused(&self, command: &Command, stamp: &Stamp) -> Decision {
        let id = self.id().unwrap_or(WorldId(uuid::Uuid::nil()));
        let principal = &command.principal;
        let reason = RefusalReason::KeyReused;
        let mut draft = Draft {
            world: self,
            stamp: *stamp,
            principal,
            id,
            events: Vec::new(),
            cause: None,
        };
        if command.action.kind().rule().refusals == Refusals::Recorded {
            refused::refuse(&mut draft, command.digest(), reason, None);
        }
        Decision {
            events: draft.events,
            answer: Err(Refusal::Right {
                reason,
                decided: None,
            }),
            cause: None,
        }
    }

    /// Makes the commit of a decision.
    ///
    /// Returns `None` if there is nothing to append.
    #[must_use]
    pub fn commit(&self, command: &Command, stamp: &Stamp, decision: &Decision) -> Option<Commit> {
        let world = id_for(self, &command.action)?;
        (!decision.events.is_empty()).then(|| Commit {
            header: CommitHeader {
                world,
                first: self.head.next(),
                stamp: *stamp,
                principal: command.principal.clone(),
                cause: decision.cause,
                key: command.key.clone(),
                decider: crate::world::decider::decider_id(),
                command: self.meant(command).action.kind(),
                residual: None,
            },
            events: decision.events.clone(),
        })
    }
}

fn id_for(world: &World, action: &Action) -> Option<WorldId> {
    if let Action::World(WorldAction::Create { world, .. })
    | Action::World(WorldAction::Fork { world, .. }) = action
    {
        Some(*world)
    } else {
        world.id()
    }
}

fn accepted(world: &World, events: &[Event]) -> Accepted {
    let count = u64::try_from(events.len()).unwrap_or(u64::MAX);
    Accepted {
        message: posted(events),
        last: (count > 0).then(|| world.head.plus(count)),
    }
}

fn act(draft: &mut Draft<'_>, action: &Action) -> Result<(), No> {
    let is_beginning = matches!(action, Action::World(WorldAction::Create { .. }));
    if (draft.world.head == Position::ZERO) != is_beginning {
        return Err(No::STALE);
    }
    check_principal(draft, action)?;
    rights::check_right(draft, action)?;
    named::check_giver(draft, action)?;
    match action {
        Action::World(action) => act_on_world(draft, action),
        Action::Talk(action) => act_in_talk(draft, action),
        Action::Consent(action) => act_on_consent(draft, action),
        Action::Shell(action) => take_outcome(draft, action),
    }
}

/// Refuses a principal who can never give a command of this kind.
fn check_principal(draft: &Draft<'_>, action: &Action) -> Result<(), No> {
    let is_of_the_room = matches!(draft.principal, Principal::Agent(_) | Principal::Tool(_));
    match (action.kind().rule().giver, action) {
        (Giver::Shell, Action::Shell(action)) if *draft.principal != Principal::Runtime => {
            Err(No::right(intrusion(draft, action)))
        }
        (Giver::House, _) if is_of_the_room => Err(No::right(RefusalReason::NotAPerson)),
        (Giver::Shell | Giver::House | Giver::Anyone, _) => Ok(()),
    }
}

fn act_on_world(draft: &mut Draft<'_>, action: &WorldAction) -> Result<(), No> {
    match action {
        WorldAction::Create {
            world,
            name,
            clock,
            base,
            definition,
            node,
            signer,
            copy,
        } => {
            let opened = opening::first_opening(*node, signer.as_deref());
            opening::create(
                draft,
                *world,
                name,
                *clock,
                base.as_deref(),
                definition,
                opened,
            )?;
            restore::begin_in(draft, *copy);
            Ok(())
        }
        WorldAction::Open {
            node,
            base,
            revise,
            signer,
            copy,
        } => opening::open(
            draft,
            *node,
            base.as_deref(),
            revise.as_ref(),
            signer.as_deref(),
            *copy,
        ),
        WorldAction::Fork {
            world,
            name,
            base,
            link,
            effects,
            node,
            signer,
            copy,
        } => {
            let (parent, parent_name) = draft
                .world
                .id()
                .zip(draft.world.name().cloned())
                .ok_or(No::STALE)?;
            let opened = opening::first_opening(*node, signer.as_deref());
            let world = *world;
            let name = name.clone();
            let base = base.clone();
            let link = *link;
            let effects = *effects;
            fork::fork(
                draft,
                Forked {
                    world,
                    name,
                    parent,
                    parent_name,
                    base,
                    link,
                    effects,
                },
                opened,
                *copy,
            )
        }
        WorldAction::Revise { definition } => opening::revise(draft, definition),
        WorldAction::Label { owner, labels } => label::label(draft, owner.as_deref(), labels),
        WorldAction::SetRights {
            method,
            subject,
            rights,
        } => rights::set_rights(draft, method, subject, rights.as_ref()),
        WorldAction::Erase { events, basis } => erasure::erase(draft, events, basis),
        WorldAction::RecordStep { step, digest } => opening::record_step(draft, *step, *digest),
    }
}

fn act_in_talk(draft: &mut Draft<'_>, action: &TalkAction) -> Result<(), No> {
    match action {
        TalkAction::PostMessage {
            text,
            attachments,
            reply_to,
        } => message::post(draft, text, attachments, *reply_to),
        TalkAction::Edit { message, text } => revision::edit(draft, *message, text),
        TalkAction::Retract { message } => revision::retract(draft, *message),
        TalkAction::Regenerate { message } => revision::regenerate(draft, *message),
        TalkAction::Join => roster::join(draft),
        TalkAction::Leave => roster::leave(draft),
        TalkAction::Observe { name, state } => observe::observe(draft, name, state),
        TalkAction::Stop { episode } => closing::stop(draft, *episode),
    }
}

fn act_on_consent(draft: &mut Draft<'_>, action: &ConsentAction) -> Result<(), No> {
    match action {
        ConsentAction::Decide {
            agent,
            request,
            judgement,
        } => approval::decide(draft, agent.as_ref(), *request, judgement),
        ConsentAction::Revoke { grant } => grant::revoke(draft, *grant),
        ConsentAction::Answer { request, reply } => question::answer(draft, *request, reply),
        ConsentAction::Settle {
            request,
            settlement,
        } => question::settle(draft, *request, settlement),
    }
}

fn take_outcome(draft: &mut Draft<'_>, action: &ShellAction) -> Result<(), No> {
    match action {
        ShellAction::OpenTurn {
            agent,
            horizon,
            reaction,
        } => {
            check_may_ask(draft)?;
            turn::open_turn(draft, agent, *horizon, reaction)
        }
        ShellAction::ContinueTurn {
            agent,
            turn,
            reaction,
        } => {
            check_may_ask(draft)?;
            turn::continue_turn(draft, agent, *turn, reaction)
        }
        ShellAction::FailAgent {
            agent,
            turn,
            code,
            detail,
        } => turn::fail_agent(draft, agent, *turn, code, detail),
        ShellAction::RetryModel { agent, call } => {
            check_may_ask(draft)?;
            model::retry_model(draft, agent, *call)
        }
        ShellAction::StartStream {
            agent,
            call,
            attempt,
        } => model::start_stream(draft, agent, *call, *attempt),
        ShellAction::RecordAnswer {
            agent,
            call,
            attempt,
            response,
        } => answer::record_answer(draft, agent, *call, *attempt, response),
        ShellAction::RecordFailure {
            agent,
            call,
            attempt,
            error,
        } => model::record_failure(draft, agent, *call, *attempt, error),
        ShellAction::StartTool {
            agent,
            call,
            attempt,
        } => call::start_tool(draft, agent, *call, *attempt),
        ShellAction::FinishTool {
            agent,
            call,
            attempt,
            outcome,
            progress,
        } => call::finish_tool(draft, agent, *call, *attempt, (outcome, *progress)),
        ShellAction::TimeOutTool {
            agent,
            call,
            attempt,
        } => call::time_out_tool(draft, agent, *call, *attempt),
        ShellAction::RecordReconcile {
            agent,
            call,
            result,
        } => doubt::record_reconcile(draft, agent, *call, result),
        ShellAction::DeclareUnknown { agent, call } => doubt::declare_unknown(draft, agent, *call),
        ShellAction::RecordErased {
            request,
            events,
            files,
        } => erasure::record_erased(draft, *request, *events, *files),
        ShellAction::Sign {
            head,
            key,
            signature,
            occasion,
        } => signing::sign(draft, head, key, signature, *occasion),
        ShellAction::Tick => closing::tick(draft),
    }
}

/// Refuses what may ask a model while content is being erased: a request must not hold words that are on their way out.
fn check_may_ask(draft: &Draft<'_>) -> Result<(), No> {
    if draft.world.upkeep.is_erasing() {
        Err(No::STALE)
    } else {
        Ok(())
    }
}

/// Returns the reason that only the runtime can bring an outcome: first of all, whether there is such a call.
fn intrusion(draft: &Draft<'_>, action: &ShellAction) -> RefusalReason {
    let Some((agent, call)) = action.tool_call() else {
        return RefusalReason::NotTheRuntime;
    };
    let world = draft.world;
    let is_open_for = |memory: &crate::world::memory::Memory| memory.open_calls.contains_key(&call);
    if world.agents.memory(agent).is_some_and(is_open_for) {
        RefusalReason::NotTheRuntime
    } else if world.agents.memories().values().any(is_open_for) {
        RefusalReason::OtherAgent
    } else {
        let known = world
            .consent
            .reason_of(call)
            .or_else(|| lineage::inherited_reason(world, call));
        known.unwrap_or(RefusalReason::UnknownCall)
    }
}
