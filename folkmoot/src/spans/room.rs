//! The definitions of a world, as far as spans tell of them: which model an agent has, and who provides it.

use std::collections::BTreeMap;

use folkmoot_core::event::{Event, WorldEvent};
use folkmoot_core::ids::{AgentName, ModelName};
use folkmoot_core::model::Parameters;
use folkmoot_core::spec::{AgentSpec, ModelSpec, WorldSpec};

use super::span::{Attribute, AttributeValue};

/// The agents and models in force.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    agents: BTreeMap<AgentName, AgentSpec>,
    models: BTreeMap<ModelName, ModelSpec>,
}

/// A model that is asked, and how.
#[derive(Debug, Clone)]
pub(super) struct AskedModel {
    /// The provider, by the word of the semantic conventions; `None` if the definition in force has no such model any more.
    pub(super) provider: Option<String>,
    /// The provider's name of the model.
    pub(super) model: String,
    parameters: Parameters,
}

impl Definitions {
    pub(super) fn learn(&mut self, event: &Event) {
        if let Event::World(WorldEvent::WorldOpened(opened)) = event {
            self.replace(&opened.spec);
        } else if let Event::World(WorldEvent::SpecRevised(revised)) = event {
            self.replace(&revised.spec);
        }
    }

    fn replace(&mut self, spec: &WorldSpec) {
        let agents = spec.agents.iter();
        self.agents = agents
            .map(|agent| (agent.name.clone(), agent.clone()))
            .collect();
        self.models.clone_from(&spec.models);
    }

    /// The model of an agent; `None` for one in code.
    pub(super) fn model_of(&self, agent: &AgentName) -> Option<AskedModel> {
        let model = self.agents.get(agent)?.model.as_ref()?;
        Some(self.asked(agent, model, &Parameters::default()))
    }

    /// The model `model`, asked by `agent` with `parameters`.
    pub(super) fn asked(
        &self,
        agent: &AgentName,
        model: &ModelName,
        parameters: &Parameters,
    ) -> AskedModel {
        let spec = self.models.get(model);
        let of_agent = self.agents.get(agent).map(|agent| &agent.parameters);
        let of_model = spec.map(|spec| &spec.parameters);
        let layers = [of_agent, of_model].into_iter().flatten();
        AskedModel {
            provider: spec.map(|spec| provider(&spec.provider).to_owned()),
            model: spec.map_or_else(|| model.to_string(), |spec| spec.model.clone()),
            parameters: layers.fold(parameters.clone(), |upper, lower| upper.or(lower)),
        }
    }
}

impl AskedModel {
    /// The attributes that say who is asked.
    pub(super) fn names(&self) -> Vec<Attribute> {
        let provider = self.provider.as_deref();
        let provider = provider.map(|name| Attribute::text("gen_ai.provider.name", name));
        let model = Attribute::text("gen_ai.request.model", self.model.as_str());
        provider.into_iter().chain([model]).collect()
    }

    /// The attributes that say how.
    pub(super) fn parameters(&self) -> Vec<Attribute> {
        let number = |key, value: Option<u32>| value.map(|value| Attribute::number(key, value));
        let thousandths = |key, value: Option<u32>| {
            let value = value.map(AttributeValue::Thousandths);
            value.map(|value| Attribute { key, value })
        };
        let asked = &self.parameters;
        [
            number("gen_ai.request.max_tokens", asked.output_tokens_max),
            number("gen_ai.request.seed", asked.seed),
            thousandths("gen_ai.request.temperature", asked.temperature_milli),
            thousandths("gen_ai.request.top_p", asked.top_p_milli),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// The conventions' name of a provider; one that they do not know has our own name.
fn provider(name: &str) -> &str {
    match name {
        "openai-chat" | "openai-responses" => "openai",
        "azure" => "azure.ai.openai",
        "anthropic-messages" => "anthropic",
        "google-generate-content" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        other => other,
    }
}
