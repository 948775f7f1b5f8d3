//! `decide`: what a command leads to. Reads the state and the stamp, and nothing else.

use crate::command::commit::{Commit, CommitHeader};
use crate::command::{Action, Command, Refusals, WorldAction};
use crate::event::refusal::{Decided, Refusal, RefusalReason};
use crate::event::{Event, TalkEvent};
use crate::ids::principal::Principal;
use crate::ids::{MessageId, Position, RequestId, Stamp, Time, WorldId};
use crate::world::World;
use crate::world::upkeep::decide::refused;

mod act;
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

impl<'w> Draft<'w> {
    /// An empty one: what `principal` leads to in `world`, whose id is `id`.
    pub(super) const fn of(
        world: &'w World,
        id: WorldId,
        principal: &'w Principal,
        stamp: Stamp,
    ) -> Self {
        Self {
            world,
            stamp,
            principal,
            id,
            events: Vec::new(),
            cause: None,
        }
    }

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
        let mut draft = Draft::of(self, id, &command.principal, *stamp);
        let answer = match act::act(&mut draft, &meant.action) {
            Ok(()) => {
                // An append that the store refuses would stop the world: the answer is no before
                // that (decision 0026).
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

    /// Refuses a command whose key was used for another one. It is recorded if the command asserts
    /// a right.
    #[must_use]
    pub fn refuse_reused(&self, command: &Command, stamp: &Stamp) -> Decision {
        let id = self.id().unwrap_or(WorldId(uuid::Uuid::nil()));
        let reason = RefusalReason::KeyReused;
        let mut draft = Draft::of(self, id, &command.principal, *stamp);
        // That somebody asserted a right is worth a record; a mistake in typing is not.
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
