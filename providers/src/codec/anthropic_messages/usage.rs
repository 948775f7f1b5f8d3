//! Token counts. The wire counts what came from the cache, what went into it, and the rest of the request apart.

use folkmoot_core::response::Usage;
use serde_json::Value;

use crate::codec::json::{Fields, fields_of, is_blank};

/// Facts about the counts that say nothing about the answer.
const METADATA: &[&str] = &["service_tier", "inference_geo", "speed", "cost", "cost_details", "is_byok"];

/// The counts as far as they have come.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    uncached: Option<u64>,
    output: Option<u64>,
    cached: Option<u64>,
    cache_written: Option<u64>,
    reasoning: Option<u64>,
}

impl Counts {
    /// Takes a `usage` object: what it says replaces what was said before. Gives the fields that it does not know, where
    /// they say more than zero.
    pub(super) fn take(&mut self, usage: Value) -> Fields {
        let mut unknown = Fields::new();
        for (name, value) in fields_of(usage) {
            let slot = match name.as_str() {
                "input_tokens" => &mut self.uncached,
                "output_tokens" => &mut self.output,
                "cache_read_input_tokens" => &mut self.cached,
                "cache_creation_input_tokens" => &mut self.cache_written,
                "output_tokens_details" => &mut self.reasoning,
                field if METADATA.contains(&field) => continue,
                _ if is_nothing(&value) => continue,
                _ => {
                    unknown.insert(name, value);
                    continue;
                }
            };
            let count = if value.is_object() { value.get("thinking_tokens") } else { Some(&value) };
            *slot = count.and_then(Value::as_u64).or(*slot);
        }
        unknown
    }

    /// The counts of the answer. The input is that of the whole request.
    pub(super) fn usage(self) -> Usage {
        let Self { uncached, output, cached, cache_written, reasoning } = self;
        let of_cache = cached.unwrap_or_default().saturating_add(cache_written.unwrap_or_default());
        let input = uncached.map(|uncached| uncached.saturating_add(of_cache));
        Usage { input, output, cached, cache_written, reasoning }
    }
}

/// Whether a value is blank, zero, or holds only such values.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Object(fields) => fields.values().all(is_nothing),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) => is_blank(value),
    }
}
