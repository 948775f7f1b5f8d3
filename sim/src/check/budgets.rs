//! No limit was passed: counted here, from the events alone.

use std::collections::BTreeMap;

use crate::law::LawFinding;
use folkmoot::core::event::{Event, ModelCalled, Purpose, TurnEvent, TurnOpened};
use folkmoot::core::ids::{AgentName, EpisodeId, Position, TurnId};
use folkmoot::core::spec::Limits;
use folkmoot::core::world::World;

/// What was spent.
#[derive(Debug, Clone, Default)]
pub(super) struct Budgets {
    turns: BTreeMap<TurnId, EpisodeId>,
    calls: BTreeMap<EpisodeId, Spending>,
    last: Option<EpisodeId>,
    /// The widest limits that ever held: a turn goes on under those that it was opened with.
    widest: Option<Limits>,
}

#[derive(Debug, Clone, Default)]
struct Spending {
    own: BTreeMap<AgentName, u32>,
    all: u32,
}

impl Budgets {
    pub(super) fn take(&mut self, at: Position, event: &Event) {
        if let Event::Turn(TurnEvent::TurnOpened(TurnOpened { episode, .. })) = event {
            self.turns.insert(TurnId(at), *episode);
        }
        if let Event::Turn(TurnEvent::ModelCalled(called)) = event
            && called.attempt.0 == 1
        {
            self.spend(called);
        }
    }

    fn spend(
        &mut self,
        ModelCalled {
            agent,
            turn,
            purpose,
            ..
        }: &ModelCalled,
    ) {
        let Some(episode) = self.turns.get(turn) else {
            return;
        };
        let spending = self.calls.entry(*episode).or_default();
        spending.all += 1;
        // Summaries count for all together.
        if *purpose != Purpose::Compaction {
            let own = spending.own.entry(agent.clone()).or_default();
            *own += 1;
        }
        self.last = Some(*episode);
    }

    /// Holds the last that was spent, and all money, against the limits.
    pub(super) fn check(&mut self, world: &World) -> Result<(), LawFinding> {
        let now = &world.rules().spec().limits;
        let limits = self
            .widest
            .take()
            .map_or_else(|| now.clone(), |widest| wider(&widest, now));
        let spent = self
            .last
            .take()
            .and_then(|episode| self.calls.get(&episode));
        let result = spent
            .map_or(Ok(()), |spent| spent.is_within(&limits))
            .and_then(|()| money(world, &limits));
        self.widest = Some(limits);
        result
    }
}

impl Spending {
    fn is_within(&self, limits: &Limits) -> Result<(), LawFinding> {
        let own_max = limits.model_calls_per_agent;
        let all_max = limits.model_calls_per_episode;
        if let Some((agent, own)) = self.own.iter().find(|(_, own)| **own > own_max) {
            return Err(
                format!("{agent} asked its model {own} times in an episode, of {own_max}").into(),
            );
        }
        if self.all > all_max {
            return Err(format!(
                "models were asked {} times in an episode, of {all_max}",
                self.all
            )
            .into());
        }
        Ok(())
    }
}

fn money(world: &World, limits: &Limits) -> Result<(), LawFinding> {
    let in_all = world.meters().total.spent.total();
    if limits.cost.is_some_and(|most| in_all > most) {
        return Err(format!("{in_all} were spent, of {:?}", limits.cost).into());
    }
    let over = |most| {
        world
            .episodes()
            .values()
            .map(|episode| episode.spent.total())
            .find(|spent| *spent > most)
    };
    limits
        .cost_per_episode
        .and_then(over)
        .map_or(Ok(()), |spent| {
            Err(format!(
                "{spent} were spent in an episode, of {:?}",
                limits.cost_per_episode
            )
            .into())
        })
}

fn wider(widest: &Limits, now: &Limits) -> Limits {
    let most = |one: Option<_>, other: Option<_>| {
        one.zip(other).map(|(one, other)| std::cmp::max(one, other))
    };
    Limits {
        model_calls_per_agent: widest.model_calls_per_agent.max(now.model_calls_per_agent),
        model_calls_per_episode: widest
            .model_calls_per_episode
            .max(now.model_calls_per_episode),
        cost: most(widest.cost, now.cost),
        cost_per_episode: most(widest.cost_per_episode, now.cost_per_episode),
        ..now.clone()
    }
}
