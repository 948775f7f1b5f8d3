//! A tool does not say itself what a model sees of its output: there is no method to override.
use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::prompt::border::ModelView;
use folkmoot_core::tool::{ToolOutcome, ToolSpec};

#[derive(Debug)]
struct Mine(ToolSpec);

#[async_trait]
impl Tool for Mine {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(&self, _call: &ToolCall) -> ToolOutcome {
        ToolOutcome::text("done")
    }

    fn model_view(&self, _outcome: &ToolOutcome) -> ModelView {
        unreachable!()
    }
}

fn main() {}
