//! The model that stands in for one whose attempts are over.

use crate::event::Purpose;
use crate::ids::{AgentName, ModelName};
use crate::model::response::ModelErrorKind;
use crate::world::decide::Draft;
use crate::world::memory::{ModelState, Turn};
use crate::world::turns::decide::turn;
use crate::world::turns::{ask, summary};

/// The model that is asked next after `model` failed for good with `kind`: the next of the chain
/// that can read the request. One that it is too long for is passed over, unless it reads as much
/// as `model`, which was asked with it all the same; after a model said itself that it is too long,
/// so is every one that takes no more.
pub(in crate::world) fn fallback_of(
    draft: &Draft<'_>,
    agent: &AgentName,
    (turn, model): (&Turn, &ModelState),
    kind: ModelErrorKind,
) -> Option<ModelName> {
    if !kind.may_fall_back() {
        return None;
    }
    let spec = turn.rules.spec();
    let tokens = asked_tokens(draft, agent, model);
    let taken = spec
        .models
        .get(&model.model)
        .map_or(0, |failed| failed.context_tokens_max);
    let room = |name: &ModelName| {
        let asked = (name, &model.parameters);
        Some(
            ask::frame(&turn.rules, &turn.layers, agent, asked, model.purpose)?
                .mark()
                .room,
        )
    };
    let is_too_long = kind == ModelErrorKind::ContextTooLong;
    let needed = if is_too_long {
        tokens
    } else {
        tokens.min(room(&model.model)?)
    };
    let reads = |name: &&ModelName| {
        let takes_more = spec
            .models
            .get(*name)
            .is_some_and(|next| next.context_tokens_max > taken);
        room(name).is_some_and(|room| room >= needed) && (takes_more || !is_too_long)
    };
    let chain = spec.models_of(turn.rules.agent(agent)?);
    chain
        .skip_while(|name| **name != model.model)
        .skip(1)
        .find(reads)
        .cloned()
}

/// The tokens of the items that `model` reads.
pub(in crate::world) fn asked_tokens(
    draft: &Draft<'_>,
    agent: &AgentName,
    model: &ModelState,
) -> u64 {
    let Some(memory) = turn::memory(draft, agent) else {
        return 0;
    };
    match model.purpose {
        Purpose::Turn | Purpose::Closing => memory.tokens,
        Purpose::Compaction => {
            let read = memory
                .items
                .iter()
                .take(model.summarised())
                .map(|kept| u64::from(kept.tokens));
            read.fold(
                u64::from(summary::instruction().tokens),
                u64::saturating_add,
            )
        }
    }
}
