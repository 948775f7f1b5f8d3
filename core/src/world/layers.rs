//! The layers of a model request: who the agent is, and what people wrote for it.

use std::borrow::Cow;

use super::World;
use crate::ids::AgentName;
use crate::request::{Layer, LayerKind};
use crate::rules::Rules;
use crate::spec::{AgentSpec, SpecText};

/// How many other agents an agent is told of by name, in roster order.
const NAMES_MAX: usize = 50;

/// What an agent must know of routing.
const HOW_TO_ADDRESS: &str = "To address someone, begin a line with their @name. What you answer without addressing \
     anybody goes back to whoever you answer. End with <world>pass</world> if nobody needs to answer you.";

impl World {
    /// What people wrote for `agent`, by which it works: that of its open turn, else what is in force.
    pub(super) fn layers_of(&self, agent: &AgentName) -> Cow<'_, [Layer]> {
        match self.memories.get(agent).and_then(|memory| memory.turn.as_ref()) {
            Some(turn) => Cow::Borrowed(&turn.layers),
            None => Cow::Owned(self.spec_text.present().map(|text| written(text, agent)).unwrap_or_default()),
        }
    }
}

/// The layers that people wrote; those without text are left out.
fn written(text: &SpecText, agent: &AgentName) -> Vec<Layer> {
    let layers = [
        (LayerKind::Role, text.prompts.get(agent)),
        (LayerKind::Rules, text.rules.as_ref()),
        (LayerKind::Context, text.context.as_ref()),
        (LayerKind::Task, text.tasks.get(agent)),
    ];
    let layer = |(kind, text): (LayerKind, Option<&String>)| {
        let text = text.filter(|text| !text.trim().is_empty())?.clone();
        Some(Layer { kind, text })
    };
    layers.into_iter().filter_map(layer).collect()
}

/// Who `agent` is and who else is here. Its length does not depend on the room's.
pub(super) fn identity(rules: &Rules, agent: &AgentSpec) -> Layer {
    let shown = agent.display.as_ref().map_or_else(String::new, |display| format!(" ({display})"));
    let text = format!(
        "You are @{}{shown} in a room of people and agents. {} {HOW_TO_ADDRESS}",
        agent.name,
        others(rules, &agent.name)
    );
    Layer { kind: LayerKind::Identity, text }
}

fn others(rules: &Rules, agent: &AgentName) -> String {
    let agents = &rules.spec().agents;
    let named = agents.iter().filter(|other| other.name != *agent).take(NAMES_MAX);
    let named: Vec<String> = named.map(|other| format!("@{}", other.name)).collect();
    let more = agents.len().saturating_sub(1).saturating_sub(NAMES_MAX);
    match (named.is_empty(), more) {
        (true, _) => "No other agent is here.".to_owned(),
        (false, 0) => format!("Other agents here: {}.", named.join(", ")),
        (false, more) => format!("Other agents here: {} and {more} more.", named.join(", ")),
    }
}
