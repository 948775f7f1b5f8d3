//! An agent that is a manifest: its model asks for calls of one tool, one in each answer, and then says something.

use agentplane::model::{Completion, ModelError, ModelId, ModelProvider, Request, ToolCall, Usage};
use agentplane::tools::{Tool, ToolFailure};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::plane::Shared;

/// What the worker provides.
pub(crate) const NAME: &str = "peers.talk";

/// A model that counts by the labels of its calls.
#[derive(Debug)]
pub(crate) struct Scripted {
    pub(crate) rounds: usize,
}

#[async_trait]
impl ModelProvider for Scripted {
    fn gen_ai_provider(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, request: Request<'_>) -> Result<Completion, ModelError> {
        let shared = Shared::get().map_err(|why| unreachable(request.model, why))?;
        let last = request.exchanges.last();
        let asked = last.map_or(0, |exchange| exchange.call.id.parse().unwrap_or(0) + 1);
        let usage = Usage {
            input_tokens: 1,
            output_tokens: 1,
            ..Usage::default()
        };
        Ok(if asked < self.rounds && !shared.meter.is_over() {
            Completion {
                tool_calls: vec![ToolCall {
                    id: asked.to_string(),
                    name: "peers__record".to_owned(),
                    arguments: json!({}),
                }],
                usage,
                stop_reason: Some("tool_use".to_owned()),
                ..Completion::default()
            }
        } else {
            Completion {
                text: shared.texts.next(),
                usage,
                stop_reason: Some("end_turn".to_owned()),
                ..Completion::default()
            }
        })
    }
}

fn unreachable(model: &ModelId, detail: &str) -> ModelError {
    ModelError::Unreachable {
        model: model.clone(),
        detail: detail.to_owned(),
    }
}

/// Records something.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Record {}

#[async_trait]
impl Tool for Record {
    const SERVER: &'static str = "peers";
    const NAME: &'static str = "record";

    fn mutates() -> bool {
        false
    }

    async fn call(self) -> Result<Value, ToolFailure> {
        let shared = Shared::get().map_err(|why| ToolFailure::DidNotHappen(why.to_owned()))?;
        shared.meter.tick();
        Ok(json!(shared.texts.next()))
    }
}
