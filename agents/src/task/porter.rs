//! The porter: it stands at the door of a world that another process holds.
//!
//! It takes the place of a [`WorldTask`](super::WorldTask) behind the same door, so that handles and seats are what they
//! always are. It decides nothing and appends nothing: commands go to the holder (decision 0045), and all else is read from
//! a fold that follows the log. What it answers is no older than the log was when it was asked.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::command::Command;
use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{CallEvent, Event, WorldEvent};
use folkmoot_core::ids::{AgentName, AskId, CallId, ToolName, WorldId, WorldName};
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{CommitStream, ReadError};
use folkmoot_core::world::{Accepted, Activity, World};
use futures::TryStreamExt as _;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::bulletin::Bulletin;
use super::sleep::{self, Kept};
use super::{ASKS_MAX, Ask, Closing, Door, Reply, WorldTask, ahead};
use crate::bus::{ActivityChannel, ActivityEvent};
use crate::error::{FoldError, OpenError, SeatError};
use crate::fold::fold_world;
use crate::means::courier::{ANSWER_AWAITED, Courier, Errand, LOOK_EVERY, Vouched};
use crate::means::{Entered, Means};
use crate::opening::Opening;
use crate::relay::{DraftPiece, RemoteDrafts};
use left::LeftCommands;

mod left;

/// How long an answer is waited for before it is looked whether the world is free, and how often from then on: the holder may
/// have died, and be followed by nobody.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A world that another process holds, or nobody, and that this one follows.
pub(crate) struct Porter {
    means: Arc<Means>,
    courier: Courier,
    door: Door,
    id: WorldId,
    /// The fold of the log as far as it was followed.
    world: World,
    commits: CommitStream,
    bulletin: Bulletin,
    /// What its holder shows of the replies that are being written; `None`: nobody shows it here.
    drafts: Option<RemoteDrafts>,
    /// Commands that are on their way.
    errands: JoinSet<Delivery>,
    /// The same commands, in case that this process gets the world before they are answered.
    left: LeftCommands,
    /// When it is looked whether the world is free. It matters only while commands are on their way.
    look_at: Instant,
    /// Why this process cannot hold the world, as of the last look; `None`: it can, or another one holds it.
    unfit: Option<String>,
}

/// A world that is about to be followed.
pub(crate) struct Followed {
    pub(crate) id: WorldId,
    pub(crate) world: World,
    commits: CommitStream,
}

impl Followed {
    /// Loads the world called `name`, and begins to follow its log.
    ///
    /// # Errors
    /// [`OpenError`].
    pub(crate) async fn load(means: &Means, name: &WorldName) -> Result<Self, OpenError> {
        let world = means.load(&Opening::recorded(name.clone())).await?;
        let no_world = || OpenError::NoSuchWorld(name.clone());
        let id = world.id().ok_or_else(no_world)?;
        let commits = means.log.subscribe(id, world.head().next()).await?;
        Ok(Self { id, world, commits })
    }
}

/// A command that came back, with whoever gave it.
struct Delivery {
    id: AskId,
    reply: Reply,
    answer: Result<Accepted, SeatError>,
}

/// Why a porter ends.
enum PorterEnd {
    /// The world was closed here, or its log.
    Closed(Option<Closing>),
    /// The log does not read.
    Stopped(SeatError),
    /// This process has the world now, and is to do this first.
    Woken(Box<Entered>, Option<Ask>),
    /// Nobody here has needed the world for a while: whoever does opens it again.
    Idle,
}

/// The result of one step.
type Step = Result<Option<Wake>, ReadError>;

/// This process is to try to have the world itself, and to do this first.
struct Wake(Option<Ask>);

impl Porter {
    /// Goes on with a world that this process had, and that others may have taken.
    pub(super) async fn begin(means: Arc<Means>, courier: Courier, mut door: Door) -> Option<Kept> {
        match Followed::load(&means, &door.name).await {
            Ok(followed) => {
                let porter = Self::at(means, courier, door, followed);
                Some(Kept::Elsewhere(porter))
            }
            Err(error) => {
                let why = with_causes(&error);
                tracing::error!(world = %door.name, why, "the world cannot be followed");
                door.stopped(&SeatError::Stopped(why));
                None
            }
        }
    }

    /// Stands at the door of a world.
    pub(crate) fn at(
        means: Arc<Means>,
        courier: Courier,
        door: Door,
        followed: Followed,
    ) -> Box<Self> {
        let Followed { id, world, commits } = followed;
        door.tell_access(&world);
        door.activity.tail().begin(&world);
        door.activity.be_here(false);
        let bulletin = Bulletin::of(&world);
        let source = means.drafts.clone();
        let name = door.name.clone();
        let drafts = source.map(|source| RemoteDrafts::new(source, id, name));
        let mut porter = Box::new(Self {
            means,
            courier,
            door,
            id,
            world,
            commits,
            bulletin,
            drafts,
            errands: JoinSet::new(),
            left: LeftCommands::default(),
            look_at: Instant::now(),
            unfit: None,
        });
        porter.announce();
        porter
    }

    /// Serves the door until the world is closed here, this process has it, or nobody here needs it.
    pub(super) async fn run(mut self: Box<Self>) -> Option<Kept> {
        let end = loop {
            let idle = sleep::after(self.idle_after());
            let written = written(&mut self.drafts, &self.door.activity, &self.world);
            let step = tokio::select! {
                biased;
                ask = self.door.asks.recv(), if self.errands.len() < ASKS_MAX => match ask {
                    Some(Ask::Close(closing)) => break PorterEnd::Closed(Some(closing)),
                    Some(ask) => self.take(ask).await,
                    None => break PorterEnd::Closed(None),
                },
                Some(done) = self.errands.join_next() => match done {
                    Ok(done) => self.deliver(done).await.map(|()| None),
                    Err(error) => {
                        tracing::error!(%error, "a command on its way was lost");
                        Ok(None)
                    }
                },
                stored = self.commits.try_next() => match stored {
                    Ok(Some(stored)) => self.follow(&stored.commit).await.map(|()| None),
                    Ok(None) => break PorterEnd::Closed(None),
                    Err(error) => Err(error),
                },
                piece = written => self.show(piece).await.map(|()| None),
                () = tokio::time::sleep_until(self.look_at), if !self.errands.is_empty() => Ok(Some(Wake(None))),
                () = idle => break PorterEnd::Idle,
            };
            match step {
                Ok(None) => {}
                Ok(Some(Wake(ask))) => match self.wake().await {
                    Ok(entered) => break PorterEnd::Woken(entered, ask),
                    Err(error) => self.stay(ask, &error),
                },
                Err(error) => break PorterEnd::Stopped(SeatError::Stopped(with_causes(&error))),
            }
        };
        self.end(end)
    }

    /// Returns how long the world is still followed if nothing comes; `None`: for as long as it is open here.
    fn idle_after(&self) -> Option<Duration> {
        let is_needed = !self.errands.is_empty()
            || self.door.activity.is_followed()
            // A parked one waits for people, who reach it again.
            || self.activity() == Activity::Running;
        self.means.idle_close.filter(|_| !is_needed)
    }

    async fn take(&mut self, ask: Ask) -> Step {
        match ask {
            // Somebody acts for a world in which something goes on: only another one may be free.
            Ask::Command { .. } | Ask::Revise { .. } if self.activity() != Activity::Running => {
                Ok(Some(Wake(Some(ask))))
            }
            Ask::Wake(_) => Ok(Some(Wake(Some(ask)))),
            Ask::Command { command, reply } | Ask::Revise { command, reply } => {
                self.send(*command, reply);
                Ok(None)
            }
            Ask::Advance { reply, .. } => {
                let why = "its clock is moved on where it is held";
                let _gone = reply.send(Err(SeatError::Elsewhere(why.to_owned())));
                Ok(None)
            }
            Ask::Inspect(look) => {
                self.catch_up().await?;
                look(&self.world);
                Ok(None)
            }
            Ask::Close(closing) => {
                closing.done();
                Ok(None)
            }
        }
    }

    /// Tries to have the world itself: it may be free.
    async fn wake(&mut self) -> Result<Box<Entered>, OpenError> {
        let Door { name, perform, .. } = &self.door;
        let left = self.world.incarnation();
        let entered = Box::pin(self.means.reopen(name, left, *perform)).await?;
        Ok(Box::new(entered))
    }

    /// Goes on as a porter, since the world could not be had.
    fn stay(&mut self, ask: Option<Ask>, why: &OpenError) {
        tracing::debug!(world = %self.door.name, why = with_causes(why), "the world stays another's");
        self.look_at = Instant::now() + LOOK_AGAIN;
        self.unfit = why.unfit();
        match ask {
            None => {}
            Some(Ask::Command { command, reply } | Ask::Revise { command, reply }) => {
                self.send(*command, reply);
            }
            Some(
                other @ (Ask::Wake(_) | Ask::Advance { .. } | Ask::Inspect(_) | Ask::Close(_)),
            ) => {
                other.turn_away(&SeatError::Elsewhere(with_causes(why)));
            }
        }
    }

    /// Sends a command to whoever holds the world.
    fn send(&mut self, command: Command, reply: Reply) {
        if self.errands.is_empty() {
            self.look_at = Instant::now() + LOOK_AGAIN;
        }
        let id = self.means.ask_id();
        self.left.note(id, command.clone());
        let name = self.door.name.clone();
        let errand = Errand::of((id, self.id), name, command, Vouched::ByNode);
        let courier = self.courier.clone();
        self.errands.spawn(async move {
            let answer = match errand.write() {
                Ok(ask) => courier.carry(&ask, ANSWER_AWAITED).await,
                Err(error) => Err(error),
            };
            Delivery { id, reply, answer }
        });
    }

    /// Answers whoever gave a command. Who gets a yes sees what came of it.
    async fn deliver(&mut self, Delivery { id, reply, answer }: Delivery) -> Result<(), ReadError> {
        self.left.forget(id);
        let last = answer.as_ref().ok().and_then(|accepted| accepted.last);
        let caught_up = match last {
            Some(last) if last > self.world.head() => self.catch_up().await,
            Some(_) | None => Ok(()),
        };
        let _gone = reply.send(answer.map_err(|error| error.of_unfit(self.unfit.as_ref())));
        caught_up
    }

    /// Shows a piece of a reply that the holder shows; `None`: it is to be looked again whether anybody here wants to see any.
    async fn show(&mut self, piece: Option<DraftPiece>) -> Result<(), ReadError> {
        let Some(piece) = piece else {
            return Ok(());
        };
        if piece.message.0 > self.world.head() {
            // How a reply is cut stands in the log before it.
            self.catch_up().await?;
        }
        if let Some(drafts) = &mut self.drafts {
            drafts.show(piece, &self.world, &self.door.activity);
        }
        Ok(())
    }

    /// Follows the log to where it is now, without waiting for the news of it.
    async fn catch_up(&mut self) -> Result<(), ReadError> {
        let mut commits = self
            .means
            .log
            .read(self.id, self.world.head().next())
            .await?;
        while let Some(stored) = commits.try_next().await? {
            self.follow(&stored.commit).await?;
        }
        Ok(())
    }

    /// Folds a commit of the holder, and tells it. One that was read before is passed over.
    async fn follow(&mut self, commit: &Commit) -> Result<(), ReadError> {
        let (first, last) = (commit.header.first, commit.last());
        let next = self.world.head().next();
        if first < next {
            return Ok(());
        }
        if first > next {
            let what = format!("event {} is followed by event {first}", self.world.head());
            return Err(ReadError::Damaged { at: next, what });
        }
        let items = self.door.activity.tail().fold(&mut self.world, commit);
        let is_erased = commit.events.iter().any(is_erased);
        if is_erased {
            // The fold still has what is gone (decision 0020).
            self.world = fold_world(&*self.means.log, &self.door.name, Some(last))
                .await
                .map_err(unread)?;
        }
        if commit.events.iter().any(ahead::changes_access) {
            self.door.tell_access(&self.world);
        }
        self.tell_tools(commit);
        self.end_drafts(commit);
        self.door.activity.tail().keep((first, last), items);
        if is_erased {
            self.door.activity.tail().erased(&self.world);
        }
        self.announce();
        Ok(())
    }

    /// Ends the drafts that a commit brings to their end. One that another holder begins with ends all, and so does one that asks
    /// for an erasure: a draft could tell what is to go.
    fn end_drafts(&mut self, commit: &Commit) {
        let activity = &self.door.activity;
        for (agent, ending) in commit.events.iter().filter_map(ahead::ended_draft) {
            activity.end_draft(&agent, commit.last(), ending);
        }
        let ends_all = |event: &Event| {
            matches!(
                event,
                Event::World(WorldEvent::Opened(_) | WorldEvent::ErasureRequested(_))
            )
        };
        if commit.events.iter().any(ends_all) {
            activity.abort_drafts(commit.last());
            if let Some(drafts) = &mut self.drafts {
                drafts.hang_up();
            }
        }
    }

    /// Tells observers of the tools that began to run with a commit.
    fn tell_tools(&self, commit: &Commit) {
        for event in &commit.events {
            if let Event::Call(CallEvent::ToolStarted(started)) = event
                && let Some(tool) = self.tool(&started.agent, started.call)
            {
                self.door.activity.send(ActivityEvent::Tool {
                    agent: started.agent.clone(),
                    call: started.call,
                    tool,
                });
            }
        }
    }

    fn tool(&self, agent: &AgentName, call: CallId) -> Option<ToolName> {
        let memory = self.world.memory(agent)?;
        memory.open_calls.get(&call)?.tool.clone()
    }

    /// Tells observers what changed since the last time.
    fn announce(&mut self) {
        let activity = self.activity();
        let tell = |event| self.door.activity.send(event);
        self.bulletin
            .announce(&self.door, (&self.world, activity), tell);
    }

    fn activity(&self) -> Activity {
        self.world.activity()
    }

    fn end(self: Box<Self>, end: PorterEnd) -> Option<Kept> {
        let Self {
            means,
            courier,
            mut door,
            errands,
            left,
            ..
        } = *self;
        if !errands.is_empty() {
            tokio::spawn(deliver_all(errands));
        }
        match end {
            PorterEnd::Closed(closing) => {
                door.closed(closing);
                None
            }
            PorterEnd::Idle => {
                door.closed(None);
                None
            }
            PorterEnd::Stopped(why) => {
                tracing::error!(world = %door.name, %why, "the world is not followed any more");
                door.stopped(&why);
                None
            }
            PorterEnd::Woken(entered, ask) => {
                left.give(&door.own, &courier);
                // Another attempt is another message, and this process writes it.
                door.activity.abort_drafts(entered.world.head());
                let task = WorldTask::begin(means, door, *entered);
                Some(Kept::Awake(task, ask))
            }
        }
    }
}

/// Answers those whose commands are still on their way when a porter ends: they are done, whoever stands at the door. If the
/// world is here by now, its own task told what came of them before it answered.
async fn deliver_all(mut errands: JoinSet<Delivery>) {
    while let Some(done) = errands.join_next().await {
        match done {
            Ok(Delivery { reply, answer, .. }) => {
                let _gone = reply.send(answer);
            }
            Err(error) => tracing::error!(%error, "a command on its way was lost"),
        }
    }
}

/// Waits for a piece of a reply that the holder shows, while anybody here wants to see it; `None`: look again.
async fn written(
    drafts: &mut Option<RemoteDrafts>,
    activity: &ActivityChannel,
    world: &World,
) -> Option<DraftPiece> {
    let Some(drafts) = drafts else {
        return std::future::pending().await;
    };
    if world.activity() == Activity::Running && activity.is_followed() {
        return Some(drafts.next().await);
    }
    drafts.hang_up();
    if world.activity() != Activity::Running {
        // A commit says that it runs.
        return std::future::pending().await;
    }
    tokio::time::sleep(LOOK_EVERY).await;
    None
}

/// Tells whether content is gone with an event.
const fn is_erased(event: &Event) -> bool {
    matches!(event, Event::World(WorldEvent::Erased(_)))
}

fn unread(error: FoldError) -> ReadError {
    match error {
        FoldError::Read(error) => error,
        FoldError::NoSuchWorld(_) | FoldError::BehindHead { .. } => {
            ReadError::Stopped(error.to_string())
        }
    }
}
