//! What holds of attempts and of money, computed from the events once more.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::*;
use crate::ids::{AgentName, Attempt, EpisodeId, ModelCallId};
use crate::model::money::{Money, Price};
use crate::model::response::Reached;
use crate::spec::WorldSpec;
use crate::world::{Spent, World};

/// An attempt without an outcome.
#[derive(Debug, Clone)]
struct Open {
    reserved: Reserved,
    episode: EpisodeId,
    price: Option<Price>,
    is_shown: bool,
}

/// Attempts and money beside the live world.
#[derive(Debug, Clone, Default)]
pub(super) struct Books {
    open: BTreeMap<AgentName, Open>,
    spent: Money,
    of_episodes: BTreeMap<EpisodeId, Money>,
    ended: BTreeSet<(ModelCallId, Attempt)>,
    answered: BTreeSet<ModelCallId>,
    failed: BTreeMap<ModelCallId, usize>,
    attempts: u64,
}

impl Books {
    /// Folds an event; `world` is the one behind its commit.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "no other event is about an attempt"
    )]
    pub(super) fn watch(
        &mut self,
        event: &Event,
        turns: &BTreeMap<crate::ids::TurnId, EpisodeId>,
        world: &World,
    ) {
        match event {
            // Whatever models were told before an erasure is given up.
            Event::World(WorldEvent::Opened(_))
            | Event::World(WorldEvent::Forked(_))
            | Event::World(WorldEvent::ErasureRequested(_)) => self
                .open
                .keys()
                .cloned()
                .collect::<Vec<_>>()
                .iter()
                .for_each(|agent| self.lose(agent)),
            Event::Turn(TurnEvent::TurnClosed(TurnClosed { agent, .. })) => self.lose(agent),
            Event::Turn(TurnEvent::ModelCalled(called)) => {
                self.lose(&called.agent);
                self.begin(called, turns[&called.turn], world);
            }
            Event::Turn(TurnEvent::StreamStarted(StreamStarted { agent, .. })) => {
                self.open.get_mut(agent).unwrap().is_shown = true;
            }
            Event::Turn(TurnEvent::ModelAnswered(ModelAnswered {
                agent,
                call,
                attempt,
                usage,
                ..
            })) => {
                self.end(*call, *attempt);
                assert!(self.answered.insert(*call), "{call} has two answers");
                self.settle(agent, |open| {
                    let cost = open.price.and_then(|price| price.cost(usage));
                    cost.unwrap_or(open.reserved.attempt)
                });
            }
            Event::Turn(TurnEvent::ModelFailed(ModelFailed {
                agent,
                call,
                attempt,
                kind,
                reached,
                ..
            })) => {
                self.end(*call, *attempt);
                *self.failed.entry(*call).or_default() += 1;
                self.settle(agent, |open| {
                    if open.is_shown || Reached::may_cost(*reached, *kind) {
                        open.reserved.attempt
                    } else {
                        Money::ZERO
                    }
                });
            }
            _ => {}
        }
    }

    fn begin(&mut self, called: &ModelCalled, episode: EpisodeId, world: &World) {
        assert!(
            !self.answered.contains(&called.call),
            "{} is asked after its answer",
            called.call
        );
        self.attempts += 1;
        let rules = world
            .memory(&called.agent)
            .and_then(|memory| memory.turn.as_ref());
        let spec = rules.map_or(world.rules(), |turn| &turn.rules).spec();
        let price = spec.models[&called.model].price;
        assert_eq!(
            price.is_some(),
            called.reserved.is_some(),
            "money is set aside where there is a price"
        );
        let chain = spec.models_of(spec.agent(&called.agent).unwrap()).count();
        let failed = self.failed.get(&called.call).copied().unwrap_or_default();
        assert!(
            failed < chain * spec.limits.attempts as usize,
            "attempt {} of {}",
            called.attempt,
            called.call
        );
        let reserved = called.reserved.unwrap_or_default();
        self.open.insert(
            called.agent.clone(),
            Open {
                reserved,
                episode,
                price,
                is_shown: false,
            },
        );
        self.is_within(spec, episode, reserved.closing);
    }

    /// With its closing call, an attempt that begins is within the limits.
    fn is_within(&self, spec: &WorldSpec, episode: EpisodeId, closing: Money) {
        let of_open = |of: Option<EpisodeId>| -> Money {
            let open = self
                .open
                .values()
                .filter(|open| of.is_none_or(|of| open.episode == of));
            open.map(|open| open.reserved.attempt).sum()
        };
        let all = self.spent.plus(of_open(None)).plus(closing);
        assert!(
            spec.limits.cost.is_none_or(|most| all <= most),
            "{all} in all"
        );
        let spent = self.of_episodes.get(&episode).copied().unwrap_or_default();
        let all = spent.plus(of_open(Some(episode))).plus(closing);
        assert!(
            spec.limits.cost_per_episode.is_none_or(|most| all <= most),
            "{all} in {episode}"
        );
    }

    fn end(&mut self, call: ModelCallId, attempt: Attempt) {
        assert!(
            self.ended.insert((call, attempt)),
            "{call} has two outcomes of attempt {attempt}"
        );
    }

    fn lose(&mut self, agent: &AgentName) {
        self.settle(agent, |open| open.reserved.attempt);
    }

    fn settle(&mut self, agent: &AgentName, cost: impl Fn(&Open) -> Money) {
        let Some(open) = self.open.remove(agent) else {
            return;
        };
        let cost = cost(&open);
        self.spent = self.spent.plus(cost);
        let of_episode = self.of_episodes.entry(open.episode).or_default();
        *of_episode = of_episode.plus(cost);
    }

    /// The world says the same, and stays within its limits as long as nobody counts more than the worst case.
    pub(super) fn agree(&self, world: &World) {
        let meters = world.meters();
        let Spent {
            settled,
            possible,
            reserved,
        } = meters.total.spent;
        assert_eq!(settled.plus(possible), self.spent);
        assert_eq!(
            reserved,
            self.open.values().map(|open| open.reserved.attempt).sum()
        );
        assert_eq!(meters.total.attempts, self.attempts);
        let ended = meters.total.answered + meters.total.failed + meters.total.lost;
        assert_eq!(
            meters.total.attempts,
            ended + self.open.len() as u64,
            "each attempt ends once"
        );
        let rows = || meters.by_agent.values().flat_map(BTreeMap::values);
        assert_eq!(
            rows().map(|row| row.spent.total()).sum::<Money>(),
            meters.total.spent.total()
        );
        assert_eq!(
            rows().map(|row| row.attempts).sum::<u64>(),
            meters.total.attempts
        );
        let limits = &world.rules().spec().limits;
        assert!(
            limits
                .cost
                .is_none_or(|most| meters.total.spent.total() <= most),
            "over the limit"
        );
        for (id, episode) in world.episodes() {
            let open: Money = self
                .open
                .values()
                .filter(|open| open.episode == *id)
                .map(|open| open.reserved.attempt)
                .sum();
            assert_eq!(episode.spent.reserved, open);
            assert!(
                limits
                    .cost_per_episode
                    .is_none_or(|most| episode.spent.total() <= most),
                "over the limit"
            );
        }
    }
}
