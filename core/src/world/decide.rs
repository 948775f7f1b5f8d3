//! `decide`: what a command leads to. Reads the state and the stamp, and nothing else.

use super::World;
use crate::command::commit::{Commit, CommitHeader};
use crate::command::{Action, Command, CommandKind};
use crate::event::refusal::{Decided, Refusal, RefusalReason};
use crate::event::{Event, Forked};
use crate::ids::principal::Principal;
use crate::ids::{MessageId, Position, RequestId, Stamp, Time, WorldId};

mod admission;
mod answer;
mod approval;
mod asking;
mod budget;
mod call;
mod calling;
mod closing;
mod compaction;
mod doubt;
mod erasure;
mod fallback;
mod fit;
mod fork;
mod grant;
mod join;
mod label;
mod meant;
mod model;
mod named;
mod now;
mod observe;
mod opening;
mod people;
mod refused;
mod restore;
mod revision;
mod rights;
mod roster;
mod signing;
mod talk;
mod turn;
mod withheld;

#[cfg(test)]
mod tests;

/// What a command leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What happened; empty if nothing is to be appended.
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
        if let Event::MessagePosted(posted) = event {
            Some(posted.message)
        } else {
            None
        }
    })
}

/// Why a command leads to nothing, or to a recorded refusal.
pub(super) enum No {
    /// Nothing is recorded.
    Quiet(Refusal),
    /// The command asserts a right.
    Recorded {
        reason: RefusalReason,
        request: Option<RequestId>,
        decided: Option<Decided>,
    },
}

impl No {
    const STALE: Self = Self::Quiet(Refusal::Stale);

    const fn right(reason: RefusalReason) -> Self {
        Self::Recorded {
            reason,
            request: None,
            decided: None,
        }
    }

    const fn about(reason: RefusalReason, request: RequestId) -> Self {
        Self::Recorded {
            reason,
            request: Some(request),
            decided: None,
        }
    }
}

/// A decision in the making: the events so far, and where the next one will stand.
pub(super) struct Draft<'w> {
    world: &'w World,
    stamp: Stamp,
    principal: &'w Principal,
    id: WorldId,
    events: Vec<Event>,
    cause: Option<Position>,
}

impl Draft<'_> {
    const fn now(&self) -> Time {
        self.stamp.time
    }

    /// The position of the next event.
    fn here(&self) -> Position {
        self.world
            .head
            .plus(u64::try_from(self.events.len()).unwrap_or(u64::MAX))
            .next()
    }

    fn push(&mut self, event: Event) -> Position {
        let at = self.here();
        self.events.push(event);
        at
    }
}

impl World {
    /// Decides a command. Nothing changes until the events are appended and folded.
    #[must_use]
    pub fn decide(&self, command: &Command, stamp: &Stamp) -> Decision {
        let meant = self.meant(command);
        let id = self
            .id_for(&meant.action)
            .unwrap_or(WorldId(uuid::Uuid::nil()));
        let mut draft = Draft {
            world: self,
            stamp: *stamp,
            principal: &command.principal,
            id,
            events: Vec::new(),
            cause: None,
        };
        let answer = match draft.act(&meant.action) {
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
                draft.refuse(command.digest(), reason, request);
                Err(Refusal::Right { reason, decided })
            }
        };
        let Draft { events, cause, .. } = draft;
        let answer = answer.map(|()| self.accepted(&events));
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
        let (principal, reason) = (&command.principal, RefusalReason::KeyReused);
        let mut draft = Draft {
            world: self,
            stamp: *stamp,
            principal,
            id,
            events: Vec::new(),
            cause: None,
        };
        if asserts_a_right(&command.action) {
            draft.refuse(command.digest(), reason, None);
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
        let world = self.id_for(&command.action)?;
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

    fn id_for(&self, action: &Action) -> Option<WorldId> {
        if let Action::Create { world, .. } | Action::Fork { world, .. } = action {
            Some(*world)
        } else {
            self.id()
        }
    }

    fn accepted(&self, events: &[Event]) -> Accepted {
        let count = u64::try_from(events.len()).unwrap_or(u64::MAX);
        Accepted {
            message: posted(events),
            last: (count > 0).then(|| self.head.plus(count)),
        }
    }
}

impl Draft<'_> {
    #[expect(clippy::too_many_lines, reason = "a table: one arm for each action")]
    fn act(&mut self, action: &Action) -> Result<(), No> {
        if (self.world.head == Position::ZERO) != matches!(action, Action::Create { .. }) {
            return Err(No::STALE);
        }
        if is_of_the_shell(action.kind()) && *self.principal != Principal::Runtime {
            return Err(No::right(self.intrusion(action)));
        }
        if is_of_the_house(action)
            && matches!(self.principal, Principal::Agent(_) | Principal::Tool(_))
        {
            return Err(No::right(RefusalReason::NotAPerson));
        }
        self.check_right(action)?;
        self.check_giver(action)?;
        if self.world.is_erasing() && asks_a_model(action) {
            return Err(No::STALE);
        }
        match action {
            Action::Create {
                world,
                name,
                clock,
                base,
                definition,
                node,
                signer,
                copy,
            } => {
                let opened = self.first_opening(*node, signer.as_deref());
                self.create(*world, name, *clock, base.as_deref(), definition, opened)?;
                self.begin_in(*copy);
                Ok(())
            }
            Action::Open {
                node,
                base,
                revise,
                signer,
                copy,
            } => self.open(
                *node,
                base.as_deref(),
                revise.as_ref(),
                signer.as_deref(),
                *copy,
            ),
            Action::Fork {
                world,
                name,
                base,
                link,
                effects,
                node,
                signer,
                copy,
            } => {
                let (parent, parent_name) = self
                    .world
                    .id()
                    .zip(self.world.name().cloned())
                    .ok_or(No::STALE)?;
                let opened = self.first_opening(*node, signer.as_deref());
                let (world, name, base, link, effects) =
                    (*world, name.clone(), base.clone(), *link, *effects);
                self.fork(
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
            Action::Revise { definition } => self.revise(definition),
            Action::PostMessage {
                text,
                attachments,
                reply_to,
            } => self.post(text, attachments, *reply_to),
            Action::Edit { message, text } => self.edit(*message, text),
            Action::Retract { message } => self.retract(*message),
            Action::Regenerate { message } => self.regenerate(*message),
            Action::Join => self.join(),
            Action::Leave => self.leave(),
            Action::Label { owner, labels } => self.label(owner.as_deref(), labels),
            Action::OpenTurn {
                agent,
                horizon,
                reaction,
            } => self.open_turn(agent, *horizon, reaction),
            Action::ContinueTurn {
                agent,
                turn,
                reaction,
            } => self.continue_turn(agent, *turn, reaction),
            Action::FailAgent {
                agent,
                turn,
                code,
                detail,
            } => self.fail_agent(agent, *turn, code, detail),
            Action::RetryModel { agent, call } => self.retry_model(agent, *call),
            Action::StartStream {
                agent,
                call,
                attempt,
            } => self.start_stream(agent, *call, *attempt),
            Action::RecordAnswer {
                agent,
                call,
                attempt,
                response,
            } => self.record_answer(agent, *call, *attempt, response),
            Action::RecordFailure {
                agent,
                call,
                attempt,
                error,
            } => self.record_failure(agent, *call, *attempt, error),
            Action::StartTool {
                agent,
                call,
                attempt,
            } => self.start_tool(agent, *call, *attempt),
            Action::FinishTool {
                agent,
                call,
                attempt,
                outcome,
                progress,
            } => self.finish_tool(agent, *call, *attempt, (outcome, *progress)),
            Action::TimeOutTool {
                agent,
                call,
                attempt,
            } => self.time_out_tool(agent, *call, *attempt),
            Action::RecordReconcile {
                agent,
                call,
                result,
            } => self.record_reconcile(agent, *call, result),
            Action::DeclareUnknown { agent, call } => self.declare_unknown(agent, *call),
            Action::Decide {
                agent,
                request,
                judgement,
            } => self.decide(agent, *request, judgement),
            Action::Revoke { grant } => self.revoke(*grant),
            Action::SetRights {
                method,
                subject,
                rights,
            } => self.set_rights(method, subject, rights.as_ref()),
            Action::Observe { name, state } => self.observe(name, state),
            Action::Answer { request, reply } => self.answer(*request, reply),
            Action::Settle {
                request,
                settlement,
            } => self.settle(*request, settlement),
            Action::Stop { episode } => self.stop(*episode),
            Action::Erase { events, basis } => self.erase(events, basis),
            Action::RecordErased {
                request,
                events,
                files,
            } => self.record_erased(*request, *events, *files),
            Action::Sign {
                head,
                key,
                signature,
                occasion,
            } => self.sign(head, key, signature, *occasion),
            Action::Tick => self.tick(),
            Action::RecordStep { step, digest } => self.record_step(*step, *digest),
        }
    }

    /// Why somebody else than the runtime cannot bring an outcome: first of all, whether there is such a call.
    fn intrusion(&self, action: &Action) -> RefusalReason {
        let (Action::StartTool { agent, call, .. }
        | Action::FinishTool { agent, call, .. }
        | Action::TimeOutTool { agent, call, .. }
        | Action::RecordReconcile { agent, call, .. }
        | Action::DeclareUnknown { agent, call }) = action
        else {
            return RefusalReason::NotTheRuntime;
        };
        let world = self.world;
        let is_open_for =
            |memory: &crate::world::memory::Memory| memory.open_calls.contains_key(call);
        if world.memories.get(agent).is_some_and(is_open_for) {
            RefusalReason::NotTheRuntime
        } else if world.memories.values().any(is_open_for) {
            RefusalReason::OtherAgent
        } else {
            let settled = world.settled.values().find(|settled| settled.call == *call);
            let known = settled
                .map(|settled| settled.reason)
                .or_else(|| world.inherited_reason(*call));
            known.unwrap_or(RefusalReason::UnknownCall)
        }
    }
}

/// Whether it is about the world as a whole, which agents and tools have no say in.
const fn is_of_the_house(action: &Action) -> bool {
    matches!(
        action,
        Action::Open { .. }
            | Action::Revise { .. }
            | Action::RecordStep { .. }
            | Action::Label { .. }
            | Action::SetRights { .. }
            | Action::Fork { .. }
            | Action::Erase { .. }
    )
}

/// Whether a refusal of the command is recorded: it asks for more than to be heard.
const fn asserts_a_right(action: &Action) -> bool {
    is_of_the_shell(action.kind())
        || matches!(
            action,
            Action::Decide { .. }
                | Action::Answer { .. }
                | Action::Settle { .. }
                | Action::Revoke { .. }
                | Action::SetRights { .. }
                | Action::Edit { .. }
                | Action::Retract { .. }
                | Action::Regenerate { .. }
                | Action::Stop { .. }
                | Action::Erase { .. }
        )
}

/// Whether a model may be asked by it, or an agent's reaction to what it was told is brought.
const fn asks_a_model(action: &Action) -> bool {
    matches!(
        action,
        Action::OpenTurn { .. } | Action::ContinueTurn { .. } | Action::RetryModel { .. }
    )
}

/// Whether only the shell gives commands of this kind: they bring the outcomes of effects.
const fn is_of_the_shell(kind: CommandKind) -> bool {
    match kind {
        CommandKind::OpenTurn
        | CommandKind::ContinueTurn
        | CommandKind::FailAgent
        | CommandKind::RetryModel
        | CommandKind::StartStream
        | CommandKind::RecordAnswer
        | CommandKind::RecordFailure
        | CommandKind::StartTool
        | CommandKind::FinishTool
        | CommandKind::TimeOutTool
        | CommandKind::RecordReconcile
        | CommandKind::DeclareUnknown
        | CommandKind::RecordErased
        | CommandKind::Sign
        | CommandKind::Tick => true,
        CommandKind::Create
        | CommandKind::Open
        | CommandKind::Revise
        | CommandKind::PostMessage
        | CommandKind::Edit
        | CommandKind::Retract
        | CommandKind::Regenerate
        | CommandKind::Join
        | CommandKind::Leave
        | CommandKind::Label
        | CommandKind::Decide
        | CommandKind::Revoke
        | CommandKind::SetRights
        | CommandKind::Observe
        | CommandKind::Answer
        | CommandKind::Settle
        | CommandKind::Stop
        | CommandKind::Fork
        | CommandKind::Erase
        | CommandKind::RecordStep => false,
    }
}
