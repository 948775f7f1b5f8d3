//! Commits that are decided and folded, and not durable yet.
//!
//! The task goes on deciding while that needs nothing from outside, then appends all at once (decision 0041). Nobody sees
//! the state that ran ahead: only behind the append are items shown, askers answered and effects begun. An append that
//! fails stops the world.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Event, ModelAnswered, ModelFailed, TurnClosed, TurnEvent, WorldEvent};
use folkmoot_core::ids::{AgentName, Position};
use folkmoot_core::port::Appended;
use folkmoot_core::world::projection::FeedItem;

use super::WorldTask;
use super::halt::Halt;
use crate::bus::DraftEnding;
use crate::opening::Perform;

/// The most commits of one append.
const COMMITS_MAX: usize = 16;

/// The commits that are not durable yet, and what is to be told of each.
#[derive(Default)]
pub(super) struct Ahead {
    commits: Vec<Commit>,
    told: Vec<Told>,
}

/// The news of a commit for those who watch the room.
struct Told {
    first: Position,
    last: Position,
    /// The items of the feed; `None` if nobody followed.
    items: Option<Vec<FeedItem>>,
    /// The drafts that it ends.
    drafts: Vec<(AgentName, DraftEnding)>,
    /// True if it may change who has which rights.
    changes_access: bool,
}

impl Ahead {
    /// The commits, oldest first.
    pub(super) fn commits(&self) -> &[Commit] {
        &self.commits
    }

    fn push(&mut self, commit: Commit, items: Option<Vec<FeedItem>>) {
        self.told.push(Told {
            first: commit.header.first,
            last: commit.last(),
            items,
            drafts: commit.events.iter().filter_map(ended_draft).collect(),
            changes_access: commit.events.iter().any(changes_access),
        });
        self.commits.push(commit);
    }
}

impl WorldTask {
    /// Folds a commit, and appends it unless the task may go on first.
    pub(super) async fn run_ahead(&mut self, commit: Commit) -> Result<(), Halt> {
        let items = self.door.activity.tail().fold(&mut self.world, &commit);
        let is_last = commit.events.iter().any(changes_access);
        self.ahead.push(commit, items);
        if is_last || self.ahead.commits.len() >= COMMITS_MAX || !self.may_run_ahead() {
            self.flush().await?;
        }
        Ok(())
    }

    /// Tells whether the task may go on before it appends. A world that performs nothing has nothing to go on with; one
    /// that erases comes to its end step by step.
    fn may_run_ahead(&self) -> bool {
        self.door.perform != Perform::Nothing && !self.world.upkeep().is_erasing()
    }

    /// Appends what was decided, then tells it.
    pub(super) async fn flush(&mut self) -> Result<(), Halt> {
        if self.ahead.commits.is_empty() {
            return Ok(());
        }
        self.may_act()?;
        let Ahead { commits, told } = std::mem::take(&mut self.ahead);
        let appended = self
            .means
            .log
            .append(self.world.incarnation(), commits)
            .await;
        let Appended::Committed { .. } = appended? else {
            // The key was looked up before: another writer appended this commit (decision 0006).
            return Err(Halt::UnknownCommit);
        };
        // The world may have been lost meanwhile: the commits are there, and whoever has it now tells them.
        self.may_act()?;
        if told.iter().any(|told| told.changes_access) {
            self.door.tell_access(&self.world);
        }
        self.forget_derived().await?;
        self.flight.drop_unwanted(&self.world);
        let activity = self.bus.activity();
        for Told {
            first,
            last,
            items,
            drafts,
            ..
        } in told
        {
            for (agent, ending) in drafts {
                activity.end_draft(&agent, last, ending);
            }
            // Last: who reads the items must find rights and drafts as they are behind them.
            activity.tail().keep((first, last), items);
        }
        self.checkpoint().await;
        Ok(())
    }
}

/// The draft that an event brings to its end.
pub(super) fn ended_draft(event: &Event) -> Option<(AgentName, DraftEnding)> {
    if let Event::Turn(TurnEvent::ModelAnswered(ModelAnswered { agent, .. })) = event {
        Some((agent.clone(), DraftEnding::Whole))
    } else if let Event::Turn(TurnEvent::ModelFailed(ModelFailed { agent, .. }))
    | Event::Turn(TurnEvent::TurnClosed(TurnClosed { agent, .. })) = event
    {
        Some((agent.clone(), DraftEnding::Aborted))
    } else {
        None
    }
}

pub(super) fn changes_access(event: &Event) -> bool {
    matches!(
        event,
        Event::World(WorldEvent::RightsChanged(_)) | Event::World(WorldEvent::SpecRevised(_))
    )
}
