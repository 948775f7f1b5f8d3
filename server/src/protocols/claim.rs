//! The name by which a client of others answers a request, and all that is checked of such an answer.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use folkmoot::core::command::{Judgement, Resolution};
use folkmoot::core::ids::principal::Principal;
use folkmoot::core::ids::{CallId, Digest, EpisodeId, RequestId, WorldId};
use folkmoot::core::world::World;
use folkmoot::run::{Asks, Waiting};
use folkmoot::{
    Author, FeedBody, FeedEvent, FeedItem, ItemId, Position, Seat, SeatError, Verdict, WorldName,
};

use super::run::{before, waits_for};
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::RequestKey;
use crate::rooms::Lobby;
use crate::routes::decisions::resolve;
use crate::routes::requests::{Offered, offered};

/// The digits of the digest that a name has.
const DIGITS: usize = 8;

/// A request as a client names it, `WORLD#POSITION#DIGEST8`: what it says was shown, and where.
///
/// The digest is of the call as well, whose id no other world has. So a name that was kept is of no
/// use in a new world that is called the same, and nobody guesses one before they were asked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Claim {
    world: String,
    request: RequestId,
    /// The first digits of the digest of the call and of what was shown.
    digits: String,
}

impl Claim {
    /// The name of a request about `call` that waits in the world called `world`.
    pub(crate) fn of(world: &str, call: CallId, waiting: &Waiting) -> Self {
        let call = call.to_string();
        let shown = shown(waiting).to_string();
        let both = Digest::of(&[call.as_bytes(), shown.as_bytes()]);
        Self {
            world: world.to_owned(),
            request: waiting.request,
            digits: both.short(),
        }
    }

    /// The request's position.
    pub(crate) const fn request(&self) -> RequestId {
        self.request
    }

    /// Tells whether it names `waiting` of the world called `world`, as that was shown.
    fn names(&self, world: &str, call: CallId, waiting: &Waiting) -> bool {
        *self == Self::of(world, call, waiting)
    }
}

/// The digest of all that people are shown of a request. Only approvals record theirs.
fn shown(waiting: &Waiting) -> Digest {
    let words = waiting.to_string();
    match &waiting.asks {
        Asks::Approval { shown, .. } => *shown,
        Asks::Question { question } => {
            // No question has a map whose keys are no strings.
            let question = serde_json::to_vec(question).unwrap_or_default();
            Digest::of(&[words.as_bytes(), &question])
        }
        // A call that waits no longer for the answer is still the call of which it is asked.
        Asks::Outcome { .. } => Digest::of(&[words.as_bytes()]),
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}#{}", self.world, self.request, self.digits)
    }
}

/// A text that names no request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a request is named WORLD#POSITION#DIGEST, with the first 8 digits of what was shown")]
pub(crate) struct ClaimError;

impl FromStr for Claim {
    type Err = ClaimError;

    fn from_str(text: &str) -> Result<Self, ClaimError> {
        let mut parts = text.split('#');
        let (Some(world), Some(at), Some(digits), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(ClaimError);
        };
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() != DIGITS || !digits.bytes().all(is_hex) {
            return Err(ClaimError);
        }
        // Whatever is named so is part of the keys of what is done about it.
        let world = WorldName::new(world).map_err(|_| ClaimError)?;
        let request = RequestId(Position::new(at.parse().map_err(|_| ClaimError)?));
        // A request has one name: no sign, and no zeros before its number.
        if request.to_string() != at {
            return Err(ClaimError);
        }
        Ok(Self {
            world: world.to_string(),
            request,
            digits: digits.to_owned(),
        })
    }
}

impl From<ClaimError> for Problem {
    fn from(error: ClaimError) -> Self {
        Self::new(ProblemCode::Invalid, error.to_string())
    }
}

/// The state of a request that a client names, as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one lives at a time, and only until it is looked at"
)]
pub(crate) enum Standing {
    /// It waits: the item that asked.
    Open(FeedItem),
    /// It waits no longer.
    Decided(Settled),
    /// The room never asked so.
    Invented,
}

/// Finds the request in the log of the seat's world.
pub(crate) async fn standing(seat: &Seat, claim: &Claim) -> Result<Standing, Problem> {
    let request = claim.request;
    let place = ItemId {
        at: request.0,
        number: 0,
    };
    let mut feed = match seat.feed(before(place)) {
        Ok(feed) => feed,
        // No such place was ever in the log.
        Err(SeatError::BehindHead { .. }) => return Ok(Standing::Invented),
        Err(error) => return Err(error.into()),
    };
    let world = seat.world().name().to_string();
    let waits = move |world: &World| world.consent().pending().contains_key(&request);
    let waits = seat.read(waits).await?;
    let mut asked = None;
    let mut meanwhile = BTreeSet::new();
    while let Some(event) = feed.next_of_past().await? {
        let FeedEvent::Item(item) = event else {
            continue;
        };
        if asks(&item, &world, claim) {
            // One that waits has no decision to look for.
            if waits {
                return Ok(Standing::Open(item));
            }
            asked = Some(item);
        } else if ends(&item, request) {
            let settled = |asked| Settled {
                asked,
                decision: item,
                meanwhile,
            };
            return Ok(asked.map_or(Standing::Invented, |asked| {
                Standing::Decided(settled(asked))
            }));
        } else if asked.is_none() && item.id.at > request.0 {
            return Ok(Standing::Invented);
        } else {
            meanwhile.extend(begun_by(&item, seat.principal()));
        }
    }
    Ok(asked.map_or(Standing::Invented, Standing::Open))
}

/// Tells whether `item` asks what `claim` names.
fn asks(item: &FeedItem, world: &str, claim: &Claim) -> bool {
    let FeedBody::Request { call, request } = &item.body else {
        return false;
    };
    claim.names(world, *call, request)
}

/// Tells whether `item` says that `request` waits no longer.
fn ends(item: &FeedItem, request: RequestId) -> bool {
    matches!(item.body, FeedBody::Decision { request: of, .. } if of == request)
}

/// The episode that `item` began, if it is a message of `principal`, a person.
fn begun_by(item: &FeedItem, principal: &Principal) -> Option<EpisodeId> {
    let FeedBody::Message {
        author: Author::Person(author),
        ..
    } = &item.body
    else {
        return None;
    };
    let is_theirs = principal
        .person()
        .is_some_and(|person| person.display == *author);
    item.episode
        .filter(|episode| is_theirs && episode.0 == item.id.at)
}

/// A request that was resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settled {
    /// The item that asked.
    pub(crate) asked: FeedItem,
    /// The item of the decision, the caller's or that of whoever was first.
    pub(crate) decision: FeedItem,
    /// The episodes that messages of the caller began while it waited; empty if there were none.
    pub(crate) meanwhile: BTreeSet<EpisodeId>,
}

/// Resolves the request that `claim` names in the name of `caller`. One that was decided before
/// keeps its decision.
///
/// # Errors
/// As [`resolve`]. An attempt about a request that the room never asked so is refused by the world,
/// which records it as any other.
pub(crate) async fn settle(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    claim: &Claim,
    resolution: Resolution,
    key: &RequestKey,
) -> Result<Settled, Problem> {
    let asked = match standing(seat, claim).await? {
        Standing::Decided(settled) => return Ok(settled),
        Standing::Invented => return Err(refused(lobby, caller, seat, claim, key).await),
        Standing::Open(asked) => asked,
    };
    if is_service(seat) {
        // The world records the attempt.
        let _recorded = refused(lobby, caller, seat, claim, key).await;
        let why = "a service does not decide through this protocol";
        return Err(Problem::new(ProblemCode::Forbidden, why).with("reason", "not_a_person"));
    }
    let here = seat.read(World::id).await?;
    let resolution = confirmed(resolution, &asked, here);
    let world = seat.world().name().to_string();
    let given = resolve(lobby, caller, &world, claim.request, resolution, key).await;
    // Somebody else may have been first just now.
    match (standing(seat, claim).await?, given) {
        (Standing::Decided(settled), _) => Ok(settled),
        (_, Err(problem)) => Err(problem),
        (Standing::Open(_) | Standing::Invented, Ok(_)) => {
            let why = "the decision is in the log, and does not read";
            Err(Problem::new(ProblemCode::Internal, why))
        }
    }
}

/// The resolution of one who saw `asked` in the world `here`: that world compares both once more.
fn confirmed(resolution: Resolution, asked: &FeedItem, here: Option<WorldId>) -> Resolution {
    match (resolution, &asked.body) {
        (Resolution::Judge(judgement), FeedBody::Request { request, .. }) => {
            Resolution::Judge(Judgement {
                shown: Some(shown(request).to_string()),
                world: here,
                ..judgement
            })
        }
        (resolution, _) => resolution,
    }
}

/// Has the world refuse what it never asked, so that the attempt stands in the log.
pub(crate) async fn refused(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    claim: &Claim,
    key: &RequestKey,
) -> Problem {
    let world = seat.world().name().to_string();
    let judgement = Judgement {
        shown: Some(claim.digits.clone()),
        // No world has this id, so that this is never a decision: not even if the room asks just now.
        world: Some(WorldId::from_hash([0; 16])),
        ..Judgement::new(Verdict::Deny)
    };
    let resolution = Resolution::Judge(judgement);
    match resolve(lobby, caller, &world, claim.request, resolution, key).await {
        // The world says that this is not its own, which is why it refuses.
        Err(problem) if problem.code() == ProblemCode::NotFound => never_asked(claim),
        Err(problem) => problem,
        Ok(_) => never_asked(claim),
    }
}

fn never_asked(claim: &Claim) -> Problem {
    let why = format!("the room never asked {claim}, or it shows something else now");
    Problem::new(ProblemCode::ShownDiffers, why)
}

/// Tells whether the caller is a program, which has a model inside or is one's own: people decide
/// here.
fn is_service(seat: &Seat) -> bool {
    matches!(seat.principal(), Principal::Service(_))
}

/// A request that the caller may decide now.
#[derive(Debug)]
pub(crate) struct Offer {
    /// Its name.
    pub(crate) claim: Claim,
    /// The call that it is about.
    pub(crate) call: CallId,
    /// The episode whose work waits for it; `None` if none does.
    pub(crate) episode: Option<EpisodeId>,
    /// The request as people are shown it, and what the caller can decide.
    pub(crate) offered: Offered,
}

/// The requests that `caller` may decide now, oldest first. A service is offered none.
pub(crate) async fn offers(caller: &Caller, seat: &Seat) -> Result<Vec<Offer>, Problem> {
    if is_service(seat) {
        return Ok(Vec::new());
    }
    let name = seat.world().name().clone();
    let caller = caller.clone();
    let look = move |world: &World| {
        let all = offered(world, &caller, &name).into_iter();
        let may_decide = all.filter(|offered| offered.you.decide);
        may_decide
            .filter_map(|offered| offer(world, &name, offered))
            .collect()
    };
    Ok(seat.read(look).await?)
}

fn offer(world: &World, name: &WorldName, offered: Offered) -> Option<Offer> {
    let waiting = &offered.request.waiting.waiting;
    let pending = world.consent().pending().get(&waiting.request)?;
    Some(Offer {
        claim: Claim::of(name.as_str(), pending.call, waiting),
        call: pending.call,
        episode: waits_for(world, waiting.request),
        offered,
    })
}

#[cfg(test)]
mod tests;
