//! Questions that only read, and their answers. Never a network or tool call.

use folkmoot::core::event::EventKind;
use folkmoot::core::ids::{AgentName, Position, WorldName};
use folkmoot::core::port::causes::with_causes;
use folkmoot::core::port::{EventLog, Labels, ReadError, WorldEntry};
use folkmoot::core::world::World;
use folkmoot::{FoldError, Store, fold_world, fold_world_from};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exit::{CliError, INTEGRITY, USAGE};
use crate::nearest::or_those;
use crate::view::anchor::{AnchorQuery, anchors};
use crate::view::answer::ValueStream;
use crate::view::definition::{RevisionQuery, revision};
use crate::view::diff::{DiffQuery, diff};
use crate::view::event::EventView;
use crate::view::export::{ExportQuery, pieces};
use crate::view::life::{IdleQuery, idle};
use crate::view::prompt::prompt;
use crate::view::replay::{MemoryView, ReplayView};
use crate::view::rights::RightsView;
use crate::view::state_diff::{StateDiffQuery, state_diff};
use crate::view::transcript::{TranscriptQuery, transcript};
use crate::view::usage::UsageView;
use crate::view::verify::{VerifyQuery, verify};
use crate::view::waiting::{DoubtView, WaitingView};
use crate::view::why::{WhyQuery, why};
use crate::view::withholding::{WithheldQuery, withheld};
use crate::view::world::WorldView;
use folkmoot::run::{outdated_rules, standing};

/// The number of worlds that are listed at a time.
pub(crate) const PAGE: usize = 256;

/// A question that only reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Query {
    /// The worlds of the store, one after another.
    Worlds {
        /// Only those that have all of these labels.
        labels: Labels,
    },
    /// The worlds that nobody used for so long, one after another.
    Idle(IdleQuery),
    /// The worlds that were deleted, oldest first.
    Deleted,
    /// The requests that wait in a world, one after another.
    Approvals(WorldName),
    /// The calls that a crash left in doubt in a world, one after another.
    Doubts(WorldName),
    /// The grants of a world, which allow calls in advance, one after another.
    Grants(WorldName),
    /// The deny rules of a world that say nothing any more as they were written, one after another.
    OutdatedRules(WorldName),
    /// The rights in a world, one person after another.
    Rights(WorldName),
    /// The usage of models in a world and its cost, one row after another.
    Usage(WorldName),
    /// The events of a world, one after another.
    Log(LogQuery),
    /// The text that was kept from people, one event after another.
    Withheld(WithheldQuery),
    /// The state of a world.
    Replay(ReplayQuery),
    /// The differences of a world between two positions.
    StateDiff(StateDiffQuery),
    /// The causes of an event.
    Why(WhyQuery),
    /// The differences of two worlds.
    Diff(DiffQuery),
    /// A page of what people read of a world.
    Transcript(TranscriptQuery),
    /// The names of all worlds, one after another. None is read for it.
    Names,
    /// The checks of a world: that they begin, and at the end their report.
    Verify(VerifyQuery),
    /// A world written down, piece by piece.
    Export(ExportQuery),
    /// The changes that a script would make to a world's room.
    Revision(RevisionQuery),
    /// The heads of logs, and how far they have been signed, one world after another.
    Anchors(AnchorQuery),
}

/// A question for events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogQuery {
    /// The world.
    pub(crate) world: WorldName,
    /// From which on.
    pub(crate) from: Position,
    /// True if the answer waits for more events.
    pub(crate) follow: bool,
    /// Only this kind.
    pub(crate) kind: Option<String>,
    /// Only those about this agent.
    pub(crate) agent: Option<AgentName>,
}

/// A question for a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReplayQuery {
    /// The world.
    pub(crate) world: WorldName,
    /// At the end of the commit that holds this event; at the head if `None`.
    pub(crate) at: Option<Position>,
    /// Only this agent's memory.
    pub(crate) agent: Option<AgentName>,
    /// Only the request of the model call that began here.
    pub(crate) prompt: Option<Position>,
}

/// Answers a question.
pub(crate) async fn answer(store: &Store, query: &Query) -> Result<ValueStream, CliError> {
    let log: &dyn EventLog = store;
    match query {
        Query::Worlds { labels } => worlds(store, labels).await,
        Query::Idle(query) => ValueStream::values(&idle(store, query).await?),
        Query::Deleted => ValueStream::values(&store.deleted().await?),
        Query::Approvals(world) => {
            let world = fold_world(log, world, None).await?;
            ValueStream::values(&WaitingView::all(&world))
        }
        Query::Doubts(world) => {
            ValueStream::values(&DoubtView::all(&fold_world(log, world, None).await?))
        }
        Query::Grants(world) => {
            let world = fold_world(log, world, None).await?;
            ValueStream::values(&standing(&world))
        }
        Query::OutdatedRules(world) => {
            ValueStream::values(&outdated_rules(&fold_world(log, world, None).await?))
        }
        Query::Withheld(query) => withheld(log, query).await,
        Query::Rights(world) => {
            ValueStream::values(&RightsView::all(&fold_world(log, world, None).await?))
        }
        Query::Usage(world) => {
            ValueStream::values(&UsageView::all(&fold_world(log, world, None).await?))
        }
        Query::Log(query) => events(log, query).await,
        Query::StateDiff(query) => ValueStream::one(&state_diff(store, query).await?),
        Query::Why(query) => ValueStream::one(&why(log, query).await?),
        Query::Diff(query) => ValueStream::one(&diff(log, query).await?),
        Query::Transcript(query) => ValueStream::one(&transcript(log, query).await?),
        Query::Names => ValueStream::values(&names(log).await?),
        Query::Revision(query) => ValueStream::one(&revision(log, query).await?),
        Query::Verify(query) => verify(store, query).await,
        Query::Export(query) => pieces(log, query).await,
        Query::Anchors(query) => ValueStream::values(&anchors(log, store, query).await?),
        Query::Replay(query) => ValueStream::one(&replay(store, query).await?),
    }
}

/// The worlds of a store, and behind them what is said of those that are damaged.
async fn worlds(store: &Store, labels: &Labels) -> Result<ValueStream, CliError> {
    let mut all = Vec::new();
    let mut damaged = Vec::new();
    let mut after: Option<WorldName> = None;
    loop {
        let page = store.worlds(labels, after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.name.clone());
        for entry in &page {
            match fold_world(store, &entry.name, None).await {
                Ok(world) => all.push(WorldView::of(entry, &world)),
                Err(FoldError::Read(error @ ReadError::Damaged { .. })) => {
                    damaged.push(CliError::other(
                        INTEGRITY,
                        format!("{}: {}", entry.name, with_causes(&error)),
                    ));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    let survey = store.survey().map_or(&[][..], |survey| &survey.worlds);
    if store.survey().is_some() && survey.is_empty() {
        damaged.push(CliError::other(
            INTEGRITY,
            "nothing of the store tells which worlds it had",
        ));
    }
    damaged.extend(
        survey
            .iter()
            .filter(|world| world.kept == Position::ZERO)
            .map(|world| {
                let name = world
                    .name
                    .as_ref()
                    .map_or_else(|| world.world.to_string(), ToString::to_string);
                CliError::other(INTEGRITY, format!("{name}: no event of it is whole"))
            }),
    );
    let damaged = stream::iter(damaged.into_iter().map(Err));
    Ok(ValueStream::of(ValueStream::values(&all)?.chain(damaged)))
}

/// The names of all worlds.
pub(crate) async fn names(log: &dyn EventLog) -> Result<Vec<WorldName>, CliError> {
    let mut all: Vec<WorldName> = Vec::new();
    loop {
        let page = log.worlds(&Labels::new(), all.last(), PAGE).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page.into_iter().map(|entry| entry.name));
    }
}

/// The world called `world`.
pub(crate) async fn entry(log: &dyn EventLog, world: &WorldName) -> Result<WorldEntry, CliError> {
    let entry = log.find(world).await?;
    Ok(entry.ok_or_else(|| FoldError::NoSuchWorld(world.clone()))?)
}

async fn events(log: &dyn EventLog, query: &LogQuery) -> Result<ValueStream, CliError> {
    let kind = query.kind.as_deref().map(kind).transpose()?;
    let agent = query.agent.clone();
    if let Some(agent) = &agent {
        check_agent(log, &query.world, agent).await?;
    }
    let id = entry(log, &query.world).await?.world;
    let from = query.from.max(Position::new(1));
    let commits = if query.follow {
        log.subscribe(id, from).await?
    } else {
        log.read(id, from).await?
    };
    let is_wanted = move |event: &EventView| {
        event.position >= from
            && kind.is_none_or(|kind| event.kind == kind.name())
            && agent
                .as_ref()
                .is_none_or(|agent| event.agent() == Some(agent.as_str()))
    };
    let of_commit = move |stored: Result<folkmoot::core::port::StoredCommit, _>| -> Vec<Result<Value, CliError>> {
        let events = stored.map_err(CliError::from).and_then(|stored| EventView::with_gists(&stored.commit));
        match events {
            Ok(events) => {
                let wanted = events.into_iter().filter(|event| is_wanted(event));
                wanted.map(|event| serde_json::to_value(event).map_err(CliError::json)).collect()
            }
            Err(error) => vec![Err(error)],
        }
    };
    let events = commits.flat_map(move |stored| stream::iter(of_commit(stored)));
    Ok(ValueStream::of(events))
}

/// The kind of event that `name` means: `ToolStarted`, `toolstarted` and `tool_started` are one.
fn kind(name: &str) -> Result<EventKind, CliError> {
    let folded = |name: &str| name.replace('_', "").to_lowercase();
    let wanted = folded(name);
    let found = EventKind::ALL
        .iter()
        .find(|(kind, _)| folded(kind.name()) == wanted);
    found.map(|(kind, _)| *kind).ok_or_else(|| {
        let all: Vec<&str> = EventKind::ALL.iter().map(|(kind, _)| kind.name()).collect();
        let near = or_those(name, &all);
        CliError::other(USAGE, format!("there is no kind of event `{name}`{near}"))
    })
}

async fn replay(store: &Store, query: &ReplayQuery) -> Result<Value, CliError> {
    if let Some(call) = query.prompt {
        let prompt = prompt(store, &query.world, call).await?;
        return serde_json::to_value(prompt).map_err(CliError::json);
    }
    let world = fold_world_from(store, store, &query.world, query.at).await?;
    let Some(agent) = &query.agent else {
        return serde_json::to_value(ReplayView::of(&world)).map_err(CliError::json);
    };
    let memory = world.memory(agent).ok_or_else(|| no_agent(&world, agent))?;
    serde_json::to_value(MemoryView::of(&world, agent, memory)).map_err(CliError::json)
}

fn no_agent(world: &World, agent: &AgentName) -> CliError {
    let agents = &world.rules().spec().agents;
    let all: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    let near = or_those(agent.as_str(), &all);
    CliError::other(
        USAGE,
        format!("there is no agent {agent} in this world{near}"),
    )
}

/// Refuses the name of an agent that the world never had.
pub(crate) async fn check_agent(
    log: &dyn EventLog,
    world: &WorldName,
    agent: &AgentName,
) -> Result<(), CliError> {
    let folded = fold_world(log, world, None).await?;
    let roster = &folded.rules().spec().agents;
    if roster.iter().any(|known| known.name == *agent) {
        return Ok(());
    }
    // A revision may have taken the agent out of the room.
    let id = entry(log, world).await?.world;
    let mut commits = log.read(id, Position::new(1)).await?;
    while let Some(stored) = commits.try_next().await? {
        let mut events = EventView::of(&stored.commit)?.into_iter();
        if events.any(|event| event.agent() == Some(agent.as_str())) {
            return Ok(());
        }
    }
    Err(no_agent(&folded, agent))
}
