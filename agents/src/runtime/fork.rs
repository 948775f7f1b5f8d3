//! Branching a world off another one.

use std::path::PathBuf;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::command::{Action, Command, WorldAction};
use folkmoot_core::event::refusal::{Refusal, RefusalReason};
use folkmoot_core::event::{ForkEffects, Labelled, Right};
use folkmoot_core::ids::{Incarnation, Position, WorldId, WorldName};
use folkmoot_core::port::{Appended, Labels, Tenure, WorldEntry};
use folkmoot_core::world::World;

use super::Runtime;
use crate::error::{FoldError, OpenError};
use crate::fold::{fold_world, load};
use crate::means::{Entered, Held, Means};
use crate::opening::Perform;
use crate::proof::Proof;
use crate::seat::WorldHandle;

/// How a world is branched off another one.
#[derive(Debug, Clone)]
pub struct Forking {
    /// The other one. It may be open or not: nothing of it changes.
    pub parent: WorldName,
    /// The last event that both are to have; inside a commit it means that one's last event.
    /// `None`: the last one.
    pub at: Option<Position>,
    /// The new one's name.
    pub name: WorldName,
    /// Whether effects are performed, or only answered from the record.
    pub effects: ForkEffects,
    /// True if the new one gets its own copy of what both have.
    pub is_copied: bool,
    /// Whether owed work is done.
    pub perform: Perform,
    /// Who wants it. It takes the right to operate the other one.
    pub by: Proof,
    /// The new one's id. `None`: one of its own.
    pub id: Option<WorldId>,
    /// Whom the new one belongs to. `None`: whom the other one belongs to there.
    pub owner: Option<String>,
    /// The new one's labels. `None`: those of the other one there.
    pub labels: Option<Labels>,
}

impl Forking {
    /// Branches `name` off the head of `parent`, by the word of whoever holds the store. It is a
    /// dry run.
    #[must_use]
    pub fn of(parent: WorldName, name: WorldName) -> Self {
        let effects = ForkEffects::Recorded;
        let perform = Perform::AsItComes;
        let by = Proof::world();
        Self {
            parent,
            at: None,
            name,
            effects,
            is_copied: false,
            perform,
            by,
            id: None,
            owner: None,
            labels: None,
        }
    }
}

impl Forking {
    /// The owner and the labels that the new one begins with; `None`: those of `parent`.
    fn labelled(&self, parent: &World) -> Option<Labelled> {
        let of_parent = parent.labelled();
        let owner = self.owner.clone().or_else(|| of_parent.owner.clone());
        let labels = self.labels.clone();
        let labels = labels.unwrap_or_else(|| of_parent.labels.clone());
        let labelled = Labelled { owner, labels };
        (labelled != *of_parent).then_some(labelled)
    }
}

/// A world that was branched off.
#[derive(Debug, Clone)]
pub struct Branched {
    /// It, open.
    pub world: WorldHandle,
    /// The last event that it shares.
    pub at: Position,
    /// Its first commit.
    pub commit: Commit,
    /// What was closed in it.
    pub left: LeftBehind,
}

/// What was open where a world was branched off, and is closed in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftBehind {
    /// Turns, those that are gone on with among them.
    pub turns: usize,
    /// Calls without a result.
    pub calls: usize,
    /// Requests to people.
    pub requests: usize,
    /// Messages that nobody had taken up.
    pub messages: usize,
}

impl LeftBehind {
    fn of(world: &World) -> Self {
        let memories = || {
            world
                .rules()
                .spec()
                .agents
                .iter()
                .filter_map(|agent| world.memory(&agent.name))
        };
        Self {
            turns: memories().filter(|memory| memory.turn.is_some()).count(),
            calls: memories().map(|memory| memory.open_calls.len()).sum(),
            requests: world.consent().pending().len(),
            messages: memories().map(|memory| memory.inbox.len()).sum(),
        }
    }
}

impl Runtime {
    /// Branches a world off another one, opens it and does what is owed. Its effects are answered
    /// from the record of both where the same request occurred, and else not performed, unless it
    /// was said that they are to be. If the other world is open, its branch has the same models,
    /// tools and agents.
    ///
    /// # Errors
    /// [`OpenError`]; the other world's log is untouched in any case.
    pub async fn fork(&self, forking: Forking) -> Result<Branched, OpenError> {
        if self.world(&forking.name).is_some() {
            return Err(OpenError::AlreadyOpen(forking.name));
        }
        let parent = self.world(&forking.parent);
        let means = self.means_with(parent.map(|parent| parent.assembler));
        let (entered, at, commit, left) = means.fork(&forking).await?;
        let world = self.spawn(forking.name, forking.perform, &means, entered);
        Ok(Branched {
            world,
            at,
            commit,
            left,
        })
    }
}

impl Means {
    /// Returns what the other world says as it stands now, wherever it is branched off: whoever
    /// wants that may operate it still, and nothing of it waits to be erased.
    async fn check_parent(&self, forking: &Forking, entry: &WorldEntry) -> Result<(), OpenError> {
        let parent = load(&*self.log, &*self.checkpoints, entry).await?;
        if !parent.rights_of(forking.by.principal()).has(Right::Operate) {
            return Err(OpenError::Refused(Refusal::Right {
                reason: RefusalReason::NoRight,
                decided: None,
            }));
        }
        if parent.upkeep().is_erasing() {
            let why = format!(
                "content of {} is being erased; branch it off when that is done",
                forking.parent
            );
            return Err(OpenError::Refused(Refusal::BadFork { why }));
        }
        Ok(())
    }

    async fn fork(
        &self,
        forking: &Forking,
    ) -> Result<(Entered, Position, Commit, LeftBehind), OpenError> {
        let parent = &forking.parent;
        let entry = self
            .log
            .find(parent)
            .await?
            .ok_or_else(|| OpenError::NoSuchWorld(parent.clone()))?;
        self.check_parent(forking, &entry).await?;
        let at = forking.at.unwrap_or(entry.head);
        if at > entry.head || at == Position::ZERO {
            return Err(OpenError::NoSuchEvent {
                name: parent.clone(),
                at,
                head: entry.head,
            });
        }
        let point = self.custody.fork_point(entry.world, at).await?;
        let at = point.base.of;
        let mut world = fold_world(&*self.log, parent, Some(at))
            .await
            .map_err(unfolded)?;
        let left = LeftBehind::of(&world);
        let clock = self.clock_of(&world, world.clock());
        let definition = world.definition();
        let stamp = self.stamp(&world, &forking.name, &clock);
        let action = Action::World(WorldAction::Fork {
            world: forking.id.unwrap_or_else(|| WorldId::from_stamp(&stamp)),
            name: forking.name.clone(),
            base: point.base,
            link: point.link,
            effects: forking.effects,
            node: self.node,
            signer: self.signer.as_ref().map(|signer| signer.key()),
            copy: self.custody.copy(),
            labelled: forking.labelled(&world),
        });
        let command = Command::of(forking.by.principal().clone(), action);
        let decision = world.decide(&command, &stamp);
        decision.answer.clone().map_err(OpenError::Refused)?;
        let Some(commit) = world.commit(&command, &stamp, &decision) else {
            return Err(OpenError::NoSuchWorld(parent.clone()));
        };
        world.apply(&commit);
        let base = world.base().map(PathBuf::from);
        // Before it is recorded: a world that cannot be opened is not begun.
        let parts = self
            .parts(&world, forking.perform, &definition, base.as_deref())
            .await?;
        let tenure = self.take(&forking.name, commit.header.world).await?;
        if let Err(error) = self.begin_fork(forking, &*tenure, &commit).await {
            if tenure.holds() {
                tenure.release(Some(self.due_again())).await;
            }
            return Err(error);
        }
        Ok((
            Entered {
                world,
                parts,
                definition,
                clock,
                tenure,
            },
            at,
            commit,
            left,
        ))
    }

    async fn begin_fork(
        &self,
        forking: &Forking,
        tenure: &dyn Tenure,
        commit: &Commit,
    ) -> Result<(), OpenError> {
        let name = &forking.name;
        let held = Held { name, tenure };
        held.check()?;
        let commits = vec![commit.clone()];
        match self.log.append(Incarnation(1), commits).await? {
            Appended::Committed { .. } | Appended::Repeated(_) => held.check()?,
        }
        if forking.is_copied {
            self.custody.copy_base(commit.header.world).await?;
        }
        Ok(())
    }
}

fn unfolded(error: FoldError) -> OpenError {
    match error {
        FoldError::NoSuchWorld(name) => OpenError::NoSuchWorld(name),
        FoldError::BehindHead { at, head } => {
            OpenError::Read(folkmoot_core::port::ReadError::Damaged {
                at,
                what: format!("the head is event {head}"),
            })
        }
        FoldError::Read(error) => OpenError::Read(error),
    }
}
