//! Token counts, in the dialects in which servers give them.

use folkmoot_core::model::response::Usage;
use serde_json::Value;

/// Reads a `usage` object.
pub(super) fn usage(value: &Value) -> Usage {
    let count = |path: &str| value.pointer(path).and_then(Value::as_u64);
    let input = count("/prompt_tokens").or_else(|| count("/input_tokens"));
    let reasoning =
        count("/completion_tokens_details/reasoning_tokens").or_else(|| count("/reasoning_tokens"));
    let cached = count("/prompt_tokens_details/cached_tokens")
        .or_else(|| count("/prompt_cache_hit_tokens"))
        .or_else(|| count("/cache_read_input_tokens"));
    let cache_written = count("/prompt_tokens_details/cache_write_tokens")
        .or_else(|| count("/cache_creation_input_tokens"));
    let output = count("/completion_tokens")
        .or_else(|| count("/output_tokens"))
        .map(|output| {
            output.saturating_add(
                left_out(input, output, reasoning, count("/total_tokens")).unwrap_or_default(),
            )
        });
    Usage {
        input,
        output,
        cached,
        cache_written,
        reasoning,
    }
}

/// Some servers leave the reasoning out of `completion_tokens`; the total tells which.
fn left_out(
    input: Option<u64>,
    output: u64,
    reasoning: Option<u64>,
    total: Option<u64>,
) -> Option<u64> {
    let reasoning = reasoning?;
    (input?.checked_add(output)?.checked_add(reasoning)? == total?).then_some(reasoning)
}
