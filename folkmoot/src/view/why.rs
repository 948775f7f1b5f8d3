//! Causes of an event, back to what people did, and what a verdict was based on.

use folkmoot_core::audit::why::{
    Asked, PersonDecision, Slice, SliceNode, TurnStory, Verdicts, message_of, request_of,
    routing_of, turn_of,
};
use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{
    Author, CallEvent, Event, NoticePosted, RoutingReason, TalkEvent, TurnEvent, WorldEvent,
};
use folkmoot_core::ids::{AgentName, Position, WorldId, WorldName};
use folkmoot_core::port::EventLog;
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use super::ViewError;
use super::event::EventView;
use super::world::entry;
use super::{forbidden, gist};

/// The most events of a slice. One turn adds fewer than ten, so a slice this long goes through a
/// hundred turns.
const LINKS_MAX: usize = 1_000;
/// The number of commits that are read at a time on the way back.
const PAGE: usize = 32;

/// A question for the causes of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhyQuery {
    /// The world.
    pub world: WorldName,
    /// The event.
    pub at: Position,
}

/// The causes of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhyView {
    /// The world.
    pub world: WorldName,
    /// The event.
    pub at: Position,
    /// The first and the last event of its commit.
    pub commit: (Position, Position),
    /// The verdicts on the message that it posts, edits or routes; `null` if there is no such
    /// message.
    pub routing: Option<Verdicts>,
    /// The turn that it belongs to.
    pub turn: Option<WhyTurnView>,
    /// The request for permission that it opens or decides.
    pub approval: Option<WhyApprovalView>,
    /// The rule that forbids the call, if the event is the end of a call that one forbids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbidden: Option<String>,
    /// The event and all that it would not have happened without, newest first.
    pub nodes: Vec<NodeView>,
    /// True if older events are left out.
    pub is_cut: bool,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhyTurnView {
    /// The story of the turn: what it took up, did, and how it ended.
    pub story: TurnStory,
    /// The messages that woke the agent, oldest first.
    pub woken_by: Vec<WakeView>,
}

/// A message that woke an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeView {
    /// The message.
    pub message: Position,
    /// The author; `null` if that is not known.
    pub from: Option<Author>,
    /// The reason for which the agent was to answer it; `null` if it is not recorded there.
    pub reason: Option<RoutingReason>,
}

/// A request for permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhyApprovalView {
    /// The request, as it was recorded.
    pub asked: Asked,
    /// The decision, if the event is that; else `null`.
    pub decision: Option<PersonDecision>,
}

/// An event of the slice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeView {
    /// The event, and its causes.
    #[serde(flatten)]
    pub node: SliceNode,
    /// For an agent that was woken: by which messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub woken_by: Vec<WakeView>,
    /// The name of whoever acts in it. Not part of `--json`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// A line for people. Not part of `--json`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gist: String,
}

/// Reads why an event is there. The log is read by position; only the roster of a message takes a
/// look at what is before it.
///
/// # Errors
/// [`ViewError::NoSuchEvent`], [`ViewError::NoCommit`], [`ViewError::Fold`], and that an event has
/// no record ([`ViewError::Event`], [`ViewError::Json`]).
pub async fn why(log: &dyn EventLog, query: &WhyQuery) -> Result<WhyView, ViewError> {
    told(log, query, Audience::Operators).await
}

/// Does the same, in no words but those that people read in the room: nothing that was withheld from
/// them, nothing of what models and tools gave but what was shown, and nothing of messages that are
/// gone.
///
/// # Errors
/// Those of [`why`].
pub async fn why_for_people(log: &dyn EventLog, query: &WhyQuery) -> Result<WhyView, ViewError> {
    told(log, query, Audience::People).await
}

async fn told(
    log: &dyn EventLog,
    query: &WhyQuery,
    audience: Audience,
) -> Result<WhyView, ViewError> {
    let at = query.at;
    let reader = CauseReader::of(log, &query.world, at, audience).await?;
    let commit = reader.commit(at).await?;
    let (nodes, is_cut) = reader.slice(at).await?;
    Ok(WhyView {
        world: query.world.clone(),
        at,
        commit: (commit.header.first, commit.last()),
        routing: reader.routing(&commit, at).await?,
        turn: reader.turn(&commit, at).await?,
        approval: reader.approval(&commit, at).await?,
        forbidden: forbidden::by_which(log, &query.world, &commit, at).await?,
        nodes,
        is_cut,
    })
}

/// Who reads the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// Whoever may read the log.
    Operators,
    /// Whoever may read the room.
    People,
}

/// Reads the verdicts on the message that the event at `at` posts, edits or routes, in no words
/// but those that people read;
/// `None` if it does none of it.
pub(super) async fn verdicts(
    log: &dyn EventLog,
    world: &WorldName,
    at: Position,
) -> Result<Option<Verdicts>, ViewError> {
    let reader = CauseReader::of(log, world, at, Audience::People).await?;
    let commit = reader.commit(at).await?;
    reader.routing(&commit, at).await
}

/// Reads a world's commits.
struct CauseReader<'a> {
    log: &'a dyn EventLog,
    world: WorldId,
    audience: Audience,
}

impl<'a> CauseReader<'a> {
    /// A reader of the world called `name`, which has an event at `at`.
    async fn of(
        log: &'a dyn EventLog,
        name: &WorldName,
        at: Position,
        audience: Audience,
    ) -> Result<Self, ViewError> {
        let entry = entry(log, name).await?;
        let head = entry.head;
        if at == Position::ZERO || at > head {
            let world = name.clone();
            return Err(ViewError::NoSuchEvent { world, at, head });
        }
        Ok(Self {
            log,
            world: entry.world,
            audience,
        })
    }

    /// The commit that holds `at`.
    async fn commit(&self, at: Position) -> Result<Commit, ViewError> {
        let mut commits = self.log.read(self.world, at).await?;
        let found = commits.try_next().await?.map(|stored| stored.commit);
        let holds = |commit: &Commit| commit.header.first <= at && at <= commit.last();
        found.filter(holds).ok_or(ViewError::NoCommit(at))
    }

    async fn slice(&self, at: Position) -> Result<(Vec<NodeView>, bool), ViewError> {
        let mut slice = Slice::of(at, LINKS_MAX);
        let mut page = Vec::new();
        while let Some(needed) = slice.needs() {
            slice.take(&self.back_to(needed, &mut page).await?);
        }
        let (nodes, is_cut) = slice.finish();
        let mut views = Vec::new();
        for node in nodes {
            let commit = self.back_to(node.at, &mut page).await?;
            views.push(self.node(node, &commit).await?);
        }
        Ok((views, is_cut))
    }

    /// The commit that holds `at`, from `page` if it is there: commits from some place on back,
    /// newest first.
    async fn back_to(&self, at: Position, page: &mut Vec<Commit>) -> Result<Commit, ViewError> {
        let holds = |commit: &Commit| commit.header.first <= at && at <= commit.last();
        if !page.iter().any(holds) {
            let newest = self.commit(at).await?;
            let older = self
                .log
                .read_back(self.world, newest.header.first, PAGE)
                .await?;
            *page = [newest]
                .into_iter()
                .chain(older.into_iter().map(|stored| stored.commit))
                .collect();
        }
        page.iter()
            .find(|commit| holds(commit))
            .cloned()
            .ok_or(ViewError::NoCommit(at))
    }

    async fn node(&self, node: SliceNode, commit: &Commit) -> Result<NodeView, ViewError> {
        let event = commit
            .numbered()
            .find(|(here, _)| *here == node.at)
            .map(|(_, event)| event);
        let woken_by = match event.and_then(woken) {
            Some((agent, news)) => self.wakes(agent, news).await?,
            None => Vec::new(),
        };
        let gist = match event {
            Some(event) => self.gist(event, commit).await?,
            None => String::new(),
        };
        Ok(NodeView {
            actor: actor(commit, node.at)?,
            node,
            woken_by,
            gist,
        })
    }

    /// Tells what happens in an event, in the words that the audience may read.
    async fn gist(&self, event: &Event, commit: &Commit) -> Result<String, ViewError> {
        match self.audience {
            Audience::Operators => Ok(gist::of(event, commit)),
            Audience::People => {
                let about = NoticePosted::of_event(event).and_then(|told| told.notice.message());
                let first = about.map_or(commit.header.first, |at| at.min(commit.header.first));
                let gone = self.log.gone(self.world, first, commit.last().next());
                let gone = gone.await?.into_iter().collect();
                Ok(gist::for_people(event, commit, &gone))
            }
        }
    }

    async fn is_gone(&self, message: Position) -> Result<bool, ViewError> {
        let gone = self.log.gone(self.world, message, message.next()).await?;
        Ok(gone.contains(&message))
    }

    async fn wakes(
        &self,
        agent: &AgentName,
        news: &[Position],
    ) -> Result<Vec<WakeView>, ViewError> {
        let mut wakes = Vec::new();
        for message in news {
            let commit = self.commit(*message).await?;
            let respond = routing_of(&commit, *message)
                .map(|routed| routed.respond.as_slice())
                .unwrap_or_default();
            let reason = respond
                .iter()
                .find(|(name, _)| name == agent)
                .map(|(_, reason)| *reason);
            let from = commit
                .numbered()
                .find(|(at, _)| at == message)
                .and_then(|(_, event)| author(event));
            wakes.push(WakeView {
                message: *message,
                from,
                reason,
            });
        }
        Ok(wakes)
    }

    async fn routing(&self, commit: &Commit, at: Position) -> Result<Option<Verdicts>, ViewError> {
        if message_of(commit, at).is_none() {
            return Ok(None);
        }
        let roster = self.roster(at).await?;
        let mut verdicts = Verdicts::of(commit, at, roster.iter());
        if let Some(verdicts) = &mut verdicts
            && self.audience == Audience::People
            && self.is_gone(verdicts.message).await?
        {
            // They are words of the message.
            verdicts.unknown.clear();
            verdicts.nearest.clear();
        }
        Ok(verdicts)
    }

    /// The agents of the room when the event at `at` was recorded.
    async fn roster(&self, at: Position) -> Result<Vec<AgentName>, ViewError> {
        let mut commits = self.log.read(self.world, Position::new(1)).await?;
        let mut agents = Vec::new();
        while let Some(stored) = commits.try_next().await? {
            if stored.commit.header.first > at {
                break;
            }
            for event in &stored.commit.events {
                let spec = if let Event::World(WorldEvent::WorldOpened(opened)) = event {
                    &opened.spec
                } else if let Event::World(WorldEvent::SpecRevised(revised)) = event {
                    &revised.spec
                } else {
                    continue;
                };
                agents = spec.agents.iter().map(|agent| agent.name.clone()).collect();
            }
        }
        Ok(agents)
    }

    async fn turn(&self, commit: &Commit, at: Position) -> Result<Option<WhyTurnView>, ViewError> {
        let event = commit.numbered().find(|(here, _)| *here == at);
        let Some(turn) = event.and_then(|(at, event)| turn_of(at, event)) else {
            return Ok(None);
        };
        let mut commits = self.log.read(self.world, turn.0).await?;
        let first = commits.try_next().await?;
        let Some(mut story) = first.and_then(|stored| TurnStory::begin(&stored.commit, turn))
        else {
            return Ok(None);
        };
        while story.end.is_none()
            && let Some(stored) = commits.try_next().await?
        {
            story.take(&stored.commit);
        }
        let woken_by = self.wakes(&story.agent, &story.news).await?;
        Ok(Some(WhyTurnView { story, woken_by }))
    }

    async fn approval(
        &self,
        commit: &Commit,
        at: Position,
    ) -> Result<Option<WhyApprovalView>, ViewError> {
        let Some((_, event)) = commit.numbered().find(|(here, _)| *here == at) else {
            return Ok(None);
        };
        let Some(request) = request_of(at, event) else {
            return Ok(None);
        };
        let asked = Asked::of(&self.commit(request.0).await?, request);
        let decision = if let Event::Call(CallEvent::ApprovalDecided(decided)) = event {
            Some(PersonDecision::from((at, decided)))
        } else {
            None
        };
        Ok(asked.map(|asked| WhyApprovalView { asked, decision }))
    }
}

/// The agent that an event is about to be woken, with its news.
fn woken(event: &Event) -> Option<(&AgentName, &[Position])> {
    if let Event::Turn(TurnEvent::TurnOpened(opened)) = event {
        return Some((&opened.agent, &opened.news));
    }
    if let Event::Turn(TurnEvent::TurnDeclined(declined)) = event {
        Some((&declined.agent, &declined.news))
    } else {
        None
    }
}

/// Returns the name of whoever acts in the event at `at`.
fn actor(commit: &Commit, at: Position) -> Result<String, ViewError> {
    let mut views = EventView::of(commit)?.into_iter();
    let view = views.find(|view| view.position == at);
    Ok(view.map(|view| view.actor()).unwrap_or_default())
}

/// Returns the author of an event's message.
fn author(event: &Event) -> Option<Author> {
    if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
        return Some(posted.author.clone());
    }
    if let Event::Talk(TalkEvent::MessageEdited(edited)) = event {
        Some(edited.author.clone())
    } else {
        None
    }
}
