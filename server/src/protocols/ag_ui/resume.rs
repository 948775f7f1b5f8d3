//! The answers of a client to the requests of the run before.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot::core::command::{Action, Command, Resolution};
use folkmoot::core::ids::{EpisodeId, Seed};
use folkmoot::core::world::World;
use folkmoot::{FeedBody, FeedEvent, FeedItem, ItemId, Position, Seat, words};
use serde_json::json;

use super::done::Done;
use super::frame::Frame;
use super::input::{ResumeEntry, RunAgentInput};
use super::interrupt::{is_recorded, resolution};
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::protocols::claim::{Claim, Settled, Standing, offers, refused, settle, standing};
use crate::protocols::run::before;
use crate::request::RequestKey;
use crate::rooms::Lobby;

/// The route of the protocol, which is part of the keys of what a run does.
pub(super) const ROUTE: &str = "POST /v1/worlds/{world}/ag-ui";

/// An answer that was checked, and not given yet.
pub(super) struct Checked {
    claim: Claim,
    /// The key of the command that gives it.
    key: RequestKey,
    asked: FeedItem,
    /// The decision; `None` if the answer leaves the request open.
    resolution: Option<Resolution>,
    /// The end of the request; `None` while it waits.
    settled: Option<Settled>,
}

impl Checked {
    /// Tells whether the world would refuse it.
    async fn is_refused(&self, seat: &Seat) -> Result<bool, Problem> {
        let resolution = self.resolution.clone();
        let Some(resolution) = resolution.filter(|_| self.settled.is_none()) else {
            return Ok(false);
        };
        refuses(seat, resolution.of(self.claim.request(), None)).await
    }
}

/// Tells whether the world would refuse `action` of whoever sits there. Nothing is recorded.
pub(super) async fn refuses(seat: &Seat, action: Action) -> Result<bool, Problem> {
    let command = Command::of(seat.principal().clone(), action);
    let look = move |world: &World| {
        let stamp = world.stamp(world.time(), Seed::new([0; 16]));
        world.decide(&command, &stamp).answer.is_err()
    };
    Ok(seat.read(look).await?)
}

/// The requests that a run answers.
#[derive(Debug, Default)]
pub(super) struct Resumed {
    /// The episodes that go on: those that asked, and those that the caller began meanwhile.
    pub(super) episodes: BTreeSet<EpisodeId>,
    /// The answers that were not taken, as the client is told of them.
    pub(super) refused: Vec<Frame>,
    /// The first decision among the answers; `None` if there is none.
    pub(super) first: Option<ItemId>,
}

impl Resumed {
    /// Takes in the end of the request that `claim` names, for which the client wants `resolution`.
    fn take(&mut self, claim: &Claim, resolution: Option<&Resolution>, settled: Settled) {
        if resolution.is_some_and(|wanted| !is_recorded(wanted, &settled)) {
            self.refused.push(late(claim, &settled));
        }
        self.first = self.first.into_iter().chain([settled.decision.id]).min();
        self.episodes.extend(settled.meanwhile);
    }
}

/// The answers of `input`, all of them looked at. Those that the room refuses stand first: it
/// records that, and then gives no other.
///
/// # Errors
/// The fault of the first that does not fit. One about a request that the room never asked is
/// refused by the world, which records it.
pub(super) async fn check_all(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    input: &RunAgentInput,
) -> Result<Vec<Checked>, Problem> {
    let mut answers = Vec::new();
    for entry in &input.resume {
        answers.push(check(lobby, caller, seat, input, entry).await?);
    }
    check_covered(caller, seat, answers.iter()).await?;
    let mut refused = Vec::new();
    let mut others = Vec::new();
    for answer in answers {
        let place = if answer.is_refused(seat).await? {
            &mut refused
        } else {
            &mut others
        };
        place.push(answer);
    }
    refused.extend(others);
    Ok(refused)
}

/// Gives `answers` in the name of `caller`.
///
/// # Errors
/// The reason that the room refuses one; those in `done` are given.
pub(super) async fn resume(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    answers: Vec<Checked>,
    done: &mut Done,
) -> Result<Resumed, Problem> {
    let mut resumed = Resumed::default();
    for Checked {
        claim,
        key,
        asked,
        resolution,
        settled,
    } in answers
    {
        resumed.episodes.extend(asked.episode);
        let settled = match (settled, &resolution) {
            (None, Some(resolution)) => {
                let resolution = resolution.clone();
                let settled = settle(lobby, caller, seat, &claim, resolution, &key).await?;
                done.note(format!("{claim} is decided"));
                Some(settled)
            }
            (settled, _) => settled,
        };
        if let Some(settled) = settled {
            resumed.take(&claim, resolution.as_ref(), settled);
        }
    }
    Ok(resumed)
}

fn key(input: &RunAgentInput, entry: &ResumeEntry) -> Result<RequestKey, Problem> {
    RequestKey::of_route(ROUTE, &format!("{}/{}", input.run_id, entry.interrupt_id))
}

async fn check(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    input: &RunAgentInput,
    entry: &ResumeEntry,
) -> Result<Checked, Problem> {
    let named = entry.interrupt_id.parse::<Claim>();
    let claim = named.map_err(|error| Problem::from(error).about("resume"))?;
    let key = key(input, entry)?;
    let (asked, settled) = match standing(seat, &claim).await? {
        Standing::Invented => return Err(refused(lobby, caller, seat, &claim, &key).await),
        Standing::Open(asked) => (asked, None),
        Standing::Decided(settled) => (settled.asked.clone(), Some(settled)),
    };
    Ok(Checked {
        resolution: resolution(&asked, entry)?,
        claim,
        key,
        asked,
        settled,
    })
}

/// Tells the client that its answer came behind that of somebody else.
fn late(claim: &Claim, settled: &Settled) -> Frame {
    let words = words::item(&settled.decision.body, None).unwrap_or_default();
    Frame::Custom {
        name: "folkmoot.refused".to_owned(),
        value: json!({
            "interruptId": claim.to_string(),
            "code": ProblemCode::AlreadyDecided,
            "words": format!("{words}: your answer came behind that, and was not taken"),
        }),
    }
}

/// Refuses answers that leave out an interrupt of the run that they resume: a request of the same
/// episodes that the caller may decide, and that did not come only after somebody's decision.
async fn check_covered(
    caller: &Caller,
    seat: &Seat,
    answers: impl Iterator<Item = &Checked> + Clone,
) -> Result<(), Problem> {
    let Some(newest) = answers.clone().map(|answer| answer.claim.request()).max() else {
        return Ok(());
    };
    let episodes: BTreeSet<EpisodeId> = answers
        .clone()
        .filter_map(|answer| answer.asked.episode)
        .collect();
    let claims: BTreeMap<&Claim, ()> = answers.map(|answer| (&answer.claim, ())).collect();
    let until = first_decision_behind(seat, newest.0).await?;
    let offers = offers(caller, seat).await?;
    let missed = offers.iter().find(|offer| {
        let is_of = offer
            .episode
            .is_some_and(|episode| episodes.contains(&episode));
        let is_new = until.is_some_and(|until| offer.claim.request().0 > until);
        is_of && !is_new && !claims.contains_key(&offer.claim)
    });
    match missed {
        None => Ok(()),
        Some(offer) => {
            let why = format!("the run that is resumed asked as well: {}", offer.claim);
            Err(Problem::new(ProblemCode::Invalid, why).about("resume"))
        }
    }
}

/// The first decision of the room behind the event at `at`; `None` if there is none.
async fn first_decision_behind(seat: &Seat, at: Position) -> Result<Option<Position>, Problem> {
    let mut feed = seat.feed(before(ItemId { at, number: 0 }))?;
    while let Some(event) = feed.next_of_past().await? {
        if let FeedEvent::Item(item) = event
            && matches!(item.body, FeedBody::Decision { .. })
        {
            return Ok(Some(item.id.at));
        }
    }
    Ok(None)
}
