//! Questions that only read, and their answers. Never a network or tool call.

use std::path::PathBuf;

use folkmoot::core::ids::{AgentName, Position, WorldName};
use folkmoot::core::port::{Clock as _, EventLog, Labels};
use folkmoot::export::{ExportFormat, Integrity, export};
use folkmoot::run::{outdated_rules, standing};
use folkmoot::script::Script;
use folkmoot::view::anchor::{AnchorQuery, anchors};
use folkmoot::view::definition::revision;
use folkmoot::view::diff::{DiffQuery, diff};
use folkmoot::view::event::{LogQuery, events};
use folkmoot::view::life::{IdleQuery, idle};
use folkmoot::view::prompt::prompt;
use folkmoot::view::replay::{memory, state};
use folkmoot::view::rights::RightsView;
use folkmoot::view::state_diff::{StateDiffQuery, state_diff};
use folkmoot::view::transcript::{TranscriptQuery, transcript};
use folkmoot::view::usage::UsageView;
use folkmoot::view::verify::{VerifyQuery, verify};
use folkmoot::view::waiting::{DoubtView, WaitingView};
use folkmoot::view::why::{WhyQuery, why};
use folkmoot::view::withholding::{WithheldQuery, withheld};
use folkmoot::view::world::{names, worlds};
use folkmoot::{Store, SystemClock, fold_world};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exit::CliError;
use crate::view::answer::ValueStream;

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

/// A question for an export: of which world, and in which form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExportQuery {
    /// The world.
    pub(crate) world: WorldName,
    /// The form.
    pub(crate) format: ExportFormat,
    /// The knowledge about the log's integrity.
    #[serde(default)]
    pub(crate) integrity: Integrity,
}

/// A script that is held against a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RevisionQuery {
    /// The world.
    pub(crate) world: WorldName,
    /// The script's file.
    pub(crate) script: PathBuf,
}

/// Answers a question.
pub(crate) async fn answer(store: &Store, query: &Query) -> Result<ValueStream, CliError> {
    let log: &dyn EventLog = store;
    let folded = async |world: &WorldName| fold_world(log, world, None).await;
    let now = SystemClock.now();
    match query {
        Query::Worlds { labels } => {
            let list = worlds(store, labels).await?;
            let damaged = list.damaged.into_iter().map(|error| Err(error.into()));
            let worlds = ValueStream::values(&list.worlds)?;
            Ok(ValueStream::of(worlds.chain(stream::iter(damaged))))
        }
        Query::Idle(query) => ValueStream::values(&idle(store, query).await?),
        Query::Deleted => ValueStream::values(&store.deleted().await?),
        Query::Approvals(world) => {
            ValueStream::values(&WaitingView::all(&folded(world).await?, now))
        }
        Query::Doubts(world) => ValueStream::values(&DoubtView::all(&folded(world).await?, now)),
        Query::Grants(world) => ValueStream::values(&standing(&folded(world).await?)),
        Query::OutdatedRules(world) => ValueStream::values(&outdated_rules(&folded(world).await?)),
        Query::Withheld(query) => ValueStream::values(&withheld(log, query).await?),
        Query::Rights(world) => ValueStream::values(&RightsView::all(&folded(world).await?)),
        Query::Usage(world) => ValueStream::values(&UsageView::all(&folded(world).await?)),
        Query::Log(query) => Ok(ValueStream::each(events(log, query).await?)),
        Query::StateDiff(query) => ValueStream::one(&state_diff(store, query).await?),
        Query::Why(query) => ValueStream::one(&why(log, query).await?),
        Query::Diff(query) => ValueStream::one(&diff(log, query).await?),
        Query::Transcript(query) => ValueStream::one(&transcript(log, query).await?),
        Query::Names => ValueStream::values(&names(log).await?),
        Query::Revision(query) => {
            let script = Script::load(&query.script)?;
            ValueStream::one(&revision(log, &query.world, &script).await?)
        }
        Query::Verify(query) => Ok(ValueStream::each(verify(store, query).await?.map(Ok))),
        Query::Export(query) => pieces(log, query).await,
        Query::Anchors(query) => ValueStream::values(&anchors(log, store, query).await?),
        Query::Replay(query) => replay(store, query).await,
    }
}

/// The pieces of an export, each a text.
async fn pieces(log: &dyn EventLog, query: &ExportQuery) -> Result<ValueStream, CliError> {
    let pieces = export(log, &query.world, query.format, &query.integrity).await?;
    Ok(ValueStream::of(
        pieces.map_ok(Value::String).map_err(CliError::from),
    ))
}

async fn replay(store: &Store, query: &ReplayQuery) -> Result<ValueStream, CliError> {
    let ReplayQuery {
        world,
        at,
        agent,
        prompt: call,
    } = query;
    if let Some(call) = call {
        return ValueStream::one(&prompt(store, world, *call).await?);
    }
    match agent {
        None => ValueStream::one(&state(store, world, *at).await?),
        Some(agent) => ValueStream::one(&memory(store, world, *at, agent).await?),
    }
}
