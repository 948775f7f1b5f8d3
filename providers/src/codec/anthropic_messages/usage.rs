//! Token counts. The wire counts what came from the cache, what went into it, and the rest of the
//! request apart.

use std::collections::BTreeSet;

use folkmoot_core::model::response::Usage;
use serde_json::Value;

use crate::codec::json::{Fields, fields_of, is_blank};

/// Facts about the counts that say nothing about the answer.
const METADATA: &[&str] = &[
    "service_tier",
    "inference_geo",
    "speed",
    "cost",
    "cost_details",
    "is_byok",
];

/// The counts as far as they have come.
#[derive(Debug, Clone, Default)]
pub(super) struct TokenCounts {
    told: CountsTold,
    /// The counts of all steps of the answer, one by one. Where the provider summed up the
    /// conversation on the way, the counts of the answer leave that out, and these do not.
    of_steps: CountsTold,
    models: BTreeSet<String>,
    /// The counts of messages whose place another one took.
    earlier: Usage,
}

/// The counts of one message, or of one step of it.
#[derive(Debug, Clone, Copy, Default)]
struct CountsTold {
    uncached: Option<u64>,
    output: Option<u64>,
    cached: Option<u64>,
    cache_written: Option<u64>,
    reasoning: Option<u64>,
}

impl TokenCounts {
    /// Takes a `usage` object: what it says replaces what was said before. Gives the fields that it
    /// does not know, where they say more than zero.
    pub(super) fn take(&mut self, usage: Value) -> Fields {
        let mut fields = fields_of(usage);
        if let Some(Value::Array(steps)) = fields.get("iterations") {
            self.take_steps(steps);
        }
        fields.retain(|name, value| {
            !self.told.take(name, value) && !METADATA.contains(&name.as_str())
        });
        fields.retain(|_, value| !is_nothing(value));
        fields
    }

    fn take_steps(&mut self, steps: &[Value]) {
        self.of_steps = CountsTold::default();
        for fields in steps.iter().filter_map(Value::as_object) {
            let mut step = CountsTold::default();
            for (name, value) in fields {
                step.take(name, value);
            }
            self.of_steps = self.of_steps.plus(step);
            self.models.extend(
                fields
                    .get("model")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
        }
    }

    /// Tells whether more than one model made the answer, as far as the provider says.
    pub(super) fn has_several_models(&self) -> bool {
        self.models.len() > 1
    }

    /// Another message takes the place of this one, which was counted all the same.
    pub(super) fn begin_again(&mut self) {
        let earlier = self.usage();
        *self = Self {
            earlier,
            models: std::mem::take(&mut self.models),
            ..Self::default()
        };
    }

    /// The counts of the answer. The input is that of the whole request.
    pub(super) fn usage(&self) -> Usage {
        let CountsTold {
            uncached,
            output,
            cached,
            cache_written,
            reasoning,
        } = self.told.at_least(self.of_steps);
        let of_cache = cached
            .unwrap_or_default()
            .saturating_add(cache_written.unwrap_or_default());
        let input = uncached.map(|uncached| uncached.saturating_add(of_cache));
        let Usage {
            input: a,
            output: b,
            cached: c,
            cache_written: d,
            reasoning: e,
        } = self.earlier;
        Usage {
            input: sum(a, input),
            output: sum(b, output),
            cached: sum(c, cached),
            cache_written: sum(d, cache_written),
            reasoning: sum(e, reasoning),
        }
    }
}

impl CountsTold {
    /// Takes a count. False if it is none that is known.
    fn take(&mut self, name: &str, value: &Value) -> bool {
        let slot = match name {
            "input_tokens" => &mut self.uncached,
            "output_tokens" => &mut self.output,
            "cache_read_input_tokens" => &mut self.cached,
            "cache_creation_input_tokens" => &mut self.cache_written,
            "output_tokens_details" => &mut self.reasoning,
            _ => return false,
        };
        let count = if value.is_object() {
            value.get("thinking_tokens")
        } else {
            Some(value)
        };
        *slot = count.and_then(Value::as_u64).or(*slot);
        true
    }

    fn plus(self, other: Self) -> Self {
        self.with(other, sum)
    }

    fn at_least(self, other: Self) -> Self {
        self.with(other, Ord::max)
    }

    fn with(self, other: Self, join: fn(Option<u64>, Option<u64>) -> Option<u64>) -> Self {
        Self {
            uncached: join(self.uncached, other.uncached),
            output: join(self.output, other.output),
            cached: join(self.cached, other.cached),
            cache_written: join(self.cache_written, other.cache_written),
            reasoning: join(self.reasoning, other.reasoning),
        }
    }
}

/// The sum of what is known.
fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    [a, b].into_iter().flatten().reduce(u64::saturating_add)
}

/// Tells whether a value is blank, zero, or holds only such values.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Object(fields) => fields.values().all(is_nothing),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) => is_blank(value),
    }
}
