//! Which events tell the whole of one: its causes, and all that is recorded of the calls that it is about.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::audit::why::Slice;
use folkmoot_core::event::{CallEvent, Event};
use folkmoot_core::ids::{CallId, Position, WorldId, WorldName};
use folkmoot_core::port::{EventLog as _, ReadError};
use folkmoot_store::Store;
use futures::TryStreamExt as _;

use super::{EvidenceError, id_of};

/// The most events of a slice: the nearest causes come first.
const EVENTS_MAX: usize = 10_000;

/// The events that tell why the one at `at` is there, back to a person, and what became of the calls that it is about.
///
/// # Errors
/// [`EvidenceError`] if there is no such event, or if the log does not read.
pub async fn slice_of(
    store: &Store,
    world: &WorldName,
    at: Position,
) -> Result<BTreeSet<Position>, EvidenceError> {
    let id = id_of(store, world).await?;
    let calls = EventsOfCalls::read(store, id).await?;
    let mut slice = BTreeSet::new();
    for start in calls.beside(at).chain([at]) {
        if slice.len() < EVENTS_MAX && !slice.contains(&start) {
            slice.extend(causes(store, id, start).await?);
        }
    }
    Ok(slice)
}

/// An event, and those that it would not have happened without.
async fn causes(store: &Store, world: WorldId, at: Position) -> Result<Vec<Position>, ReadError> {
    let mut slice = Slice::of(at, EVENTS_MAX);
    while let Some(needed) = slice.needs() {
        let Some(stored) = store.read(world, needed).await?.try_next().await? else {
            break;
        };
        slice.take(&stored.commit);
    }
    let (nodes, _is_cut) = slice.finish();
    Ok(nodes.into_iter().map(|node| node.at).collect())
}

/// Which events are about which calls.
#[derive(Default)]
struct EventsOfCalls {
    /// The events about a call.
    events: BTreeMap<CallId, Vec<Position>>,
    /// The calls that an event is about.
    about: BTreeMap<Position, Vec<CallId>>,
}

impl EventsOfCalls {
    /// Goes through a log. It keeps some numbers for each event about a call.
    async fn read(store: &Store, world: WorldId) -> Result<Self, ReadError> {
        let mut calls = Self::default();
        let mut commits = store.read(world, Position::new(1)).await?;
        while let Some(stored) = commits.try_next().await? {
            for (at, event) in stored.commit.numbered() {
                let about = about(event);
                about
                    .iter()
                    .for_each(|call| calls.events.entry(*call).or_default().push(at));
                calls.about.insert(at, about);
            }
        }
        Ok(calls)
    }

    /// All events about the calls that the event at `at` is about.
    fn beside(&self, at: Position) -> impl Iterator<Item = Position> {
        self.about
            .get(&at)
            .into_iter()
            .flatten()
            .filter_map(|call| self.events.get(call))
            .flatten()
            .copied()
    }
}

/// The calls that an event is about.
fn about(event: &Event) -> Vec<CallId> {
    let Event::Call(event) = event else {
        return Vec::new();
    };
    match event {
        CallEvent::CallsAdmitted(admitted) => admitted
            .calls
            .iter()
            .flat_map(|call| [Some(call.call), call.origin])
            .flatten()
            .collect(),
        CallEvent::ApprovalRequested(asked) => vec![asked.call],
        CallEvent::ApprovalDecided(decided) => vec![decided.call],
        CallEvent::ApprovalExpired(expired) => vec![expired.call],
        CallEvent::QuestionAsked(asked) => vec![asked.call],
        CallEvent::QuestionAnswered(answered) => vec![answered.call],
        CallEvent::ToolStarted(started) => vec![started.call],
        CallEvent::ToolFinished(finished) => vec![finished.call],
        CallEvent::OutcomeUnknown(unknown) => vec![unknown.call],
        CallEvent::OutcomeSettled(settled) => vec![settled.call],
        CallEvent::Reconciled(reconciled) => vec![reconciled.call],
        CallEvent::CallReplaced(replaced) => vec![replaced.call, replaced.by],
        CallEvent::GrantUsed(used) => vec![used.call],
        // The call of an agent asked is found by its admission; the others are about grants.
        CallEvent::AgentAsked(_) | CallEvent::GrantGiven(_) | CallEvent::GrantRevoked(_) => {
            Vec::new()
        }
    }
}
