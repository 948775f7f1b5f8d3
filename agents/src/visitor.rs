//! A visitor: a process that comes for one command, and is none of the nodes, such as a command line.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::command::{Action, Command};
use folkmoot_core::ids::{AskId, NodeId, WorldId, WorldName};
use folkmoot_core::port::{MemberError, Members, NoTenure, NodeState, ReadError};
use folkmoot_core::world::Accepted;
use tokio::time::Instant;

use crate::error::{OpenError, SeatError};
use crate::means::courier::{ANSWER_AWAITED, Courier, Errand, Vouched};
use crate::opening::{Opening, Perform};
use crate::proof::Proof;
use crate::runtime::{Beforehand, Runtime};
use crate::seat::Key;

/// How long is waited before it is looked again whether any node lives.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A process that comes for one command.
///
/// While any node lives, the command is left for whoever holds the world. If none does, the visitor takes the world for a
/// moment, and has it decide: it performs nothing, and the next node goes on with what the command led to.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// Has the inbox of the store, and worlds given by the membership of `node`.
    pub runtime: Runtime,
    /// The membership of all nodes.
    pub members: Arc<dyn Members>,
    /// The visitor itself, which is a member with room for no world, and renews.
    pub node: NodeId,
}

/// A command of a visitor.
#[derive(Debug, Clone)]
pub struct Order {
    /// The world.
    pub world: WorldName,
    /// The giver.
    pub by: Proof,
    /// Whoever vouches for the giver. A visitor for whose people the ledger vouches leaves the command in any case.
    pub vouched: Vouched,
    /// The request.
    pub action: Action,
    /// Makes giving it again harmless.
    pub key: Option<Key>,
}

/// The reason that a visitor got no yes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VisitError {
    /// The world's own answer, or none of it.
    #[error(transparent)]
    Seat(#[from] SeatError),
    /// No node lives, and the world cannot be opened here.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The ledger does not say which nodes live.
    #[error("nobody could be asked which nodes live")]
    Members(#[from] MemberError),
    /// The ledger does not say which world it is.
    #[error("the world could not be looked up")]
    Read(#[from] ReadError),
    /// The runtime has no inbox: nothing can be left for other nodes. Build it with one.
    #[error("this process cannot leave anything for other nodes: its runtime has no inbox")]
    NoInbox,
}

impl Visitor {
    /// Gives a command, wherever its world is held. It is done at most once, whoever does it.
    ///
    /// # Errors
    /// [`VisitError`]. After [`SeatError::Unanswered`] the command may still be done.
    pub async fn give(&self, order: Order) -> Result<Accepted, VisitError> {
        let courier = self.runtime.courier().ok_or(VisitError::NoInbox)?;
        order.check_key()?;
        let entry = self.runtime.log().find(&order.world).await?;
        let no_world = || OpenError::NoSuchWorld(order.world.clone());
        let world = entry.ok_or_else(no_world)?.world;
        let id = self.runtime.ask_id();
        let until = Instant::now() + ANSWER_AWAITED;
        while Instant::now() < until {
            let is_left = order.vouched == Vouched::ByLogin || self.is_anybody_there().await?;
            let answer = if is_left {
                leave(&courier, order.errand(id, world)).await
            } else {
                self.decide(&order, id).await
            };
            match answer {
                Err(error) if error.may_pass() => {
                    tracing::debug!(%error, "the command is not answered yet");
                }
                answer => return answer,
            }
            if !is_left {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        }
        let after = ANSWER_AWAITED;
        let unfit = None;
        Err(SeatError::Unanswered { after, unfit }.into())
    }

    /// Tells whether any node lives that takes worlds, or has some. Nobody's clock but the ledger's counts.
    async fn is_anybody_there(&self) -> Result<bool, MemberError> {
        let nodes = self.members.nodes().await?;
        let is_there = |node: &NodeState| {
            let has_worlds = node.card.room > 0 || node.held > 0;
            node.card.node != self.node && node.goes_on() && has_worlds
        };
        Ok(nodes.iter().any(is_there))
    }

    /// Takes the world, has it decide, and gives it back.
    async fn decide(&self, order: &Order, id: AskId) -> Result<Accepted, VisitError> {
        let Order {
            world: name,
            by,
            action,
            key,
            ..
        } = order;
        // As whoever finds it in the inbox gives it: it may have been left there before, and done.
        let key = key.clone().unwrap_or_else(|| Key::of_ask(id));
        let mut command = Command::of(by.principal().clone(), action.clone());
        command.key = Some(key.clone().of(&command));
        // An opening is recorded: whoever is refused shall not cause one.
        match self.runtime.beforehand_of(name, command).await? {
            Beforehand::Refused(refusal) => return Err(SeatError::Refused(refusal).into()),
            Beforehand::Nothing(accepted) => return Ok(accepted),
            Beforehand::Opens => {}
        }
        let opening = Opening {
            perform: Perform::Nothing,
            ..Opening::recorded(name.clone())
        };
        let world = self.runtime.open(opening).await?;
        let seat = world.as_principal(by.clone());
        let answer = seat.give(action.clone(), Some(key)).await;
        self.runtime.close(name).await;
        Ok(answer?)
    }
}

impl Order {
    /// Checks the key before anything is decided: no seat does it then.
    const fn check_key(&self) -> Result<(), SeatError> {
        let max = Key::BYTES_MAX;
        match &self.key {
            Some(Key::Client(key)) if key.len() > max => {
                let bytes = key.len();
                Err(SeatError::LongKey { bytes, max })
            }
            Some(Key::Client(_) | Key::Step(..)) | None => Ok(()),
        }
    }

    fn errand(&self, id: AskId, world: WorldId) -> Errand {
        let mut command = Command::of(self.by.principal().clone(), self.action.clone());
        command.key = self.key.clone().map(|key| key.of(&command));
        Errand::of((id, world), self.world.clone(), command, self.vouched)
    }
}

impl VisitError {
    /// Tells whether it may be over soon: somebody dies, or comes.
    const fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Seat(SeatError::Unanswered { .. } | SeatError::Closed | SeatError::TenureLost)
                | Self::Open(
                    OpenError::TenureLost(_)
                        | OpenError::NoTenure {
                            source: NoTenure::HeldElsewhere { .. },
                            ..
                        }
                )
        )
    }
}

/// Leaves a command, and looks for its answer for a moment.
async fn leave(courier: &Courier, errand: Errand) -> Result<Accepted, VisitError> {
    let ask = errand.write()?;
    Ok(courier.carry(&ask, LOOK_AGAIN).await?)
}
