//! The agent behind which a model stands.

use async_trait::async_trait;
use folkmoot_core::model::Parameters;
use folkmoot_core::port::{Agent, AgentError, Reaction, TextEvent, ToolResultEvent, TurnView};

/// Asks its model, whatever the news.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelAgent;

#[async_trait]
impl Agent for ModelAgent {
    fn standing(&self) -> Option<Parameters> {
        Some(Parameters::default())
    }

    async fn on_text(&self, _view: &TurnView, _news: &[TextEvent]) -> Result<Reaction, AgentError> {
        Ok(Reaction::AskModel(Parameters::default()))
    }

    async fn on_tool_results(
        &self,
        _view: &TurnView,
        _results: &[ToolResultEvent],
    ) -> Result<Reaction, AgentError> {
        Ok(Reaction::AskModel(Parameters::default()))
    }
}
