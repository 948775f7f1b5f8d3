//! The parts of a world that performs nothing by itself. No tool, no agent in code and no model
//! that asks anybody is even made: what is not in the record does not happen.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::content::canonical::arguments_digest;
use folkmoot_core::model::response::{LLMResponse, ModelError, ModelErrorKind};
use folkmoot_core::port::{
    Agent, AgentError, Drafts, Model, ModelCall, Reaction, TextEvent, Tool, ToolCall,
    ToolResultEvent, TurnView,
};
use folkmoot_core::spec::rules::schema_digest;
use folkmoot_core::spec::{Definition, ModelSpec};
use folkmoot_core::tool::{Reconciliation, ToolErrorCode, ToolOutcome, ToolSpec};

use super::record::{RunKey, WorldRecord};
use crate::parts::{Assemble, AssembleError, Parts};

/// The providers that play what was written down, and ask nobody.
const PLAYED: [&str; 2] = ["scripted", "recorded"];

/// Makes the parts of `definition`, all of them answered from `record`.
pub(super) fn assemble(
    assembler: &dyn Assemble,
    definition: &Definition,
    base: Option<&Path>,
    record: &Arc<WorldRecord>,
) -> Result<Parts, AssembleError> {
    let mut played = definition.clone();
    // Cleared before anything is made: a part that is not there cannot perform anything (decision
    // 0019).
    played.spec.tools.clear();
    played.spec.models.retain(|_, model| is_played(model));
    let mut made = assembler.assemble(&played, base)?;
    let models = definition.spec.models.iter().map(|(name, spec)| {
        let plays = made.models.remove(name).filter(|_| is_played(spec));
        let model: Arc<dyn Model> = Arc::new(RecordedAnswers {
            record: Arc::clone(record),
            plays,
        });
        (name.clone(), model)
    });
    let models = models.collect();
    let tools = definition.spec.tools.iter().map(|(name, spec)| {
        let tool: Arc<dyn Tool> = Arc::new(RecordedRuns {
            record: Arc::clone(record),
            spec: spec.clone(),
        });
        (name.clone(), tool)
    });
    let in_code = definition
        .spec
        .agents
        .iter()
        .filter(|agent| agent.model.is_none());
    let agents = in_code
        .map(|agent| (agent.name.clone(), Arc::new(Silent) as Arc<dyn Agent>))
        .collect();
    Ok(Parts {
        models,
        tools: tools.collect(),
        agents,
        secrets: made.secrets,
    })
}

fn is_played(model: &ModelSpec) -> bool {
    PLAYED.contains(&model.provider.as_str())
}

/// Gives the answers of the record; else those that were written down for it.
#[derive(Debug)]
struct RecordedAnswers {
    record: Arc<WorldRecord>,
    plays: Option<Arc<dyn Model>>,
}

#[async_trait]
impl Model for RecordedAnswers {
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        if let Some(answer) = self.record.answer(call.request.fingerprint()).await {
            return Ok(answer);
        }
        match &self.plays {
            Some(plays) => plays.call(call, drafts).await,
            None => Err(ModelError::new(
                ModelErrorKind::DryRun,
                "this room asks no model: the request is not in its record",
            )),
        }
    }

    fn takes_file(&self, media_type: &str) -> bool {
        self.plays
            .as_ref()
            .is_some_and(|plays| plays.takes_file(media_type))
    }
}

/// Gives the results of the record.
#[derive(Debug)]
struct RecordedRuns {
    record: Arc<WorldRecord>,
    spec: ToolSpec,
}

#[async_trait]
impl Tool for RecordedRuns {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let dry = || ToolOutcome::failed(ToolErrorCode::DryRun, "not run: this room is a dry run");
        if call.input.is_some() {
            // What the tool made of somebody's answer in the record is not what it would make of
            // this one.
            return dry();
        }
        let arguments = arguments_digest(&call.arguments.to_string());
        let run = RunKey {
            tool: self.spec.name.clone(),
            schema: schema_digest(&self.spec),
            arguments,
        };
        self.record.outcome(&run).await.unwrap_or_else(dry)
    }

    async fn reconcile(&self, _call: &ToolCall) -> Reconciliation {
        // Whatever was started here did nothing.
        Reconciliation::DidNot
    }
}

/// Stands where an agent in code would: it says nothing.
#[derive(Debug, Clone, Copy)]
struct Silent;

#[async_trait]
impl Agent for Silent {
    async fn on_text(&self, _view: &TurnView, _news: &[TextEvent]) -> Result<Reaction, AgentError> {
        Ok(Reaction::Pass { note: None })
    }

    async fn on_tool_results(
        &self,
        _view: &TurnView,
        _results: &[ToolResultEvent],
    ) -> Result<Reaction, AgentError> {
        Ok(Reaction::Pass { note: None })
    }
}
