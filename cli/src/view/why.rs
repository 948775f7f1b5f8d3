//! Causes of an event, back to what people did, and what a verdict was based on.

use folkmoot::core::audit::why::{
    Asked, PersonDecision, Slice, SliceNode, TurnStory, Verdicts, message_of, request_of,
    routing_of, turn_of,
};
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{
    Author, CallEvent, Event, RoutingReason, TalkEvent, TurnEvent, WorldEvent,
};
use folkmoot::core::ids::{AgentName, Position, WorldId, WorldName};
use folkmoot::core::port::EventLog;
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use crate::exit::{CliError, INTEGRITY, USAGE};
use crate::view::event::EventView;
use crate::view::query::entry;
use crate::view::{forbidden, gist};

/// The most events of a slice. One turn adds fewer than ten, so a slice this long goes through a
/// hundred turns.
const LINKS_MAX: usize = 1_000;
/// The number of commits that are read at a time on the way back.
const PAGE: usize = 32;

/// A question for the causes of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WhyQuery {
    /// The world.
    pub(crate) world: WorldName,
    /// The event.
    pub(crate) at: Position,
}

/// The causes of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WhyView {
    /// The world.
    pub(crate) world: WorldName,
    /// The event.
    pub(crate) at: Position,
    /// The first and the last event of its commit.
    pub(crate) commit: (Position, Position),
    /// The verdicts on the message that it posts, edits or routes; `null` if there is no such
    /// message.
    pub(crate) routing: Option<Verdicts>,
    /// The turn that it belongs to.
    pub(crate) turn: Option<WhyTurnView>,
    /// The request for permission that it opens or decides.
    pub(crate) approval: Option<WhyApprovalView>,
    /// The rule that forbids the call, if the event is the end of a call that one forbids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) forbidden: Option<String>,
    /// The event and all that it would not have happened without, newest first.
    pub(crate) nodes: Vec<NodeView>,
    /// True if older events are left out.
    pub(crate) is_cut: bool,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WhyTurnView {
    /// The story of the turn: what it took up, did, and how it ended.
    pub(crate) story: TurnStory,
    /// The messages that woke the agent, oldest first.
    pub(crate) woken_by: Vec<WakeView>,
}

/// A message that woke an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WakeView {
    /// The message.
    pub(crate) message: Position,
    /// The author; `null` if that is not known.
    pub(crate) from: Option<Author>,
    /// The reason for which the agent was to answer it; `null` if it is not recorded there.
    pub(crate) reason: Option<RoutingReason>,
}

/// A request for permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WhyApprovalView {
    /// The request, as it was recorded.
    pub(crate) asked: Asked,
    /// The decision, if the event is that; else `null`.
    pub(crate) decision: Option<PersonDecision>,
}

/// An event of the slice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NodeView {
    /// The event, and its causes.
    #[serde(flatten)]
    pub(crate) node: SliceNode,
    /// For an agent that was woken: by which messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) woken_by: Vec<WakeView>,
    /// The name of whoever acts in it. Not part of `--json`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) actor: String,
    /// A line for people. Not part of `--json`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) gist: String,
}

/// Reads why an event is there. The log is read by position; only the roster of a message takes a
/// look at what is before it.
pub(crate) async fn why(log: &dyn EventLog, query: &WhyQuery) -> Result<WhyView, CliError> {
    let entry = entry(log, &query.world).await?;
    let at = query.at;
    let head = entry.head;
    if at == Position::ZERO || at > head {
        let what = format!(
            "there is no event {at} in the world {}: its events are 1 to {head}",
            query.world
        );
        return Err(CliError::other(USAGE, what));
    }
    let reader = CauseReader {
        log,
        world: entry.world,
    };
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

/// Reads a world's commits.
struct CauseReader<'a> {
    log: &'a dyn EventLog,
    world: WorldId,
}

impl CauseReader<'_> {
    /// The commit that holds `at`.
    async fn commit(&self, at: Position) -> Result<Commit, CliError> {
        let mut commits = self.log.read(self.world, at).await?;
        let found = commits.try_next().await?.map(|stored| stored.commit);
        let holds = |commit: &Commit| commit.header.first <= at && at <= commit.last();
        found.filter(holds).ok_or_else(|| {
            CliError::other(INTEGRITY, format!("no commit of the log holds event {at}"))
        })
    }

    async fn slice(&self, at: Position) -> Result<(Vec<NodeView>, bool), CliError> {
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
    async fn back_to(&self, at: Position, page: &mut Vec<Commit>) -> Result<Commit, CliError> {
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
        let missing =
            || CliError::other(INTEGRITY, format!("no commit of the log holds event {at}"));
        page.iter()
            .find(|commit| holds(commit))
            .cloned()
            .ok_or_else(missing)
    }

    async fn node(&self, node: SliceNode, commit: &Commit) -> Result<NodeView, CliError> {
        let event = commit
            .numbered()
            .find(|(here, _)| *here == node.at)
            .map(|(_, event)| event);
        let woken_by = match event.and_then(woken) {
            Some((agent, news)) => self.wakes(agent, news).await?,
            None => Vec::new(),
        };
        let (actor, gist) = said(commit, node.at)?;
        Ok(NodeView {
            node,
            woken_by,
            actor,
            gist,
        })
    }

    async fn wakes(&self, agent: &AgentName, news: &[Position]) -> Result<Vec<WakeView>, CliError> {
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

    async fn routing(&self, commit: &Commit, at: Position) -> Result<Option<Verdicts>, CliError> {
        if message_of(commit, at).is_none() {
            return Ok(None);
        }
        let roster = self.roster(at).await?;
        Ok(Verdicts::of(commit, at, roster.iter()))
    }

    /// The agents of the room when the event at `at` was recorded.
    async fn roster(&self, at: Position) -> Result<Vec<AgentName>, CliError> {
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

    async fn turn(&self, commit: &Commit, at: Position) -> Result<Option<WhyTurnView>, CliError> {
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
    ) -> Result<Option<WhyApprovalView>, CliError> {
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

/// Returns the name of whoever acts in the event at `at`, and what happens in it, for people.
fn said(commit: &Commit, at: Position) -> Result<(String, String), CliError> {
    let actor = EventView::of(commit)?
        .into_iter()
        .find(|view| view.position == at)
        .map(|view| view.actor());
    let gist = commit
        .numbered()
        .find(|(here, _)| *here == at)
        .map(|(_, event)| gist::of(event, commit));
    Ok((actor.unwrap_or_default(), gist.unwrap_or_default()))
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
