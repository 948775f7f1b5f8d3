//! Bounds on what a tool's output may put into the log.

use folkmoot_core::tool::{ToolOutcome, ToolOutput, ToolSpec};

/// The most bytes of one output that the log keeps, on either track. Larger payloads will be blobs beside the log.
pub const OUTPUT_BYTES_MAX: u64 = 48 * 1024;

/// Cuts what is too long, and says so in its place.
pub(crate) fn cap(outcome: ToolOutcome, spec: &ToolSpec) -> ToolOutcome {
    match outcome {
        ToolOutcome::Done(ToolOutput { text, mut views, summary, whole }) => {
            let max = spec.model_bytes_max.min(OUTPUT_BYTES_MAX);
            views.retain(|view| serde_json::to_string(view).is_ok_and(|view| size(&view) <= OUTPUT_BYTES_MAX));
            let summary = summary.map(|summary| cut(summary, max));
            ToolOutcome::Done(ToolOutput { text: cut(text, max), views, summary, whole })
        }
        ToolOutcome::Failed(mut failure) => {
            failure.detail = cut(failure.detail, OUTPUT_BYTES_MAX);
            ToolOutcome::Failed(failure)
        }
        ToolOutcome::NeedsInput(mut question) => {
            question.text = cut(question.text, OUTPUT_BYTES_MAX);
            ToolOutcome::NeedsInput(question)
        }
    }
}

fn cut(mut text: String, max: u64) -> String {
    let len = size(&text);
    if len <= max {
        return text;
    }
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    text.truncate(text.floor_char_boundary(max));
    let gone = len.saturating_sub(size(&text));
    text.push_str(&format!("\n[cut: {gone} more bytes]"));
    text
}

fn size(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
