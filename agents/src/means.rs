//! What a runtime opens worlds with, and what their tasks share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::command::{Action, Command, WorldAction};
use folkmoot_core::event::refusal::Refusal;
use folkmoot_core::event::{ClockKind, ForkEffects, Labelled};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{AskId, CopyId, Incarnation, Position, Stamp, Time, WorldId, WorldName};
use folkmoot_core::port::{
    AppendError, Appended, Blobs, Checkpoints, Clock, Custody, EventLog, Signer, Tenure, Tenures,
    ToolHost, WhoAmI, WorldEntry,
};
use folkmoot_core::spec::Definition;
use folkmoot_core::spec::rules::Pipeline;
use folkmoot_core::world::World;

use crate::clock::{SimulatedClock, WorldClock};
use crate::error::OpenError;
use crate::fold::load;
use crate::opening::{Opening, Perform};
use crate::parts::{Assemble, Parts};
use crate::relay::DraftSource;

pub(crate) mod courier;
mod dry;
mod record;
pub(crate) mod seeds;
mod tenure;

use courier::Courier;
use record::WorldRecord;
use seeds::Seeds;
pub(crate) use tenure::Held;

/// How often a world is read, and its opening appended, until it is given back: whatever was on its way when this process lost
/// it may arrive in between.
const ENTRIES_MAX: usize = 3;

/// What a runtime opens worlds with, and what their tasks share.
#[derive(Debug, Clone)]
pub(crate) struct Means {
    pub(crate) log: Arc<dyn EventLog>,
    pub(crate) checkpoints: Arc<dyn Checkpoints>,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) custody: Arc<dyn Custody>,
    /// Signs heads of the logs; `None`: nobody does.
    pub(crate) signer: Option<Arc<dyn Signer>>,
    pub(crate) assembler: Arc<dyn Assemble>,
    pub(crate) host: Option<Arc<dyn ToolHost>>,
    /// What worlds on the machine's clock go by.
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) seeds: Arc<Seeds>,
    /// The process that opens worlds, as their logs name it.
    pub(crate) node: Arc<dyn WhoAmI>,
    /// Gives worlds to this process; `None`: it alone has the store open, so that nobody takes one away.
    pub(crate) tenures: Option<Arc<dyn Tenures>>,
    /// Brings commands to processes that hold their worlds; `None`: nobody else does.
    pub(crate) courier: Option<Courier>,
    /// Shows what is being written in worlds that other processes hold; `None`: nobody does.
    pub(crate) drafts: Option<Arc<dyn DraftSource>>,
    /// How long a world stays in memory while it is idle; `None`: as long as it is open.
    pub(crate) idle_close: Option<Duration>,
}

/// A world whose opening is recorded, with what it needs beside its state.
pub(crate) struct Entered {
    pub(crate) world: World,
    pub(crate) parts: Parts,
    pub(crate) definition: Definition,
    pub(crate) clock: WorldClock,
    /// The right to act for it.
    pub(crate) tenure: Arc<dyn Tenure>,
}

impl Means {
    /// Takes a world for this process, loads it, or begins it, and records that it was opened.
    pub(crate) async fn open(&self, opening: &Opening) -> Result<Entered, OpenError> {
        self.take_up(opening, None).await
    }

    /// Opens a world again that was let go of in the incarnation `left`. If it has another one by
    /// now, somebody else has opened it: theirs is not taken over unasked. Where worlds are taken and
    /// given back, whoever gets it takes it from nobody.
    pub(crate) async fn reopen(
        &self,
        name: &WorldName,
        left: Incarnation,
        perform: Perform,
    ) -> Result<Entered, OpenError> {
        let opening = Opening {
            perform,
            ..Opening::recorded(name.clone())
        };
        let left = self.tenures.is_none().then_some(left);
        self.take_up(&opening, left).await
    }

    async fn take_up(
        &self,
        opening: &Opening,
        left: Option<Incarnation>,
    ) -> Result<Entered, OpenError> {
        let id = self.id_of(opening).await?;
        let opening = &Opening {
            id: Some(id),
            ..opening.clone()
        };
        let tenure = self.take(&opening.name, id).await?;
        let entered = self.enter_in_turn(opening, left, &tenure).await;
        if entered.is_err() && tenure.holds() {
            tenure.release(Some(self.due_again())).await;
        }
        entered
    }

    /// Enters a world that was taken, and again if its log has grown meanwhile: by an append that this process sent, or an older
    /// holder, before it was taken.
    async fn enter_in_turn(
        &self,
        opening: &Opening,
        left: Option<Incarnation>,
        tenure: &Arc<dyn Tenure>,
    ) -> Result<Entered, OpenError> {
        // Whoever has a store alone has nothing on its way.
        let tries = self.tenures.as_ref().map_or(1, |_| ENTRIES_MAX);
        for _ in 1..tries {
            let entered = Box::pin(self.enter(opening, left, Arc::clone(tenure))).await;
            let Err(OpenError::Append(
                error @ (AppendError::Conflict { .. } | AppendError::Fenced { .. }),
            )) = entered
            else {
                return entered;
            };
            tracing::debug!(world = %opening.name, %error, "the world is read again");
        }
        Box::pin(self.enter(opening, left, Arc::clone(tenure))).await
    }

    /// The id that a world has, or is to have.
    async fn id_of(&self, opening: &Opening) -> Result<WorldId, OpenError> {
        let known = self.entry_of(opening).await?.map(|entry| entry.world);
        let new = || {
            let world = World::default();
            let clock = self.clock_of(&world, opening.clock);
            WorldId::from_stamp(&self.stamp(&world, &opening.name, &clock))
        };
        Ok(known.or(opening.id).unwrap_or_else(new))
    }

    /// The world that is to be opened, as the store lists it; `None` if it is to be begun.
    async fn entry_of(&self, opening: &Opening) -> Result<Option<WorldEntry>, OpenError> {
        match self.log.find(&opening.name).await? {
            Some(entry) if opening.id.is_some_and(|id| id != entry.world) => {
                Err(AppendError::NameTaken(opening.name.clone()).into())
            }
            None if opening.definition.is_none() => {
                Err(OpenError::NoSuchWorld(opening.name.clone()))
            }
            entry => Ok(entry),
        }
    }

    pub(crate) async fn load(&self, opening: &Opening) -> Result<World, OpenError> {
        match self.entry_of(opening).await? {
            Some(entry) => Ok(load(&*self.log, &*self.checkpoints, &entry).await?),
            None => Ok(World::default()),
        }
    }

    /// Loads a world that this process has taken, and records the opening: a new incarnation, which
    /// fences every older one off.
    async fn enter(
        &self,
        opening: &Opening,
        left: Option<Incarnation>,
        tenure: Arc<dyn Tenure>,
    ) -> Result<Entered, OpenError> {
        let mut world = self.load(opening).await?;
        if left.is_some_and(|left| left != world.incarnation()) {
            return Err(OpenError::TakenOver(opening.name.clone()));
        }
        let labelled = labelled(&world, opening)?;
        let definition = opening
            .definition
            .clone()
            .unwrap_or_else(|| world.definition());
        let base = opening
            .base
            .clone()
            .or_else(|| world.base().map(PathBuf::from));
        let parts = self
            .parts(&world, opening.perform, &definition, base.as_deref())
            .await?;
        // Where a tool's folder is, is part of its definition: in another one its calls are asked
        // about again (decision 0030).
        let (definition, opening) = &with_folders(definition, opening, &parts);
        let clock = self.clock_of(&world, opening.clock);
        let incarnation = world.incarnation().next();
        let is_new = world.head() == Position::ZERO;
        let stamp = self.stamp(&world, &opening.name, &clock);
        let first = labelled.clone().unwrap_or_default();
        let action = self.opening_action(&world, opening, &stamp, first);
        let command = Command::of(opener(&action, opening), action);
        let held = Held {
            name: &opening.name,
            tenure: &*tenure,
        };
        self.record(&held, &mut world, incarnation, command, stamp)
            .await?;
        self.restore(&held, &mut world, &clock).await?;
        let incarnation = world.incarnation();
        if let Some(Labelled { owner, labels }) = labelled
            && !is_new
        {
            let stamp = self.stamp(&world, &opening.name, &clock);
            let command = Command::of_runtime(Action::World(WorldAction::Label { owner, labels }));
            self.record(&held, &mut world, incarnation, command, stamp)
                .await?;
        }
        held.check()?;
        log_pipeline(&world, &opening.name);
        Ok(Entered {
            world,
            parts,
            definition: definition.clone(),
            clock,
            tenure,
        })
    }

    /// Asks people about the rest of what one opening in a copy of the store had no room for. Each
    /// asks about some of it.
    async fn restore(
        &self,
        held: &Held<'_>,
        world: &mut World,
        clock: &WorldClock,
    ) -> Result<(), OpenError> {
        // Without a mark it is no copy any more: what was not asked yet stays as it is.
        while self.custody.copy().is_some() && world.is_restoring() {
            let node = self.node.node_id();
            let copy = self.custody.copy();
            let action = Action::World(WorldAction::Open {
                node,
                base: None,
                revise: None,
                signer: self.signing_key(),
                copy,
            });
            let stamp = self.stamp(world, held.name, clock);
            let incarnation = world.incarnation().next();
            let command = Command::of_runtime(action);
            self.record(held, world, incarnation, command, stamp)
                .await?;
        }
        Ok(())
    }

    /// A simulated world's time is that of its last commit.
    pub(crate) fn clock_of(&self, world: &World, wanted: ClockKind) -> WorldClock {
        let kind = if world.head() == Position::ZERO {
            wanted
        } else {
            world.clock()
        };
        match kind {
            ClockKind::System => WorldClock::System(Arc::clone(&self.clock)),
            ClockKind::Simulated => {
                // It stands still between commits, so that a script runs the same everywhere
                // (decision 0007).
                WorldClock::Simulated(SimulatedClock::new(world.time().max(Time::SIMULATED_START)))
            }
        }
    }

    /// The id of the next request to another process.
    pub(crate) fn ask_id(&self) -> AskId {
        AskId::from_stamp(&Stamp {
            time: self.clock.now(),
            seed: self.seeds.ask(),
        })
    }

    pub(crate) fn stamp(&self, world: &World, name: &WorldName, clock: &WorldClock) -> Stamp {
        world.stamp(clock.now(), self.seeds.at(Some(name), world.head()))
    }

    async fn record(
        &self,
        held: &Held<'_>,
        world: &mut World,
        incarnation: Incarnation,
        command: Command,
        stamp: Stamp,
    ) -> Result<(), OpenError> {
        held.check()?;
        let decision = world.decide(&command, &stamp);
        decision.answer.clone().map_err(OpenError::Refused)?;
        if let Some(commit) = world.commit(&command, &stamp, &decision) {
            match self.log.append(incarnation, vec![commit.clone()]).await? {
                Appended::Committed { .. } | Appended::Repeated(_) => world.apply(&commit),
            }
        }
        Ok(())
    }

    fn signing_key(&self) -> Option<String> {
        self.signer.as_ref().map(|signer| signer.key())
    }

    fn opening_action(
        &self,
        world: &World,
        opening: &Opening,
        stamp: &Stamp,
        labelled: Labelled,
    ) -> Action {
        let node = self.node.node_id();
        let signer = self.signing_key();
        let base = opening.base.as_ref().map(|base| base.display().to_string());
        match &opening.definition {
            Some(definition) if world.head() == Position::ZERO => {
                Action::World(WorldAction::Create {
                    world: opening.id.unwrap_or_else(|| WorldId::from_stamp(stamp)),
                    name: opening.name.clone(),
                    clock: opening.clock,
                    base,
                    definition: definition.clone(),
                    node,
                    signer,
                    copy: self.custody.copy(),
                    labelled,
                })
            }
            definition => {
                let is_new = |definition: &&Definition| !world.is_in_force(definition);
                let revise = definition.as_ref().filter(is_new).cloned();
                let base = base.filter(|base| Some(base.as_str()) != world.base());
                let is_asked = |copy: &CopyId| world.copy() == Some(*copy) && !world.is_restoring();
                // Whoever was asked once in this copy is not asked again (decision 0028).
                let copy = self.custody.copy().filter(|copy| !is_asked(copy));
                Action::World(WorldAction::Open {
                    node,
                    base,
                    revise,
                    signer,
                    copy,
                })
            }
        }
    }

    /// Makes the parts of a room. A world that performs nothing by itself gets none that could: see
    /// [`dry`].
    pub(crate) async fn assemble(
        &self,
        world: &World,
        definition: &Definition,
        base: Option<&Path>,
    ) -> Result<Parts, OpenError> {
        match world.effects() {
            ForkEffects::Recorded => {
                let record = WorldRecord::read(&self.log, world).await?;
                Ok(dry::assemble(&*self.assembler, definition, base, &record)?)
            }
            ForkEffects::Live => Ok(self.assembler.assemble(definition, base)?),
        }
    }

    /// Returns what process tools of `world` run under.
    pub(crate) fn host_of(&self, world: &World) -> Option<Arc<dyn ToolHost>> {
        self.host
            .clone()
            .filter(|_| world.effects() == ForkEffects::Live)
    }

    pub(crate) async fn parts(
        &self,
        world: &World,
        perform: Perform,
        definition: &Definition,
        base: Option<&Path>,
    ) -> Result<Parts, OpenError> {
        // No program is started, and no key read, to look at a world.
        if perform == Perform::Nothing {
            return Ok(Parts::default());
        }
        let parts = self.assemble(world, definition, base).await?;
        let is_live = world.effects() == ForkEffects::Live;
        let is_used = |tool: &_| {
            definition
                .spec
                .agents
                .iter()
                .any(|agent| agent.tools.contains(tool))
        };
        for (name, spec) in definition
            .spec
            .tools
            .iter()
            .filter(|(name, _)| is_used(*name))
        {
            if !parts.tools.contains_key(name) {
                return Err(OpenError::no_tool(name));
            }
            if spec.needs_host && is_live && self.host.is_none() {
                return Err(OpenError::NoHost(name.clone()));
            }
        }
        for model in definition
            .spec
            .agents
            .iter()
            .flat_map(|agent| definition.spec.models_of(agent))
        {
            if !parts.models.contains_key(model) {
                return Err(OpenError::no_model(model));
            }
        }
        Ok(parts)
    }
}

/// The giver of the command that opens a world: whoever founds it, or changes its definition.
fn opener(action: &Action, opening: &Opening) -> Principal {
    let named = match action {
        Action::World(WorldAction::Create { .. }) => &opening.founder,
        Action::World(WorldAction::Open {
            revise: Some(_), ..
        }) => &opening.by,
        Action::World(_) | Action::Talk(_) | Action::Consent(_) | Action::Shell(_) => &None,
    };
    named
        .as_ref()
        .map_or(Principal::Runtime, |by| by.principal().clone())
}

/// Logs what the calls and requests of a world go through: its stages in order, each with its
/// digest, and one digest over all. Two logs with the same digest had the same policies.
fn log_pipeline(world: &World, name: &WorldName) {
    let Pipeline { digest, stages } = world.rules().pipeline();
    let stages: Vec<String> = stages
        .iter()
        .map(|stage| format!("{} {}", stage.name, stage.digest.short()))
        .collect();
    tracing::info!(world = %name, pipeline = %digest, ?stages, "the world is open");
}

/// The owner and the labels that are still to be recorded; `None` if the recorded ones are those.
fn labelled(world: &World, opening: &Opening) -> Result<Option<Labelled>, OpenError> {
    let recorded = world.labelled();
    let labelled = Labelled {
        owner: opening.owner.clone().or_else(|| recorded.owner.clone()),
        labels: opening
            .labels
            .clone()
            .unwrap_or_else(|| recorded.labels.clone()),
    };
    labelled.check().map_err(|fault| {
        let why = fault.to_string();
        OpenError::Refused(Refusal::BadLabels { why })
    })?;
    Ok((labelled != *recorded).then_some(labelled))
}

/// The definition with the folders in which its tools were opened, and an opening that says so if
/// that is news.
fn with_folders(
    mut definition: Definition,
    opening: &Opening,
    parts: &Parts,
) -> (Definition, Opening) {
    let mut is_news = opening.definition.is_some();
    for (name, tool) in &mut definition.spec.tools {
        let Some(built) = parts.tools.get(name).map(|built| built.spec()) else {
            continue;
        };
        if tool.has_moved(built) {
            tool.folder.clone_from(&built.folder);
            is_news = true;
        }
    }
    // Another folder is found by the runtime, whoever opens the room.
    let by = opening.by.clone().filter(|_| opening.definition.is_some());
    let opening = Opening {
        definition: is_news.then(|| definition.clone()),
        by,
        ..opening.clone()
    };
    (definition, opening)
}
