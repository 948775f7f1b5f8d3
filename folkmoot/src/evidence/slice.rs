//! Which events tell the whole of one: its causes, and all that is recorded of the calls that it is about.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::event::Event;
use folkmoot_core::ids::{CallId, Position, WorldId, WorldName};
use folkmoot_core::port::{EventLog as _, ReadError};
use folkmoot_core::why::Link;
use folkmoot_store::Store;
use futures::TryStreamExt as _;

use super::{EvidenceError, id_of};

/// The most events of a slice: the nearest causes come first.
const EVENTS_MAX: usize = 10_000;

/// The events that tell why the one at `at` is there, back to a person, and what became of the calls that it and its
/// causes are about.
///
/// # Errors
/// [`EvidenceError`] if there is no such event, or if the log does not read.
pub async fn slice_of(store: &Store, world: &WorldName, at: Position) -> Result<BTreeSet<Position>, EvidenceError> {
    let id = id_of(store, world).await?;
    let calls = Calls::read(store, id).await?;
    let mut next: Vec<Position> = calls.all(at).chain([at]).collect();
    let mut slice = BTreeSet::new();
    while let Some(at) = next.pop() {
        if slice.len() >= EVENTS_MAX || !slice.insert(at) {
            continue;
        }
        next.extend(calls.beside(at).filter(|beside| !slice.contains(beside)));
        next.extend(causes(store, id, at).await?);
    }
    Ok(slice)
}

/// What made an event necessary, and the news of a turn.
async fn causes(store: &Store, world: WorldId, at: Position) -> Result<Vec<Position>, ReadError> {
    let first = store.read(world, at).await?.try_next().await?;
    let link = first.and_then(|stored| Link::of(&stored.commit, at));
    let of_link = |link: Link| link.cause.into_iter().chain(link.woken.map(|(_, news)| news).unwrap_or_default());
    Ok(link.map(|link| of_link(link).collect()).unwrap_or_default())
}

/// Which events are about which calls.
#[derive(Default)]
struct Calls {
    /// The events about a call.
    events: BTreeMap<CallId, Vec<Position>>,
    /// What an event is about.
    about: BTreeMap<Position, About>,
}

/// What an event is about.
struct About {
    /// The calls.
    calls: Vec<CallId>,
    /// Those of them whose story it is part of. Calls that one answer asked for stand beside each other, and whoever is to
    /// be told of one need not be told of the others.
    leads_to: Vec<CallId>,
    /// The events that it builds upon.
    upon: Vec<Position>,
}

impl Calls {
    /// Goes through a log. It keeps some numbers for each event about a call.
    async fn read(store: &Store, world: WorldId) -> Result<Self, ReadError> {
        let mut calls = Self::default();
        let mut commits = store.read(world, Position::new(1)).await?;
        while let Some(stored) = commits.try_next().await? {
            for (at, event) in stored.commit.numbered() {
                let Some(about) = about(event) else { continue };
                about.calls.iter().for_each(|call| calls.events.entry(*call).or_default().push(at));
                calls.about.insert(at, about);
            }
        }
        Ok(calls)
    }

    /// All events about the calls that the event at `at` is about.
    fn all(&self, at: Position) -> impl Iterator<Item = Position> {
        self.of(self.about.get(&at).map(|about| about.calls.as_slice()).unwrap_or_default())
    }

    /// The other events of the stories that the event at `at` is part of, and those that it builds upon.
    fn beside(&self, at: Position) -> impl Iterator<Item = Position> {
        let about = self.about.get(&at);
        let upon = about.into_iter().flat_map(|about| about.upon.iter().copied());
        self.of(about.map(|about| about.leads_to.as_slice()).unwrap_or_default()).chain(upon)
    }

    fn of(&self, calls: &[CallId]) -> impl Iterator<Item = Position> {
        calls.iter().filter_map(|call| self.events.get(call)).flatten().copied()
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other events are about no call")]
fn about(event: &Event) -> Option<About> {
    let of = |calls: Vec<CallId>, upon: Vec<Position>| Some(About { leads_to: calls.clone(), calls, upon });
    match event {
        Event::CallsAdmitted(admitted) => {
            let leads_to: Vec<CallId> = admitted.calls.iter().filter_map(|call| call.origin).collect();
            let calls = admitted.calls.iter().map(|call| call.call).chain(leads_to.iter().copied()).collect();
            Some(About { calls, leads_to, upon: vec![admitted.answer, admitted.turn.0] })
        }
        Event::ApprovalRequested(asked) => of(vec![asked.call], Vec::new()),
        Event::ApprovalDecided(decided) => of(vec![decided.call], Vec::new()),
        Event::ApprovalExpired(expired) => of(vec![expired.call], Vec::new()),
        Event::QuestionAsked(asked) => of(vec![asked.call], Vec::new()),
        Event::QuestionAnswered(answered) => of(vec![answered.call], Vec::new()),
        Event::ToolStarted(started) => of(vec![started.call], Vec::new()),
        Event::ToolFinished(finished) => of(vec![finished.call], finished.memo.into_iter().collect()),
        Event::OutcomeUnknown(unknown) => of(vec![unknown.call], Vec::new()),
        Event::OutcomeSettled(settled) => of(vec![settled.call], Vec::new()),
        Event::Reconciled(reconciled) => of(vec![reconciled.call], Vec::new()),
        Event::CallReplaced(replaced) => of(vec![replaced.call, replaced.by], Vec::new()),
        Event::GrantUsed(used) => of(vec![used.call], vec![used.grant.0]),
        _ => None,
    }
}
