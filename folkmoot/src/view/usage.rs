//! Usage of models, and its cost.

use folkmoot_core::ids::{AgentName, ModelName};
use folkmoot_core::model::money::Money;
use folkmoot_core::world::{Meter, World};
use serde::{Deserialize, Serialize};

/// The usage of a model by an agent, or by all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageView {
    /// The scope of the counts.
    pub of: UsageOf,
    /// The agent; `None` where it is of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The model, by its name in the room; `None` where it is of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// The counts.
    #[serde(flatten)]
    pub meter: Meter,
    /// The limit of cost for all together; `None` if there is no such limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Money>,
}

/// The scope of a usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageOf {
    /// An agent, with one of its models.
    Pair,
    /// All further agents and models, of which there are too many to tell them apart.
    Others,
    /// The whole world.
    World,
}

impl UsageView {
    /// Returns the usage of each agent with each of its models, and last of all that of the world.
    #[must_use]
    pub fn all(world: &World) -> Vec<Self> {
        let meters = world.meters();
        let one = |of, meter: &Meter| Self {
            of,
            agent: None,
            model: None,
            meter: *meter,
            limit: None,
        };
        let pairs = meters
            .by_agent
            .iter()
            .flat_map(|(agent, models)| models.iter().map(move |row| (agent, row)));
        let pairs = pairs.map(|(agent, (model, meter))| Self {
            agent: Some(agent.clone()),
            model: Some(model.clone()),
            ..one(UsageOf::Pair, meter)
        });
        let others =
            Some(one(UsageOf::Others, &meters.others)).filter(|others| others.meter.attempts > 0);
        let total = Self {
            limit: world.rules().spec().limits.cost,
            ..one(UsageOf::World, &meters.total)
        };
        pairs.chain(others).chain([total]).collect()
    }
}
