//! The decisions that a client claims: taken, known already, or refused.

use folkmoot::core::command::commit::CommandKey;
use folkmoot::core::command::{Judgement, Resolution};
use folkmoot::core::port::EventLog as _;
use folkmoot::core::world::World;
use folkmoot::{FeedBody, FeedItem, Key, Seat, Verdict, words};
use serde_json::json;

use super::chat::ClaimedDecision;
use super::part::Part;
use super::{ROUTE, TERMS};
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::protocols::claim::{Claim, Settled, Standing, offers, refused, settle, standing};
use crate::request::RequestKey;
use crate::rooms::Lobby;
use crate::routes::decisions::resolve;

/// The outcome of a claim.
#[derive(Debug)]
pub(crate) struct Heard {
    /// The request as the client names it.
    pub(crate) id: String,
    /// The item that asked; `None` if the room never asked so.
    pub(crate) asked: Option<FeedItem>,
    /// The reason that it was refused; `None` if the log says the same.
    pub(crate) refused: Option<Problem>,
}

impl Heard {
    /// The refusal as the client is told it.
    pub(crate) fn part(&self) -> Option<Part> {
        let refused = self.refused.as_ref()?;
        Some(Part::DataRefused {
            id: self.id.clone(),
            data: json!({
                "approvalId": self.id, "code": refused.code(), "words": refused.detail(),
            }),
        })
    }
}

/// Takes the decisions that are claimed, in order. A refused one stands in the log once for each
/// request and verdict, however often a client sends it.
///
/// # Errors
/// If the log does not read. A refusal is none.
pub(crate) async fn hear(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    claims: Vec<ClaimedDecision>,
) -> Result<Vec<Heard>, Problem> {
    let mut heard = Vec::new();
    for claimed in claims {
        heard.push(hear_one(lobby, caller, seat, claimed).await?);
    }
    Ok(heard)
}

async fn hear_one(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    claimed: ClaimedDecision,
) -> Result<Heard, Problem> {
    let (asked, refused) = match claimed.id.parse::<Claim>() {
        Ok(claim) => Box::pin(weigh(lobby, caller, seat, &claim, &claimed)).await?,
        Err(error) => (None, Some(error.into())),
    };
    let id = claimed.id;
    let refused = refused.map(told);
    Ok(Heard { id, asked, refused })
}

/// The reason of a refusal in the words of the protocol. The key of a decision is of its request and
/// verdict, and only refusals leave one behind.
fn told(problem: Problem) -> Problem {
    if problem.code() == ProblemCode::KeyReused {
        let why = "you were refused this before, with another reason: send the reason as it was";
        return problem.in_words(why).about("messages");
    }
    TERMS.told(problem)
}

/// Holds a claim against the log. Gives the item that asked, and the reason of a refusal.
async fn weigh(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    claim: &Claim,
    claimed: &ClaimedDecision,
) -> Result<(Option<FeedItem>, Option<Problem>), Problem> {
    let verdict = claimed.verdict();
    // A refused command that comes again under its key is answered from the log.
    let word = words::word(&verdict);
    let name = format!("decision/{claim}/{word}");
    let key = RequestKey::of_route(ROUTE, &name)?;
    let resolution = Resolution::Judge(Judgement {
        reason: claimed.reason.clone(),
        ..Judgement::new(verdict)
    });
    Ok(match standing(seat, claim).await? {
        Standing::Invented => {
            let problem = refused(lobby, caller, seat, claim, &key).await;
            (None, Some(problem))
        }
        Standing::Decided(settled) if says(&settled, &word) => (Some(settled.asked), None),
        Standing::Decided(settled) => {
            let problem = decided_before(&settled);
            if !was_refused(lobby, caller, seat, &key).await? {
                // The world refuses it, and records that.
                let world = seat.world().name().to_string();
                let _refused =
                    resolve(lobby, caller, &world, claim.request(), resolution, &key).await;
            }
            (Some(settled.asked), Some(problem))
        }
        Standing::Open(asked) => {
            let is_anew = was_refused(lobby, caller, seat, &key).await?
                && may(caller, seat, claim, verdict).await?;
            let key = if is_anew {
                anew(seat, &name).await?
            } else {
                key
            };
            let settled = settle(lobby, caller, seat, claim, resolution, &key).await;
            (Some(asked), against(settled, &word))
        }
    })
}

/// Tells whether the log has a command of the caller under `key`. It is one that was refused, if the
/// decision that it asked for was not taken.
async fn was_refused(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    key: &RequestKey,
) -> Result<bool, Problem> {
    let (Some(Key::Client(key)), Some(world)) = (key.of(caller), seat.read(World::id).await?)
    else {
        return Ok(false);
    };
    let store = &lobby.rooms.store;
    let known = store.find_key(world, &CommandKey::Client(key)).await?;
    Ok(known.is_some())
}

/// Tells whether the caller may decide so now.
async fn may(
    caller: &Caller,
    seat: &Seat,
    claim: &Claim,
    verdict: Verdict,
) -> Result<bool, Problem> {
    let offers = offers(caller, seat).await?;
    let offer = offers.into_iter().find(|offer| offer.claim == *claim);
    Ok(offer.is_some_and(|offer| match verdict {
        Verdict::Allow => offer.offered.you.allow,
        Verdict::Deny => offer.offered.you.decide,
    }))
}

/// The key of a decision that was refused under `name` before, and may be taken now. Each refusal
/// moves the head, so none answers for the next attempt.
async fn anew(seat: &Seat, name: &str) -> Result<RequestKey, Problem> {
    let head = seat.read(World::head).await?;
    RequestKey::of_route(ROUTE, &format!("{name}/{head}"))
}

/// Tells whether the recorded decision is `word`.
fn says(settled: &Settled, word: &str) -> bool {
    matches!(&settled.decision.body, FeedBody::Decision { how, .. } if how == word)
}

/// The problem of a decision that was not taken; `None` if it was.
fn against(settled: Result<Settled, Problem>, word: &str) -> Option<Problem> {
    match settled {
        Ok(settled) if says(&settled, word) => None,
        Ok(settled) => Some(decided_before(&settled)),
        Err(problem) => Some(problem),
    }
}

/// The problem of a decision that comes behind another one.
fn decided_before(settled: &Settled) -> Problem {
    let words = words::item(&settled.decision.body, None);
    Problem::new(ProblemCode::AlreadyDecided, words.unwrap_or_default())
}
