//! What a model sees of a tool's output, by the tool's view policy.

use crate::tool::{ToolOutput, ViewPolicy};

/// What is told of an output that a model may see nothing of.
const NOTHING: &str = "done: The tool ran. What it gave is for people only.";
/// What is told of an output that has no summary.
const NO_SUMMARY: &str = "done: The tool ran. It gave no summary, and the rest is for people only.";

/// What a model sees of an output.
pub(super) enum Seen {
    /// Words of the tool.
    Data(String),
    /// A fixed sentence.
    Sentence(&'static str),
}

/// What a model sees of `output` under `policy`.
pub(super) fn seen(output: &ToolOutput, policy: ViewPolicy) -> Seen {
    match policy {
        ViewPolicy::Full => Seen::Data(output.text.clone()),
        ViewPolicy::Summary => output.summary.clone().map_or(Seen::Sentence(NO_SUMMARY), Seen::Data),
        // No aggregates are made yet, and rows never cross.
        ViewPolicy::Aggregates { .. } | ViewPolicy::None => Seen::Sentence(NOTHING),
    }
}
