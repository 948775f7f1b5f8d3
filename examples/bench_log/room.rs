//! The room of all measurements: two agents, one no-op tool, limits that nobody reaches, and nothing outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use async_trait::async_trait;
use folkmoot::Parts;
use folkmoot::core::content::Content;
use folkmoot::core::ids::{AgentName, ModelName, PersonName, ToolName};
use folkmoot::core::model::response::{LLMResponse, ModelError};
use folkmoot::core::port::{Drafts, Model, ModelCall, Tool, ToolCall};
use folkmoot::core::spec::{AgentSpec, Definition, Limits, ModelSpec, SpecText, WorldSpec};
use folkmoot::core::tool::{EffectClass, ToolOutcome, ToolSpec};
use serde_json::json;

use crate::Fallible;

/// About what a tool or a person says at a time.
pub(crate) const TEXT: &str = "The release notes are ready, the changelog has been read twice, and nobody has found a \
    reason to wait any longer; if the tests on the last two platforms are green by noon we tag it, and if one of them \
    is not we say so in the room and look at it together before anybody goes home.";

/// Whoever speaks.
pub(crate) fn person() -> Fallible<PersonName> {
    Ok(PersonName::new("ada")?)
}

fn model() -> Fallible<ModelName> {
    Ok(ModelName::new("own")?)
}

/// The room.
pub(crate) fn definition() -> Fallible<Definition> {
    let noop = spec()?;
    let agent = |name: &str, tools: Vec<ToolName>| -> Fallible<AgentSpec> {
        Ok(AgentSpec {
            tools,
            ..AgentSpec::new(AgentName::new(name)?, Some(model()?))
        })
    };
    let own = ModelSpec::new("own", "own");
    let mut spec = WorldSpec {
        agents: vec![
            agent("worker", vec![noop.name.clone()])?,
            agent("planner", Vec::new())?,
        ],
        models: [(model()?, own)].into(),
        tools: [(noop.name.clone(), noop)].into(),
        limits: Limits {
            model_calls_per_agent: u32::MAX,
            model_calls_per_episode: u32::MAX,
            tool_calls_per_answer: u32::MAX,
            ..Limits::default()
        },
        ..WorldSpec::default()
    };
    spec.policy.main_agent = Some(AgentName::new("worker")?);
    Ok(Definition {
        spec,
        text: Content::Present(SpecText::default()),
        source: None,
    })
}

fn spec() -> Fallible<ToolSpec> {
    let schema = json!({ "type": "object", "additionalProperties": false });
    Ok(ToolSpec::new(
        ToolName::new("noop")?,
        EffectClass::Read,
        "Does nothing.",
        schema,
    ))
}

/// An answer that asks for one no-op call.
pub(crate) fn one_call() -> LLMResponse {
    LLMResponse::call("noop", &json!({}))
}

/// What the model and the tool of a measurement share with it.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// How often the tool ran.
    pub(crate) runs: AtomicU64,
    /// Whether the model is to end its turns.
    pub(crate) is_over: AtomicBool,
}

/// The parts of the room.
pub(crate) fn parts(meter: &Arc<Meter>) -> Fallible<Parts> {
    let tool = Noop {
        spec: spec()?,
        meter: Arc::clone(meter),
    };
    let mut parts = Parts::default();
    parts
        .models
        .insert(model()?, Arc::new(Asking(Arc::clone(meter))));
    parts.tools.insert(tool.spec.name.clone(), Arc::new(tool));
    Ok(parts)
}

/// Asks for one call per answer until it is told to stop.
#[derive(Debug)]
struct Asking(Arc<Meter>);

#[async_trait]
impl Model for Asking {
    async fn call(&self, _: &ModelCall, _: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        let is_over = self.0.is_over.load(Ordering::Relaxed);
        Ok(if is_over {
            LLMResponse::text("Enough.")
        } else {
            one_call()
        })
    }
}

#[derive(Debug)]
struct Noop {
    spec: ToolSpec,
    meter: Arc<Meter>,
}

#[async_trait]
impl Tool for Noop {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, _: &ToolCall) -> ToolOutcome {
        self.meter.runs.fetch_add(1, Ordering::Relaxed);
        ToolOutcome::text("ok")
    }
}
