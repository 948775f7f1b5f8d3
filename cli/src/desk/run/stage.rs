//! The stage of a play: what happens there, as news for a terminal.

use std::collections::VecDeque;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{Position, WorldName};
use folkmoot::core::port::CommitStream;
use folkmoot::core::world::{Activity, World};
use folkmoot::run::waiting;
use folkmoot::script::Script;
use folkmoot::view::event::EventView;
use folkmoot::{ActivityEvent, ActivitySubscription, Proof, Runtime, WorldHandle};
use futures::StreamExt as _;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::{PlayNews, Stage, ToldFault};
use crate::exit::{CliError, FAILED};
use crate::play::account::Account;
use crate::play::{PlayForm, PlayWish, Relay, play};
use crate::show::chat::Chat;
use crate::show::news::{ShownCommit, Stir};
use crate::show::stage::{Cues, Hints, StageNews};

/// A play under way.
pub(super) struct PlayStage {
    runtime: Runtime,
    /// The words for what happens.
    chat: Chat,
    /// True if what happens is told as JSON.
    is_json: bool,
    /// The world; `None` until it is opened.
    world: Option<WorldHandle>,
    /// What the play says.
    told: mpsc::Receiver<StageNews>,
    /// What is recorded.
    commits: CommitStream,
    /// What goes on; `None` until the world is opened.
    activity: Option<ActivitySubscription>,
    /// The last event that was told.
    seen: Position,
    /// True if the commands that decide requests are shown.
    hints: bool,
    /// The positions up to which the log is to be told, with those who wait for that.
    syncs: Vec<(Position, oneshot::Sender<()>)>,
    /// The play itself, which ends with this.
    playing: JoinSet<(Result<Account, CliError>, Position)>,
    /// The end, and the event behind which it is told; `None` while it plays.
    end: Option<(Result<PlayNews, CliError>, Position)>,
    /// News that are to be told.
    ready: VecDeque<PlayNews>,
    /// True once the end was told.
    is_over: bool,
    _stage: Stage,
}

impl PlayStage {
    /// Begins to play `script` in the world `name`, which stands as `before`.
    pub(super) fn begin(
        runtime: &Runtime,
        script: Script,
        wish: &PlayWish,
        name: &WorldName,
        proof: Proof,
        before: &World,
        stage: Stage,
    ) -> Self {
        let mut chat = Chat::new(name.as_str(), before, Some(&script));
        if let PlayForm::Lines(program) = &wish.shows {
            chat.program.clone_from(program);
        }
        let (cues, told) = Cues::to_another();
        let mut playing = JoinSet::new();
        playing.spawn(perform(
            runtime.clone(),
            script,
            wish.clone(),
            name.clone(),
            proof,
            cues,
        ));
        Self {
            runtime: runtime.clone(),
            chat,
            is_json: wish.shows == PlayForm::Json,
            world: None,
            told,
            commits: futures::stream::pending().boxed(),
            activity: None,
            seen: before.head(),
            hints: false,
            syncs: Vec::new(),
            playing,
            end: None,
            ready: VecDeque::new(),
            is_over: false,
            _stage: stage,
        }
    }

    /// Returns what is new; `None` behind the end.
    pub(super) async fn next(&mut self) -> Result<Option<PlayNews>, CliError> {
        loop {
            if let Some(news) = self.ready.pop_front() {
                return Ok(Some(news));
            }
            if self.is_over {
                return Ok(None);
            }
            if let Some((end, _)) = self.end.take_if(|(_, at)| *at <= self.seen) {
                self.is_over = true;
                return end.map(Some);
            }
            tokio::select! {
                biased;
                Some(told) = self.told.recv() => self.take(told).await?,
                Some(stored) = self.commits.next() => self.commit(&stored?.commit)?,
                event = next(&mut self.activity) => self.stir(event).await,
                Some(ended) = self.playing.join_next() => {
                    let broken = |error| CliError::other(FAILED, format!("the play ended: {error}"));
                    let (account, head) = ended.map_err(broken)?;
                    // A world that could not be opened has nothing more to tell.
                    let at = if self.world.is_some() { head } else { self.seen };
                    self.end = Some((told(account), at));
                }
            }
        }
    }

    async fn take(&mut self, told: StageNews) -> Result<(), CliError> {
        match told {
            StageNews::Opened(world, activity) => {
                if self.world.is_none() {
                    let log = self.runtime.log();
                    let entry = log.find(world.name()).await?;
                    let entry = entry
                        .ok_or_else(|| CliError::other(FAILED, "the world is not in the store"))?;
                    self.commits = log.subscribe(entry.world, self.seen.next()).await?;
                }
                self.world = Some(*world);
                self.activity = Some(activity);
            }
            StageNews::Show(line) => self.ready.push_back(PlayNews::Shown(line)),
            StageNews::Hints(hints) => {
                self.hints = matches!(hints, Hints::Commands);
                let commands = self.hints;
                self.ready.push_back(PlayNews::Hints { commands });
                self.tell_what_waits().await;
            }
            StageNews::Sync(at, done) => {
                self.syncs.push((at, done));
                self.sync();
            }
            // A play says nothing else.
            StageNews::Waits(_)
            | StageNews::Commit(_)
            | StageNews::Events(..)
            | StageNews::Stir(_)
            | StageNews::Typed(_)
            | StageNews::Redraw { .. }
            | StageNews::Finish(_) => {}
        }
        Ok(())
    }

    fn commit(&mut self, commit: &Commit) -> Result<(), CliError> {
        let last = commit.last();
        self.ready.push_back(if self.is_json {
            let events = EventView::of(commit)?;
            let events = events.iter().map(serde_json::to_string);
            let events = events.collect::<Result<_, _>>().map_err(CliError::json)?;
            PlayNews::Events { events, last }
        } else {
            PlayNews::Commit(ShownCommit::of(commit, self.chat.take(commit)))
        });
        self.seen = last;
        self.sync();
        Ok(())
    }

    async fn stir(&mut self, event: ActivityEvent) {
        let Some(stir) = Stir::of(event) else { return };
        let is_parked = stir == Stir::Room(Activity::Parked);
        self.ready.push_back(PlayNews::Stir(stir));
        if is_parked {
            self.tell_what_waits().await;
        }
    }

    async fn tell_what_waits(&mut self) {
        if let Some(world) = self.world.as_ref().filter(|_| self.hints) {
            // A world that ended meanwhile has nothing that waits.
            let all = world.operator().read(waiting).await.unwrap_or_default();
            self.ready.push_back(PlayNews::Waits(all));
        }
    }

    /// Tells those who want to know that the log has been told.
    fn sync(&mut self) {
        let seen = self.seen;
        for (_, done) in self.syncs.extract_if(.., |sync| sync.0 <= seen) {
            // Whoever has gone away does not want to know any more.
            let _gone = done.send(());
        }
    }
}

/// Plays the script; gives the account of it, and the last event that its world has then.
async fn perform(
    runtime: Runtime,
    script: Script,
    wish: PlayWish,
    name: WorldName,
    proof: Proof,
    cues: Cues,
) -> (Result<Account, CliError>, Position) {
    let options = wish.options(name.clone(), Some(proof));
    let mut relay = Relay::new(cues, &wish, &runtime, &script, &name);
    let outcome = Box::pin(play(&runtime, &script, &options, &mut relay)).await;
    let account = Account::of(&runtime, &script, &name, outcome).await;
    let entry = runtime.log().find(&name).await.ok().flatten();
    (account, entry.map_or(Position::ZERO, |entry| entry.head))
}

/// The news that the play ended so.
fn told(account: Result<Account, CliError>) -> Result<PlayNews, CliError> {
    match account {
        Ok(account) => Ok(PlayNews::Ended(Box::new(account))),
        Err(error) => ToldFault::of(error).map(PlayNews::Failed),
    }
}

/// The next thing that goes on; waits for ever where nothing is listened to.
async fn next(activity: &mut Option<ActivitySubscription>) -> ActivityEvent {
    while let Some(listening) = activity {
        match listening.recv().await {
            Ok(event) => return event,
            // Pieces that were missed are in the log later.
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => *activity = None,
        }
    }
    std::future::pending().await
}
