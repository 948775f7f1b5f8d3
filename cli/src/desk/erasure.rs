//! Erasing content, also of a world that nobody runs.

use folkmoot::core::command::{Action, WorldAction};
use folkmoot::core::event::{Erased, Span};
use folkmoot::core::ids::{PersonName, Position, WorldName};
use folkmoot::core::port::{EventLog, Labels};
use folkmoot::core::world::{Branch, World};
use folkmoot::{Beforehand, Proof, Runtime, SeatError, WorldHandle, fold_world};
use serde::{Deserialize, Serialize};

use super::opening::{Holding, Visit, at_hand};
use crate::exit::{CliError, USAGE};

mod quotes;
mod selection;

use quotes::Quotes;
use selection::Selection;

/// A wish to erase: what, and on whose word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Erasing {
    /// The world.
    pub(crate) world: WorldName,
    /// The events; empty if a person or an episode is named.
    pub(crate) events: Vec<Span>,
    /// The name of a person; all that they gave is erased. `None` if events or an episode are
    /// named.
    pub(crate) person: Option<String>,
    /// The position of the message that began an episode; all of that is erased. `None` if events
    /// or a person are named.
    pub(crate) episode: Option<u64>,
    /// The basis on which it is erased.
    pub(crate) basis: String,
    /// The name of whoever wants it; their login name if `None`. Claimed, not proven.
    pub(crate) by: Option<PersonName>,
    /// The choice between erasing and listing.
    pub(crate) wish: Wish,
}

/// The choice between erasing and only listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wish {
    /// The content is erased.
    Erase,
    /// The content that would be erased is listed.
    List,
}

/// The content that is gone, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gone {
    /// The world.
    pub(crate) world: WorldName,
    /// The events, those without content left out.
    pub(crate) events: Vec<Span>,
    /// The number of these events.
    pub(crate) count: u64,
    /// The name of whoever wanted it; empty if they are no person.
    pub(crate) by: String,
    /// The basis on which it is erased.
    pub(crate) basis: String,
    /// The erasure as it is recorded; `None` if it was only listed.
    pub(crate) done: Option<Erased>,
    /// Other events that hold sentences of it, as far as they are listed.
    pub(crate) quotes: Vec<Position>,
    /// True if further events hold sentences of it.
    pub(crate) has_more_quotes: bool,
}

/// Erases in the name of `proof`. A world that is not open is opened for it, as `holding`
/// says.
pub(crate) async fn erase(
    runtime: &Runtime,
    proof: Proof,
    erasing: &Erasing,
    holding: &Holding,
) -> Result<Gone, CliError> {
    let name = &erasing.world;
    let log = &**runtime.log();
    let world = fold_world(log, name, None).await?;
    if world.upkeep().is_erasing() && erasing.wish == Wish::Erase {
        // A process that died has left it to do. Until it is done the world owes nothing else
        // (decision 0020).
        finish(runtime, name, holding).await?;
    }
    if erasing.basis.trim().is_empty() {
        return Err(CliError::other(USAGE, "say on what basis: --basis TEXT"));
    }
    let chosen = Selection::of(log, erasing).await?;
    if chosen.count() == 0 {
        return Err(CliError::other(USAGE, nothing(erasing, &world)));
    }
    if let Some(branch) = world
        .lineage()
        .last()
        .filter(|branch| chosen.spans().iter().any(|span| span.from <= branch.at))
    {
        // A fork has no such records of its own: it reads those of its parent (decision 0019).
        let parent = parent_of(log, branch).await?;
        let what = format!(
            "events up to {} are those of {parent}: erase them there",
            branch.at
        );
        return Err(CliError::other(USAGE, what));
    }
    // Words that were said again have to be found while they can still be read.
    let quotes = Quotes::find(log, name, &chosen).await?;
    let by = proof
        .principal()
        .person()
        .map(|person| person.display.to_string())
        .unwrap_or_default();
    let done = match erasing.wish {
        Wish::List => None,
        Wish::Erase => {
            let order = ErasureOrder {
                world: name,
                events: chosen.spans(),
                basis: &erasing.basis,
            };
            Some(done(runtime, proof, order, holding).await?)
        }
    };
    Ok(Gone {
        world: name.clone(),
        count: chosen.count(),
        events: chosen.into_spans(),
        by,
        basis: erasing.basis.clone(),
        done,
        has_more_quotes: quotes.has_more,
        quotes: quotes.at,
    })
}

/// Says why there is nothing to erase.
fn nothing(erasing: &Erasing, world: &World) -> String {
    let people = || {
        world
            .people()
            .roster()
            .keys()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    match (&erasing.person, erasing.episode) {
        (Some(person), _) => {
            format!(
                "there is no content left of anybody called {person}; people here are: {}",
                people()
            )
        }
        (None, Some(at)) => {
            format!("there is no content left of an episode that a message at {at} began")
        }
        (None, None) => "there is no content left in any of these events".to_owned(),
    }
}

/// The name of the world that another one was branched off.
async fn parent_of(log: &dyn EventLog, branch: &Branch) -> Result<String, CliError> {
    let all = log.worlds(&Labels::new(), None, usize::MAX).await?;
    let known = all.into_iter().find(|entry| entry.world == branch.parent);
    Ok(known.map_or_else(
        || format!("a world that is gone ({})", branch.parent),
        |entry| entry.name.to_string(),
    ))
}

/// Does what is left to do of an erasure.
async fn finish(runtime: &Runtime, name: &WorldName, holding: &Holding) -> Result<(), CliError> {
    if let Some(world) = at_hand(runtime, name, holding).await {
        world.quiet().await?;
        return Ok(());
    }
    let visit = Visit::open(runtime, name, holding).await?;
    let finished = visit.world.quiet().await;
    visit.end(runtime).await;
    finished?;
    Ok(())
}

/// An erasure as the world is asked for it.
#[derive(Clone, Copy)]
struct ErasureOrder<'a> {
    /// The world.
    world: &'a WorldName,
    /// The events, in order.
    events: &'a [Span],
    /// The basis on which they are erased.
    basis: &'a str,
}

async fn done(
    runtime: &Runtime,
    proof: Proof,
    order: ErasureOrder<'_>,
    holding: &Holding,
) -> Result<Erased, CliError> {
    let name = order.world;
    if let Some(world) = at_hand(runtime, name, holding).await {
        return ask(&world, proof, order).await;
    }
    let action = Action::World(WorldAction::Erase {
        events: order.events.to_vec(),
        basis: order.basis.to_owned(),
    });
    if let Beforehand::Refused(refusal) = runtime.beforehand(name, &proof, action).await? {
        return Err(SeatError::Refused(refusal).into());
    }
    let visit = Visit::open(runtime, name, holding).await?;
    let erased = ask(&visit.world, proof, order).await;
    visit.end(runtime).await;
    erased
}

async fn ask(
    world: &WorldHandle,
    proof: Proof,
    order: ErasureOrder<'_>,
) -> Result<Erased, CliError> {
    let seat = world.as_principal(proof);
    let request = seat
        .erase(order.events.to_vec(), order.basis.to_owned(), None)
        .await?;
    Ok(world.erased(request).await?)
}
