//! The chat as it happens: what the log says, in its order, with drafts of replies while they are
//! being written.

use std::collections::BTreeSet;
use std::time::Duration;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{PersonName, Position, RequestId};
use folkmoot::core::port::CommitStream;
use folkmoot::core::world::{Activity, World};
use folkmoot::run::{Waiting, waiting};
use folkmoot::view::event::EventView;
use folkmoot::{ActivitySubscription, Runtime, WorldHandle};
use futures::StreamExt as _;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::chat::{Chat, ChatLine};
use super::foot::TypedText;
use super::keyed::KeyedRequest;
use super::news::{ShownCommit, Stir};
use super::page::StagePage;
use super::paint::Layout;
use super::progress::ProgressLine;
use super::request;
use crate::arguments::CommonArgs;
use crate::exit::{CliError, FAILED};
use crate::person;
use crate::terminal;

#[cfg(test)]
mod tests;

/// The most news that may wait for a stage; whoever has more waits until it has shown some.
const NEWS_MAX: usize = 256;
/// The time for which the keys of a request have to be seen before one acts at once: whoever was
/// just typing meant something else.
const SEEN_FIRST: Duration = Duration::from_millis(400);

/// News for the stage, beside what it reads.
#[derive(Debug)]
pub(crate) enum StageNews {
    /// The world was opened, or reopened.
    Opened(Box<WorldHandle>, ActivitySubscription),
    /// The way in which requests that wait are answered.
    Hints(Hints),
    /// The requests that wait, as far as somebody knows.
    Waits(Vec<Waiting>),
    /// Say when everything up to here is shown.
    Sync(Position, oneshot::Sender<()>),
    /// A commit of a room that another process holds.
    Commit(ShownCommit),
    /// The events of one, up to this position, each as JSON in a line.
    Events(Vec<String>, Position),
    /// Something that goes on in such a room.
    Stir(Stir),
    /// Something to show.
    Show(ChatLine),
    /// What is being typed at the foot of the page.
    Typed(TypedText),
    /// The foot is to be written anew, on an empty screen or where it stands.
    Redraw {
        /// True if the screen is emptied.
        clears: bool,
    },
    /// Show everything up to here, then end.
    Finish(Position),
}

/// Hints at how requests are answered.
#[derive(Debug, Clone)]
pub(crate) enum Hints {
    /// No hints: requests are decided elsewhere, or shown at the end.
    None,
    /// The commands to type in another terminal.
    Commands,
    /// The keys to type here.
    Keys(KeyedRequest),
}

/// A way to tell a stage something.
#[derive(Debug, Clone)]
pub(crate) struct Cues(mpsc::Sender<StageNews>);

impl Cues {
    /// A way to tell somebody else what a stage is told.
    pub(crate) fn to_another() -> (Self, mpsc::Receiver<StageNews>) {
        let (news, told) = mpsc::channel(NEWS_MAX);
        (Self(news), told)
    }

    /// Tells the stage something, as soon as it has room for it. One that has ended needs no news:
    /// why it ended comes out at the end.
    pub(crate) async fn tell(&self, news: StageNews) {
        let _ended = self.0.send(news).await;
    }

    /// Does the same where nothing can be awaited: the thread waits until there is room.
    pub(crate) fn tell_blocking(&self, news: StageNews) {
        if let Err(mpsc::error::TrySendError::Full(news)) = self.0.try_send(news) {
            tokio::task::block_in_place(|| {
                let _ended = self.0.blocking_send(news);
            });
        }
    }
}

/// The end of a stage at which it is told.
#[derive(Debug)]
pub(crate) struct Prompter {
    /// The way to tell the stage something.
    cues: Cues,
    /// The stage, which plays until it is told to finish.
    playing: JoinHandle<Result<(), CliError>>,
}

impl Prompter {
    /// Tells the stage something.
    pub(crate) async fn tell(&self, news: StageNews) {
        self.cues.tell(news).await;
    }

    /// Returns a way to tell it something.
    pub(crate) fn cues(&self) -> Cues {
        self.cues.clone()
    }

    /// Tells it that a world was opened.
    pub(crate) async fn opened(&self, world: &WorldHandle) {
        if let Some(news) = opened(world) {
            self.tell(news).await;
        }
    }

    /// Waits until the stage ends of itself: the reader of the output went away.
    pub(crate) async fn ended(&mut self) -> CliError {
        match (&mut self.playing).await {
            Ok(Err(error)) => error,
            Ok(Ok(())) => CliError::Closed,
            Err(error) => CliError::other(FAILED, format!("the display ended: {error}")),
        }
    }

    /// Waits until everything up to `at` is shown.
    pub(crate) async fn finish(self, at: Position) -> Result<(), CliError> {
        self.tell(StageNews::Finish(at)).await;
        self.playing
            .await
            .map_err(|error| CliError::other(FAILED, format!("the display ended: {error}")))?
    }
}

/// The news that a world was opened; `None` if another process runs it. The subscription begins
/// here, so that nothing is missed.
pub(crate) fn opened(world: &WorldHandle) -> Option<StageNews> {
    let activity = world.operator().subscribe_activity().ok()?;
    Some(StageNews::Opened(Box::new(world.clone()), activity))
}

/// The chat as it happens.
#[derive(Debug)]
pub(crate) struct ChatStage {
    /// The options of the command.
    common: CommonArgs,
    /// The runtime, whose log is followed; `None` if another process holds the room, and tells of
    /// it.
    runtime: Option<Runtime>,
    /// The page that is written.
    page: StagePage,
    /// The words for what happens.
    chat: Chat,
    /// The last event that was shown.
    seen: Position,
    /// The event after whose showing it ends; `None` until it is told to finish.
    until: Option<Position>,
    /// The world; `None` until it is opened.
    world: Option<WorldHandle>,
    /// The hints at how requests are answered.
    hints: Hints,
    /// The requests that were hinted at by commands already.
    hinted: BTreeSet<RequestId>,
    /// Requests that are to be hinted at once the log has come to them.
    due: Vec<Waiting>,
    /// The positions up to which the log is to be shown, with those who wait for that.
    syncs: Vec<(Position, oneshot::Sender<()>)>,
    /// The login name, for commands to type.
    by: Option<PersonName>,
    /// The time from which on the keys that were just shown act at once; `None` if none are to.
    keys_from: Option<Instant>,
}

impl ChatStage {
    /// A stage for `chat`, which begins behind the head of `world`. The names of those who speak
    /// are `names`.
    pub(crate) fn new(
        common: &CommonArgs,
        runtime: &Runtime,
        mut chat: Chat,
        names: &[String],
        world: &World,
    ) -> Self {
        chat.program = common.program();
        Self {
            runtime: Some(runtime.clone()),
            chat,
            ..Self::told_of(common, names, world.head())
        }
    }

    /// A stage for a room that another process holds: all that is shown of it comes as news, from
    /// behind the event `seen`.
    pub(crate) fn told_of(common: &CommonArgs, names: &[String], seen: Position) -> Self {
        let layout = Layout::new(names);
        Self {
            common: common.clone(),
            runtime: None,
            page: StagePage::new(layout, ProgressLine::new(terminal::shows_progress(common))),
            chat: Chat::default(),
            seen,
            until: None,
            world: None,
            hints: Hints::None,
            hinted: BTreeSet::new(),
            due: Vec::new(),
            syncs: Vec::new(),
            by: person::login(),
            keys_from: None,
        }
    }

    /// Begins to play.
    pub(crate) fn begin(self) -> Prompter {
        let (cues, told) = Cues::to_another();
        Prompter {
            cues,
            playing: tokio::spawn(self.play(told)),
        }
    }

    async fn play(mut self, mut news: mpsc::Receiver<StageNews>) -> Result<(), CliError> {
        let mut commits: CommitStream = futures::stream::pending().boxed();
        let mut activity = None;
        while self.until.is_none_or(|until| self.seen < until) {
            tokio::select! {
                biased;
                told = news.recv() => match told {
                    Some(StageNews::Opened(world, doing)) => {
                        let world = *world;
                        if self.world.is_none() {
                            commits = self.follow(&world).await?;
                        }
                        (self.world, activity) = (Some(world), Some(doing));
                    }
                    Some(told) => self.told(told).await?,
                    None => break,
                },
                Some(stored) = commits.next() => self.commit(&stored?.commit)?,
                stir = next(&mut activity) => self.stir(stir).await?,
                () = until(self.keys_from) => self.page.asked.take_keys(),
            }
            self.show_due()?;
            self.sync();
            self.wait_for_keys();
            self.page.refresh()?;
        }
        self.page.finish()
    }

    async fn follow(&self, world: &WorldHandle) -> Result<CommitStream, CliError> {
        let Some(runtime) = &self.runtime else {
            return Ok(futures::stream::pending().boxed());
        };
        let log = runtime.log();
        let entry = log.find(world.name()).await?;
        let entry =
            entry.ok_or_else(|| CliError::other(FAILED, "the world is not in the store"))?;
        Ok(log.subscribe(entry.world, self.seen.next()).await?)
    }

    async fn told(&mut self, told: StageNews) -> Result<(), CliError> {
        match told {
            StageNews::Hints(hints) => {
                if let Hints::Keys(asked) = &hints {
                    self.page.asked = asked.clone();
                }
                self.hints = hints;
                self.hint().await
            }
            StageNews::Waits(all) => {
                self.wait_for(all);
                Ok(())
            }
            StageNews::Sync(at, done) => {
                self.syncs.push((at, done));
                Ok(())
            }
            StageNews::Commit(commit) => {
                self.seen = commit.last;
                self.page.commit(commit)
            }
            StageNews::Events(events, last) => {
                self.seen = last;
                let mut events = events.iter();
                events.try_for_each(|event| self.page.screen.json_text(event))
            }
            StageNews::Stir(stir) => self.stir(stir).await,
            StageNews::Show(line) => self.show(line),
            StageNews::Typed(typed) => {
                self.page.screen.typed(typed);
                Ok(())
            }
            StageNews::Redraw { clears: true } => self.page.screen.clear(),
            StageNews::Redraw { clears: false } => {
                self.page.screen.moved();
                Ok(())
            }
            StageNews::Finish(at) => {
                // A world that could not be opened has nothing more to show.
                self.until = Some(if self.world.is_some() { at } else { self.seen });
                Ok(())
            }
            StageNews::Opened(..) => Ok(()),
        }
    }

    fn commit(&mut self, commit: &Commit) -> Result<(), CliError> {
        self.seen = commit.last();
        if !self.common.json {
            let lines = self.chat.take(commit);
            return self.page.commit(ShownCommit::of(commit, lines));
        }
        EventView::of(commit)?
            .iter()
            .try_for_each(|event| self.page.screen.json(event))
    }

    fn show(&mut self, line: ChatLine) -> Result<(), CliError> {
        if self.common.json {
            Ok(())
        } else {
            self.page.show(line)
        }
    }

    async fn stir(&mut self, stir: Stir) -> Result<(), CliError> {
        let progress = &mut self.page.screen.progress;
        match stir {
            Stir::Draft {
                message,
                offset,
                delta,
            } if !self.common.json => {
                return self.page.draft(message, offset, &delta, self.seen);
            }
            Stir::Room(Activity::Parked) => {
                progress.nothing();
                return self.hint().await;
            }
            Stir::Room(Activity::Idle) => progress.nothing(),
            Stir::Agent { agent, doing } => progress.agent(&agent, doing),
            Stir::Tool { agent, tool } => progress.tool(&agent, tool.as_str()),
            Stir::Report { agent, tool, text } => progress.report(&agent, tool.as_str(), &text),
            // Pieces of drafts are no part of the JSON.
            Stir::Room(Activity::Running) | Stir::Draft { .. } => {}
        }
        Ok(())
    }

    /// Shows how what waits is answered, each request once.
    async fn hint(&mut self) -> Result<(), CliError> {
        let Some(world) = self.world.clone().filter(|_| self.hints_at_requests()) else {
            return Ok(());
        };
        // A world that ended meanwhile has nothing that waits.
        let all: Vec<Waiting> = world.operator().read(waiting).await.unwrap_or_default();
        self.wait_for(all);
        Ok(())
    }

    const fn hints_at_requests(&self) -> bool {
        !matches!(self.hints, Hints::None) && !self.common.json
    }

    fn wait_for(&mut self, all: Vec<Waiting>) {
        match &self.hints {
            // Keys decide one request at a time, the oldest first.
            Hints::Keys(asked) => {
                self.due = all
                    .into_iter()
                    .take(1)
                    .filter(|one| !asked.is_ready(&one.name))
                    .collect()
            }
            Hints::Commands if !self.common.json => {
                let waits = |request: &RequestId| all.iter().any(|one| one.request == *request);
                self.hinted.retain(waits);
                self.due.extend(
                    all.into_iter()
                        .filter(|one| self.hinted.insert(one.request)),
                );
            }
            Hints::Commands | Hints::None => {}
        }
    }

    fn show_due(&mut self) -> Result<(), CliError> {
        if self.page.is_drafting() {
            return Ok(());
        }
        let (due, later) = std::mem::take(&mut self.due)
            .into_iter()
            .partition(|one| one.request.0 <= self.seen);
        self.due = later;
        let due: Vec<Waiting> = due;
        due.iter().try_for_each(|one| self.hint_at(one))
    }

    fn hint_at(&mut self, one: &Waiting) -> Result<(), CliError> {
        if let Hints::Keys(asked) = &self.hints {
            let again = (!asked.has_block(&one.name)).then(|| request::asked(one));
            let keys = request::keys(one).to_owned();
            return self.show(ChatLine::Keys {
                name: one.name.clone(),
                again,
                keys,
            });
        }
        self.show(ChatLine::Quiet(format!(
            "{} waits for a person; in another terminal:",
            one.name
        )))?;
        let commands = request::commands(&self.common, one, self.by.as_ref());
        commands
            .into_iter()
            .try_for_each(|line| self.show(ChatLine::ToType(line)))
    }

    /// Lets keys act at once that have been seen for long enough.
    fn wait_for_keys(&mut self) {
        let is_waited_for = self.page.screen.has_foot() && self.page.asked.is_new();
        self.keys_from = match self.keys_from.filter(|_| is_waited_for) {
            None if is_waited_for => Some(Instant::now() + SEEN_FIRST),
            keys_from => keys_from,
        };
    }

    /// Tells those who want to know that the log has been shown.
    fn sync(&mut self) {
        let is_drafting = self.page.is_drafting();
        let seen = self.seen;
        let is_shown = |sync: &mut (Position, oneshot::Sender<()>)| sync.0 <= seen && !is_drafting;
        for (_, done) in self.syncs.extract_if(.., is_shown) {
            // Whoever has gone away does not want to know any more.
            let _gone = done.send(());
        }
    }
}

/// Waits until then; for ever if that is never.
async fn until(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => std::future::pending().await,
    }
}

/// The next thing that goes on; waits for ever where nothing is listened to. Pieces that were missed
/// are in the log later.
async fn next(activity: &mut Option<ActivitySubscription>) -> Stir {
    while let Some(listening) = activity {
        match listening.recv().await {
            Ok(event) => {
                if let Some(stir) = Stir::of(event) {
                    return stir;
                }
            }
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => *activity = None,
        }
    }
    std::future::pending().await
}
