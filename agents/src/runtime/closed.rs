//! Commands to worlds that are not open: they are decided on a fold of the log first.

use std::time::Duration;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::command::{Action, Command};
use folkmoot_core::event::refusal::Refusal;
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Stamp, WorldName};
use folkmoot_core::port::Appended;
use folkmoot_core::world::decider::decider_id;
use folkmoot_core::world::{Accepted, World};

use super::Runtime;
use super::reach::is_elsewhere;
use crate::error::OpenError;
use crate::means::Means;
use crate::opening::Opening;
use crate::proof::Proof;

/// How long one opening stands for the refusals behind it.
const OPENED_FOR: Duration = Duration::from_mins(1);

/// What a closed world makes of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beforehand {
    /// It leads to events: open the world and give it.
    Opens,
    /// It is accepted, and nothing would change.
    Nothing(Accepted),
    /// It is refused. What is recorded of that is recorded, and the world need not be opened.
    Refused(Refusal),
}

impl Runtime {
    /// Decides a command on a read-only fold of a world that is not open, so that a refused one
    /// does not open it. The refusal of a person that is to be recorded is appended in the world's
    /// last incarnation if that began less than a minute ago, by the world's clock; else
    /// [`Beforehand::Opens`] says that it takes a new one, or that it is another process's to record. Of agents and tools nothing
    /// is recorded.
    ///
    /// A world that is open here decides by itself: [`Beforehand::Opens`].
    ///
    /// # Errors
    /// [`OpenError`]: there is no such world, or its log cannot be read or written.
    pub async fn beforehand(
        &self,
        name: &WorldName,
        by: &Proof,
        action: Action,
    ) -> Result<Beforehand, OpenError> {
        let command = Command::of(by.principal().clone(), action);
        self.beforehand_of(name, command).await
    }

    /// As [`Runtime::beforehand`], of a command that may have a key: one that is known gets its first answer.
    pub(crate) async fn beforehand_of(
        &self,
        name: &WorldName,
        command: Command,
    ) -> Result<Beforehand, OpenError> {
        let turn = self.turn(name);
        let _alone = turn.lock().await;
        if self.world(name).is_some() {
            return Ok(Beforehand::Opens);
        }
        self.means.beforehand(name, command).await
    }
}

impl Means {
    async fn beforehand(
        &self,
        name: &WorldName,
        command: Command,
    ) -> Result<Beforehand, OpenError> {
        let world = self.load(&Opening::recorded(name.clone())).await?;
        // Behind the fold, so that what is not known had not been done by then.
        if let Some(known) = self.known(&world, &command).await? {
            return Ok(known);
        }
        let stamp = self.stamp(&world, name, &self.clock_of(&world, world.clock()));
        let decision = world.decide(&command, &stamp);
        let refusal = match decision.answer.clone() {
            Ok(accepted) if decision.events.is_empty() => return Ok(Beforehand::Nothing(accepted)),
            Ok(_) => return Ok(Beforehand::Opens),
            Err(refusal) => refusal,
        };
        let is_outside = matches!(
            command.principal,
            Principal::Person(_) | Principal::Service(_)
        );
        if decision.events.is_empty() || !is_outside {
            return Ok(Beforehand::Refused(refusal));
        }
        if !was_opened_just_now(&world, &stamp) {
            return Ok(Beforehand::Opens);
        }
        if let Some(commit) = world.commit(&command, &stamp, &decision) {
            match self.append(name, &world, commit).await {
                // It refuses where it is held, and that is where the refusal is recorded.
                Err(error) if is_elsewhere(&error) => return Ok(Beforehand::Opens),
                appended => appended?,
            }
        }
        Ok(Beforehand::Refused(refusal))
    }

    /// The first answer to a command whose key is known. With another command, the world says so itself, and records it.
    async fn known(
        &self,
        world: &World,
        command: &Command,
    ) -> Result<Option<Beforehand>, OpenError> {
        let (Some(keyed), Some(id)) = (&command.key, world.id()) else {
            return Ok(None);
        };
        let Some(stored) = self.log.find_key(id, &keyed.key).await? else {
            return Ok(None);
        };
        if stored.commit.header.key.as_ref() != Some(keyed) {
            return Ok(Some(Beforehand::Opens));
        }
        Ok(Some(match Accepted::try_from(&stored.commit) {
            Ok(accepted) => Beforehand::Nothing(accepted),
            Err(refusal) => Beforehand::Refused(refusal),
        }))
    }

    /// Appends to a world that is taken for that alone.
    async fn append(
        &self,
        name: &WorldName,
        world: &World,
        commit: Commit,
    ) -> Result<(), OpenError> {
        let tenure = self.take(name, commit.header.world).await?;
        let appended = self.log.append(world.incarnation(), vec![commit]).await;
        let due = match &appended {
            Ok(Appended::Committed { .. }) => self.due(world, &self.clock_of(world, world.clock())),
            // Somebody else may have gone on with it, and then this fold does not know when it is due.
            Ok(Appended::Repeated(_)) | Err(_) => Some(self.clock.now()),
        };
        tenure.release(due).await;
        match appended? {
            Appended::Committed { .. } | Appended::Repeated(_) => Ok(()),
        }
    }
}

/// Tells whether the last opening stands for another commit: it was just now, by rules that are
/// still in force.
fn was_opened_just_now(world: &World, stamp: &Stamp) -> bool {
    let until = world.opened_at().after(OPENED_FOR);
    stamp.time < until && world.decider() == decider_id()
}
