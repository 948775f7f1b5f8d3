//! Token counts.

use folkmoot_core::model::response::Usage;
use serde_json::Value;

/// Reads a `usage` object. Both totals hold their details: cached and written tokens, and
/// reasoning.
pub(super) fn usage(value: &Value) -> Usage {
    let count = |path: &str| value.pointer(path).and_then(Value::as_u64);
    Usage {
        input: count("/input_tokens"),
        output: count("/output_tokens"),
        cached: count("/input_tokens_details/cached_tokens"),
        cache_written: count("/input_tokens_details/cache_write_tokens"),
        reasoning: count("/output_tokens_details/reasoning_tokens"),
    }
}
