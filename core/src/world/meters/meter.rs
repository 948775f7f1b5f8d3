//! What the models of a world were asked, and what that cost: a fold of the log, so that it is the
//! same wherever it is read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{Event, ModelCalled, ModelFailed, Reserved, TurnEvent};
use crate::ids::{AgentName, Attempt, EpisodeId, ModelName, Position};
use crate::model::money::Money;
use crate::model::response::{ModelErrorKind, Reached, Usage};
use crate::world::World;
use crate::world::memory::{Charge, ModelState, Turn};

/// The most pairs of an agent and a model that are told apart; the calls of others are counted
/// together.
const PAIRS_MAX: usize = 1_000;

/// Money that is gone, that may be gone, and that is set aside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The cost of attempts whose tokens the provider counted.
    pub settled: Money,
    /// What attempts may have cost whose tokens nobody knows: their worst case. They were lost with
    /// their process, were stopped, failed after the provider had begun, or were answered without a
    /// count.
    pub possible: Money,
    /// The worst case of the attempts that are under way.
    pub reserved: Money,
}

impl Spent {
    /// All of it: what limits are held against.
    #[must_use]
    pub const fn total(&self) -> Money {
        self.settled.plus(self.possible).plus(self.reserved)
    }
}

/// The calls and attempts of models, and their cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meter {
    /// Calls; further attempts of a call are not counted.
    pub calls: u64,
    /// Attempts, each of which the provider may charge.
    pub attempts: u64,
    /// Attempts that were answered.
    pub answered: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// Attempts whose outcome nobody knows: their process ended, or somebody stopped them.
    pub lost: u64,
    /// Attempts that may have cost something and whose tokens nobody knows.
    pub uncounted: u64,
    /// Attempts on a model without a price, as far as they may have cost something: nobody knows
    /// how much.
    pub unpriced: u64,
    /// Tokens, as the providers counted them. What they did not count is not in it.
    pub tokens: Tokens,
    /// Money.
    pub spent: Spent,
}

/// Tokens, as providers counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Of requests, those of the cache included.
    pub input: u64,
    /// Of requests, out of a provider's cache.
    pub cached: u64,
    /// Of requests, into a provider's cache.
    pub cache_written: u64,
    /// Of answers, reasoning included.
    pub output: u64,
    /// Of answers, reasoning.
    pub reasoning: u64,
}

impl Tokens {
    fn add(&mut self, usage: &Usage) {
        let Usage {
            input,
            output,
            cached,
            cache_written,
            reasoning,
        } = *usage;
        for (sum, count) in [
            (&mut self.input, input),
            (&mut self.cached, cached),
            (&mut self.cache_written, cache_written),
            (&mut self.output, output),
            (&mut self.reasoning, reasoning),
        ] {
            *sum = sum.saturating_add(count.unwrap_or(0));
        }
    }
}

/// The meters of all models of a world.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meters {
    /// All together.
    pub total: Meter,
    /// Per agent and model, by their names in the definition.
    pub by_agent: BTreeMap<AgentName, BTreeMap<ModelName, Meter>>,
    /// The calls that are in no row of their own any more, as a thousand are there.
    pub others: Meter,
}

impl Meters {
    fn row(&mut self, agent: &AgentName, model: &ModelName) -> &mut Meter {
        let is_known = self
            .by_agent
            .get(agent)
            .is_some_and(|models| models.contains_key(model));
        if !is_known && self.by_agent.values().map(BTreeMap::len).sum::<usize>() >= PAIRS_MAX {
            // Definitions change names for years, and a fold must not grow for ever
            // (decision 0003).
            return &mut self.others;
        }
        self.by_agent
            .entry(agent.clone())
            .or_default()
            .entry(model.clone())
            .or_default()
    }

    fn each(&mut self, agent: &AgentName, model: &ModelName, change: impl Fn(&mut Meter)) {
        change(&mut self.total);
        change(self.row(agent, model));
    }
}

/// The end of an attempt.
#[derive(Debug, Clone, Copy)]
pub(in crate::world) enum Ended {
    Answered(Usage),
    Failed(ModelErrorKind, Option<Reached>),
    Lost,
}

impl Ended {
    pub(in crate::world) const fn of_failure(event: &ModelFailed) -> Self {
        Self::Failed(event.kind, event.reached)
    }

    /// Returns how `event` ends the attempt that `agent` has under way, if it does.
    pub(in crate::world) fn by(event: &Event, agent: &AgentName) -> Option<Self> {
        if let Event::Turn(TurnEvent::ModelAnswered(answered)) = event {
            (answered.agent == *agent).then_some(Self::Answered(answered.usage))
        } else if let Event::Turn(TurnEvent::ModelFailed(failed)) = event {
            (failed.agent == *agent).then_some(Self::of_failure(failed))
        } else {
            None
        }
    }

    /// Returns what the provider counted.
    fn usage(self) -> Usage {
        match self {
            Self::Answered(usage) => usage,
            Self::Failed(..) | Self::Lost => Usage::default(),
        }
    }

    /// Tells whether the provider may charge for it, as far as its end tells.
    const fn may_cost(self) -> bool {
        match self {
            // Whoever lost the answer may have to pay for it all the same (decision 0017).
            Self::Answered(_) | Self::Lost => true,
            Self::Failed(kind, reached) => Reached::may_cost(reached, kind),
        }
    }
}

/// The change that the end of an attempt makes to money.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::world) struct Settlement {
    reserved: Money,
    settled: Money,
    possible: Money,
}

impl Spent {
    pub(in crate::world) const fn settle(&mut self, settlement: &Settlement) {
        self.reserved = self.reserved.minus(settlement.reserved);
        self.settled = self.settled.plus(settlement.settled);
        self.possible = self.possible.plus(settlement.possible);
    }
}

impl World {
    /// Returns what its models were asked, and what that cost.
    #[must_use]
    pub const fn meters(&self) -> &Meters {
        &self.meters
    }
}

/// Counts an attempt that begins, and sets its worst case aside.
pub(in crate::world) fn charge(world: &mut World, event: &ModelCalled, episode: EpisodeId) {
    let reserved = event
        .reserved
        .map(|reserved: Reserved| reserved.attempt)
        .unwrap_or_default();
    world.meters.each(&event.agent, &event.model, |meter| {
        meter.calls = meter
            .calls
            .saturating_add(u64::from(event.attempt == Attempt(1)));
        meter.attempts = meter.attempts.saturating_add(1);
        meter.spent.reserved = meter.spent.reserved.plus(reserved);
    });
    let spent = &mut world.episodes.begun(episode).spent;
    spent.reserved = spent.reserved.plus(reserved);
}

/// Settles an attempt that is over.
pub(in crate::world) fn settle_attempt(
    world: &mut World,
    agent: &AgentName,
    attempt: &Metered,
    ended: Ended,
) {
    let Metered {
        model,
        episode,
        price,
        ..
    } = attempt;
    let settlement = attempt.settlement(ended);
    let usage = ended.usage();
    let is_counted = usage.input.is_some() && usage.output.is_some();
    world.meters.each(agent, model, |meter| {
        let ends = match ended {
            Ended::Answered(_) => &mut meter.answered,
            Ended::Failed(..) => &mut meter.failed,
            Ended::Lost => &mut meter.lost,
        };
        *ends = ends.saturating_add(1);
        meter.tokens.add(&usage);
        meter.uncounted = meter
            .uncounted
            .saturating_add(u64::from(attempt.may_cost(ended) && !is_counted));
        meter.unpriced = meter
            .unpriced
            // An unknown cost is counted, and never shown as zero (decision 0017).
            .saturating_add(u64::from(attempt.may_cost(ended) && price.is_none()));
        meter.spent.settle(&settlement);
    });
    if let Some(spent) = world.episodes.get_mut(episode) {
        spent.spent.settle(&settlement);
    }
}

/// Returns what `ended` will do to money once it is folded, if `agent` has an attempt under way.
pub(in crate::world) fn settlement(
    world: &World,
    agent: &AgentName,
    ended: Ended,
) -> Option<Settlement> {
    Some(Metered::of(world.agents.turn(agent)?)?.settlement(ended))
}

/// Settles the attempt that `agent` has under way, if it has one.
pub(in crate::world) fn end_attempt(world: &mut World, agent: &AgentName, ended: Ended) {
    let turn = world.agents.turn_mut(agent);
    if let Some(attempt) = turn.and_then(Metered::take) {
        settle_attempt(world, agent, &attempt, ended);
    }
}

/// An attempt whose end is not folded yet.
pub(in crate::world) struct Metered {
    model: ModelName,
    episode: EpisodeId,
    reserved: Money,
    price: Option<crate::model::money::Price>,
    stream: Option<Position>,
}

impl Metered {
    /// Takes the open attempt out of `turn`, so that it is settled once.
    pub(in crate::world) fn take(turn: &mut Turn) -> Option<Self> {
        let attempt = Self::of(turn)?;
        turn.model.as_mut()?.charge = None;
        Some(attempt)
    }

    /// The open attempt of `turn`.
    fn of(turn: &Turn) -> Option<Self> {
        let ModelState {
            model,
            charge,
            stream,
            ..
        } = turn.model.as_ref()?;
        let Charge { reserved } = (*charge)?;
        let price = turn
            .rules
            .spec()
            .models
            .get(model)
            .and_then(|spec| spec.price);
        Some(Self {
            model: model.clone(),
            episode: turn.episode,
            reserved,
            price,
            stream: *stream,
        })
    }

    /// Tells whether the provider may charge for it. An answer that people saw words of had begun.
    const fn may_cost(&self, ended: Ended) -> bool {
        self.stream.is_some() || ended.may_cost()
    }

    fn settlement(&self, ended: Ended) -> Settlement {
        let Self {
            reserved, price, ..
        } = *self;
        let cost = price.and_then(|price| price.cost(&ended.usage()));
        let possible = if cost.is_none() && self.may_cost(ended) {
            reserved
        } else {
            Money::ZERO
        };
        Settlement {
            reserved,
            settled: cost.unwrap_or_default(),
            possible,
        }
    }
}
