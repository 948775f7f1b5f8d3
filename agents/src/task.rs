//! The task that owns one world: it decides, appends, evolves, publishes and performs, in that
//! order.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use folkmoot_core::command::{Action, Command, WorldAction};
use folkmoot_core::event::refusal::Refusal;
use folkmoot_core::event::{Event, Right, WorldEvent};
use folkmoot_core::ids::{Position, Stamp, Time};
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{Clock, Tenure};
use folkmoot_core::spec::Definition;
use folkmoot_core::world::decider::checkpoint_id;
use folkmoot_core::world::{Accepted, Activity, Decision, World};

use crate::bus::Bus;
use crate::clock::WorldClock;
use crate::error::{OpenError, SeatError};
use crate::means::{Entered, Means};
use crate::opening::Perform;
use crate::parts::Parts;
use crate::secrets::conceal;

mod ahead;
mod bulletin;
mod door;
mod drafts;
mod erase;
mod flight;
mod halt;
mod perform;
mod permission;
mod porter;
mod progress;
mod sign;
mod sleep;
mod time;

use ahead::Ahead;
use bulletin::Bulletin;
pub(crate) use door::{Ask, Closing, Door, Reply, Status};
use flight::Flight;
use halt::Halt;
use perform::FilesGone;
pub(crate) use porter::{Followed, Porter};
use sleep::Asleep;
pub(crate) use sleep::{Kept, keep};

/// How many asks may wait for a world.
pub(crate) const ASKS_MAX: usize = 256;

/// How many events may pass between two checkpoints.
pub(crate) const CHECKPOINT_EVERY: u64 = 4_096;

/// The task's own state.
pub(crate) struct WorldTask {
    world: World,
    means: Arc<Means>,
    /// The right to act for the world.
    tenure: Arc<dyn Tenure>,
    door: Door,
    clock: WorldClock,
    parts: Parts,
    bus: Bus,
    flight: Flight,
    ahead: Ahead,
    checkpoint_at: Position,
    /// The parts of a definition that is being recorded.
    coming: Option<Box<(Definition, Parts)>>,
    bulletin: Bulletin,
    files_gone: FilesGone,
}

/// Why the task ends.
enum TaskEnd {
    Closed(Option<Closing>),
    Stopped(Halt),
    /// Nobody has needed the world for a while.
    Asleep,
}

impl WorldTask {
    /// Takes up a world that was just opened.
    pub(crate) fn begin(means: Arc<Means>, door: Door, entered: Entered) -> Box<Self> {
        let Entered {
            world,
            parts,
            definition,
            clock,
            tenure,
        } = entered;
        door.tell_access(&world);
        door.activity.tail().begin(&world);
        door.activity.be_here(true);
        let mut bus = Bus::new(door.activity.clone(), Arc::clone(&tenure));
        if door.perform != Perform::Nothing {
            bus.subscribe(parts.attendants(&definition));
        }
        let bulletin = Bulletin::of(&world);
        let flight = Flight::under(Arc::clone(&tenure));
        let ahead = Ahead::default();
        let checkpoint_at = world.head();
        let coming = None;
        let files_gone = Arc::new(AtomicU64::new(world.files_gone()));
        Box::new(Self {
            world,
            means,
            tenure,
            door,
            clock,
            parts,
            bus,
            flight,
            ahead,
            checkpoint_at,
            coming,
            bulletin,
            files_gone,
        })
    }

    /// Takes up `first`, then runs until the world is closed, lost, its log cannot be written, or it
    /// falls asleep.
    async fn run(mut self: Box<Self>, first: Option<Ask>) -> Option<Kept> {
        let tenure = Arc::clone(&self.tenure);
        let end = tokio::select! {
            biased;
            // Also in the midst of an append: tools stop in time, whether the log answers or not.
            () = tenure.lost() => TaskEnd::Stopped(Halt::TenureLost),
            end = self.live(first) => end,
        };
        self.end(end).await
    }

    async fn live(&mut self, mut first: Option<Ask>) -> TaskEnd {
        let end = loop {
            if let Err(why) = self.turn_over().await {
                break TaskEnd::Stopped(why);
            }
            let sleepy = sleep::after(self.sleepy_after());
            let step = if let Some(ask) = first.take() {
                self.take(ask).await
            } else {
                tokio::select! {
                    biased;
                    ask = self.door.asks.recv() => match ask {
                        Some(Ask::Close(closing)) => break TaskEnd::Closed(Some(closing)),
                        Some(ask) => self.take(ask).await,
                        None => break TaskEnd::Closed(None),
                    },
                    landed = self.flight.next() => self.land(landed).await,
                    () = time::until_due(&self.world, &self.clock, self.door.perform) => Ok(()),
                    () = sleepy => break TaskEnd::Asleep,
                }
            };
            if let Err(why) = step {
                break TaskEnd::Stopped(why);
            }
        };
        if !matches!(end, TaskEnd::Stopped(_)) {
            self.let_go(&end).await;
        }
        end
    }

    /// Brings a world that is about to be let go of to a good end.
    async fn let_go(&mut self, end: &TaskEnd) {
        if matches!(end, TaskEnd::Closed(_))
            && let Err(why) = self.drain().await
        {
            let why = with_causes(&why);
            tracing::error!(world = ?self.world.name(), why, "what still ran could not be recorded");
        }
        self.sign_off().await;
        self.save().await;
    }

    /// Asks whether this process may still act for the world. It is asked right before each act.
    fn may_act(&self) -> Result<(), Halt> {
        if self.tenure.holds() {
            Ok(())
        } else {
            Err(Halt::TenureLost)
        }
    }

    /// Starts what is owed, tells observers what changed, and lets simulated time pass if nothing
    /// else is left.
    async fn turn_over(&mut self) -> Result<(), Halt> {
        loop {
            self.land_in_order().await?;
            self.perform_owed().await?;
            self.announce();
            if !time::may_pass(&self.world, &self.clock, &self.flight, self.door.perform) {
                return Ok(());
            }
            time::pass(&self.world, &self.clock);
        }
    }

    async fn take(&mut self, ask: Ask) -> Result<(), Halt> {
        if let Err(why) = self.may_act() {
            ask.turn_away(&why.as_answer());
            return Err(why);
        }
        match ask {
            Ask::Command { command, reply }
                if matches!(command.action, Action::World(WorldAction::Revise { .. })) =>
            {
                self.revise(&command, reply).await
            }
            Ask::Command { command, reply }
                if matches!(command.action, Action::World(WorldAction::Open { .. })) =>
            {
                // It is open: only the runtime opens worlds.
                self.tell(reply, Err(SeatError::Refused(Refusal::Stale)))
            }
            Ask::Command { command, reply } => self.answer(&command, reply).await,
            Ask::Revise { command, reply } => self.revise(&command, reply).await,
            Ask::Advance { by, command, reply } => {
                let may = self.world.rights_of(&command.principal).has(Right::Operate);
                if let (WorldClock::Simulated(clock), true) = (&self.clock, may) {
                    clock.advance_to(clock.now().after(by));
                }
                self.answer(&command, reply).await
            }
            Ask::Wake(reply) => {
                let _gone = reply.send(Ok(()));
                Ok(())
            }
            Ask::Inspect(look) => {
                look(&self.world);
                Ok(())
            }
            Ask::Close(closing) => {
                closing.done();
                Ok(())
            }
        }
    }

    async fn answer(&mut self, command: &Command, reply: Reply) -> Result<(), Halt> {
        let answer = match self.command(command).await {
            Ok(answer) => answer,
            Err(why) => {
                let _gone = reply.send(Err(why.as_answer()));
                return Err(why);
            }
        };
        if let Err(why) = self.settle_down(answer.is_ok()).await {
            let is_durable = |accepted: &Accepted| {
                accepted
                    .last
                    .is_none_or(|last| last <= self.door.activity.tail().head())
            };
            // What came behind the command could not be appended; the command may have been.
            let is_kept = answer.as_ref().is_ok_and(is_durable);
            let answer = if is_kept {
                answer
            } else {
                Err(why.as_answer())
            };
            let _lost = self.tell(reply, answer);
            return Err(why);
        }
        self.tell(reply, answer)
    }

    /// Answers whoever asked.
    fn tell(&self, reply: Reply, answer: Result<Accepted, SeatError>) -> Result<(), Halt> {
        let may = self.may_act();
        let _gone = reply.send(match &may {
            Ok(()) => answer,
            Err(why) => Err(why.as_answer()),
        });
        may
    }

    /// Appends a command, and begins what it leads to if it was taken.
    async fn settle_down(&mut self, is_taken: bool) -> Result<(), Halt> {
        if !is_taken {
            return self.flush().await;
        }
        // Who waits for the world to be quiet must see that it is not.
        self.perform_owed().await?;
        self.announce();
        Ok(())
    }

    /// Makes the parts of a new definition before it is recorded: one that has none is refused.
    /// They take the place of the old ones only with the event that says so; whoever may not revise
    /// has none made.
    async fn revise(&mut self, command: &Command, reply: Reply) -> Result<(), Halt> {
        let Action::World(WorldAction::Revise { definition }) = &command.action else {
            return self.answer(command, reply).await;
        };
        if !self.world.rights_of(&command.principal).has(Right::Operate) {
            return self.answer(command, reply).await;
        }
        let base = self.world.base().map(PathBuf::from);
        match self
            .means
            .assemble(&self.world, definition, base.as_deref())
            .await
        {
            Ok(parts) => {
                self.coming = Some(Box::new((definition.clone(), parts)));
                let answered = self.answer(command, reply).await;
                self.coming = None;
                answered
            }
            Err(error) => {
                let why = if let OpenError::Assemble(error) = &error {
                    error.to_string()
                } else {
                    with_causes(&error)
                };
                self.tell(
                    reply,
                    Err(SeatError::Refused(Refusal::BadDefinition { why })),
                )
            }
        }
    }

    /// Decides a command, unless its key is known: then it gets its first answer again.
    async fn command(&mut self, command: &Command) -> Result<Result<Accepted, SeatError>, Halt> {
        if let (Some(keyed), Some(world)) = (&command.key, self.world.id()) {
            // Keys are no part of the world. `append` looks once more, and that is what counts
            // (decision 0005).
            let known = self.means.log.find_key(world, &keyed.key).await?;
            if let Some(stored) = known {
                let is_same = stored.commit.header.key.as_ref() == Some(keyed);
                let first = Accepted::try_from(&stored.commit).map_err(SeatError::Refused);
                if is_same {
                    return Ok(first);
                }
                self.record_reuse(command).await?;
                return Ok(Err(SeatError::KeyReused(keyed.key.to_string())));
            }
        }
        self.decide(command)
            .await
            .map(|answer| answer.map_err(SeatError::Refused))
    }

    /// Decides and evolves. The outer error stops the world.
    async fn decide(&mut self, command: &Command) -> Result<Result<Accepted, Refusal>, Halt> {
        let stamp = self.stamp()?;
        let decision = self.world.decide(command, &stamp);
        self.carry_out(command, stamp, decision).await
    }

    /// Records that a key was used for another command than its first one.
    async fn record_reuse(&mut self, command: &Command) -> Result<(), Halt> {
        let stamp = self.stamp()?;
        // The key stays with the command that used it first.
        let command = Command {
            key: None,
            ..command.clone()
        };
        let decision = self.world.refuse_reused(&command, &stamp);
        self.carry_out(&command, stamp, decision)
            .await
            .map(|_refused| ())
    }

    /// The stamp of a decision. Whoever may not act gets none, and so decides nothing.
    fn stamp(&self) -> Result<Stamp, Halt> {
        self.may_act()?;
        let seed = self.means.seeds.at(self.world.name(), self.world.head());
        Ok(self.world.stamp(self.clock.now(), seed))
    }

    /// Folds what was decided, and appends it, now or together with what follows.
    async fn carry_out(
        &mut self,
        command: &Command,
        stamp: Stamp,
        decision: Decision,
    ) -> Result<Result<Accepted, Refusal>, Halt> {
        if let Some(commit) = self.world.commit(command, &stamp, &decision) {
            let revises = |event: &Event| matches!(event, Event::World(WorldEvent::SpecRevised(_)));
            let is_revision = commit.events.iter().any(revises);
            self.run_ahead(commit).await?;
            if is_revision
                && let Some((definition, parts)) = self.coming.take().map(|coming| *coming)
            {
                self.parts = parts;
                self.bus.subscribe(self.parts.attendants(&definition));
            }
        }
        Ok(decision.answer)
    }

    /// Brings the outcome of an effect. One that has become stale changes nothing.
    async fn bring(&mut self, action: Action) -> Result<(), Halt> {
        let action = match &self.parts.secrets {
            Some(secrets) => conceal(action, &**secrets),
            None => action,
        };
        let command = Command::of_runtime(action);
        if let Err(refusal) = self.decide(&command).await? {
            tracing::debug!(command = ?command.action.kind(), ?refusal, "an outcome came too late");
        }
        Ok(())
    }

    /// Saves the fold now and then. Failing to do so loses nothing. One that holds what is to be
    /// erased is never saved.
    async fn checkpoint(&mut self) {
        let head = self.world.head();
        if head.since(self.checkpoint_at) >= CHECKPOINT_EVERY {
            self.checkpoint_at = head;
            self.save().await;
        }
    }

    async fn save(&self) {
        let Some(id) = self
            .world
            .id()
            .filter(|_| !self.world.upkeep().is_erasing() && self.tenure.holds())
        else {
            return;
        };
        let saved = match serde_json::to_vec(&self.world) {
            Ok(state) => {
                self.means
                    .checkpoints
                    .save(
                        id,
                        self.world.head(),
                        checkpoint_id(self.world.decider()),
                        state,
                    )
                    .await
            }
            Err(error) => return tracing::warn!(%error, "the fold has no written form"),
        };
        if let Err(error) = saved {
            tracing::warn!(%error, "a checkpoint was not saved");
        }
    }

    /// Tells observers what changed since the last time.
    fn announce(&mut self) {
        if !self.tenure.holds() {
            return;
        }
        let activity = self.activity();
        let tell = |event| self.bus.announce(event);
        self.bulletin
            .announce(&self.door, (&self.world, activity), tell);
    }

    /// A world that performs nothing is quiet whatever it owes, and signs its log only when it is
    /// let go of.
    fn activity(&self) -> Activity {
        match (self.door.perform, self.world.room_activity()) {
            (Perform::Nothing, _) if self.world.upkeep().is_erasing() => Activity::Running,
            (Perform::Nothing, Activity::Running) => Activity::Parked,
            (Perform::Nothing, activity) => activity,
            (_, _) if self.flight.is_empty() => self.world.activity(),
            (_, _) => Activity::Running,
        }
    }

    async fn end(mut self: Box<Self>, end: TaskEnd) -> Option<Kept> {
        match end {
            TaskEnd::Closed(closing) => {
                self.bus.activity().abort_drafts(self.world.head());
                if closing.as_ref().is_some_and(|closing| closing.is_wanted) {
                    self.tenure.release(Some(self.means.due_again())).await;
                } else {
                    self.release().await;
                }
                self.door.closed(closing);
                None
            }
            TaskEnd::Stopped(why) => {
                self.flight.abort_all();
                // What was decided before is true, and the log may still take it. Behind an append that failed nothing waits.
                if let Err(lost) = self.flush().await {
                    let lost = with_causes(&lost);
                    tracing::error!(world = ?self.world.name(), lost, "what was decided last could not be recorded");
                }
                // What ran ahead and is lost was never told.
                let activity = self.bus.activity();
                activity.abort_drafts(activity.tail().head());
                why.log(self.world.name());
                // Before anybody is told: they may open it again. Who has lost it has nothing to give back.
                if self.tenure.holds() {
                    self.tenure.release(Some(self.means.due_again())).await;
                }
                self.door.stopped(&why.as_answer());
                None
            }
            TaskEnd::Asleep => {
                self.announce();
                self.door.activity.tail().rest();
                let due = self.release().await;
                tracing::debug!(world = ?self.world.name(), "the world sleeps");
                let asleep = Asleep {
                    left: self.world.incarnation(),
                    due,
                    means: self.means,
                    door: self.door,
                };
                asleep.settle().await
            }
        }
    }

    /// Gives the world back, and says when it is due.
    async fn release(&self) -> Option<Time> {
        let due = self.means.due(&self.world, &self.clock);
        self.tenure.release(due).await;
        due
    }
}
