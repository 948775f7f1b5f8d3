//! The parameters of the answer.

use folkmoot_core::model::{Effort, OutputFormat, Parameters, Reasoning, ToolChoice};
use serde_json::{Value, json};

use super::super::{AnthropicMessages, ApiVersion};
use super::AnthropicBody;
use crate::codec::json::{Fields, text_of};
use crate::codec::warning;

/// The least tokens of a limit of thinking.
const THINKING_TOKENS_MIN: u32 = 1_024;

/// Writes all parameters but those of tools and of the cache, for a body that has its tools.
pub(super) fn put(
    body: &mut AnthropicBody,
    codec: AnthropicMessages,
    parameters: &Parameters,
    may_think: bool,
) {
    let budget = parameters
        .reasoning
        .and_then(|reasoning| reasoning.tokens_max)
        .unwrap_or_default();
    // The budget of reasoning counts as part of the answer, and must be less than its limit.
    let default = codec.output_tokens_default.saturating_add(budget);
    body.put(
        "max_tokens",
        json!(parameters.output_tokens_max.unwrap_or(default)),
    );
    if !parameters.stop.is_empty() {
        body.put("stop_sequences", json!(parameters.stop));
    }
    body.warn_if(parameters.seed.is_some(), warning::SEED_NOT_CARRIED);
    if let Some(reasoning) = parameters.reasoning {
        put_thinking(body, reasoning, parameters.output_tokens_max, may_think);
    }
    put_sampling(body, codec.api_version, parameters);
    put_output_config(body, parameters);
}

/// Tells whether the model is to think: the wire then takes hardly any sampling.
fn thinks(body: &AnthropicBody) -> bool {
    body.fields
        .get("thinking")
        .is_some_and(|thinking| text_of(thinking.get("type")) != "disabled")
}

/// Tells whether the model must call a tool, about which it may not think first.
fn must_call(body: &AnthropicBody) -> bool {
    let choice = body.fields.get("tool_choice");
    choice.is_some_and(|choice| matches!(text_of(choice.get("type")), "any" | "tool"))
}

fn put_sampling(body: &mut AnthropicBody, version: ApiVersion, parameters: &Parameters) {
    // What the wire takes, alone and beside thinking.
    let settings = [
        (
            "temperature",
            parameters.temperature_milli,
            [0..=1_000, 1_000..=1_000],
            warning::TEMPERATURE_NOT_CARRIED,
        ),
        (
            "top_p",
            parameters.top_p_milli,
            [0..=1_000, 950..=1_000],
            warning::TOP_P_NOT_CARRIED,
        ),
    ];
    let thinks = thinks(body);
    for (field, milli, [alone, beside], warning) in settings {
        let Some(milli) = milli else { continue };
        let taken = if thinks { beside } else { alone };
        if version == ApiVersion::V20230601 && taken.contains(&milli) {
            body.put(field, json!(f64::from(milli) / 1000.0));
        } else {
            body.warn_if(true, warning);
        }
    }
}

/// Reasoning with a limit is `enabled`, one without is `adaptive`: the model decides how much. A
/// limit that leaves no token for the answer is refused, so that such reasoning is left out, as in
/// a short summary by an agent that reasons. So is any limit where the turn was begun without
/// thinking, or one that is too low; `adaptive` has no such rule. No thinking goes with a call that
/// is forced.
fn put_thinking(
    body: &mut AnthropicBody,
    reasoning: Reasoning,
    output_tokens_max: Option<u32>,
    may_think: bool,
) {
    let mut thinking = Fields::new();
    let mut set = |field: &str, value: Value| drop(thinking.insert(field.to_owned(), value));
    match (reasoning.effort, reasoning.tokens_max) {
        (Some(Effort::None), tokens_max) => {
            body.warn_if(
                tokens_max.is_some_and(|tokens| tokens > 0),
                warning::REASONING_TOKENS_NOT_CARRIED,
            );
            set("type", json!("disabled"));
        }
        (_, Some(0)) => set("type", json!("disabled")),
        // The wire refuses thinking together with a forced call. The call is what was asked for.
        _ if must_call(body) => return body.warn_if(true, warning::REASONING_NOT_CARRIED),
        (_, Some(tokens))
            if !may_think
                || tokens < THINKING_TOKENS_MIN
                || output_tokens_max.is_some_and(|most| most <= tokens) =>
        {
            return body.warn_if(true, warning::REASONING_TOKENS_NOT_CARRIED);
        }
        (_, Some(tokens)) => {
            set("type", json!("enabled"));
            set("budget_tokens", json!(tokens));
        }
        (_, None) => set("type", json!("adaptive")),
    }
    let is_off = reasoning.effort == Some(Effort::None) || reasoning.tokens_max == Some(0);
    if let Some(show) = reasoning.show.filter(|_| !is_off) {
        set(
            "display",
            json!(if show { "summarized" } else { "omitted" }),
        );
    }
    body.put("thinking", Value::Object(thinking));
}

fn put_output_config(body: &mut AnthropicBody, parameters: &Parameters) {
    let mut config = Fields::new();
    match parameters.reasoning.and_then(|reasoning| reasoning.effort) {
        None | Some(Effort::None) => {}
        // The wire has nothing below.
        Some(Effort::Minimal) => {
            body.warn_if(true, warning::REASONING_EFFORT_RAISED);
            config.insert("effort".to_owned(), json!(Effort::Low.word()));
        }
        Some(
            effort @ (Effort::Low | Effort::Medium | Effort::High | Effort::Xhigh | Effort::Max),
        ) => {
            config.insert("effort".to_owned(), json!(effort.word()));
        }
    }
    match &parameters.output {
        None => {}
        Some(OutputFormat::Json) => body.warn_if(true, warning::OUTPUT_NOT_CARRIED),
        // The wire has no name for a schema, and always holds the answer to it.
        Some(OutputFormat::Schema { schema, strict, .. }) => {
            body.warn_if(*strict == Some(false), warning::OUTPUT_STRICT_NOT_CARRIED);
            config.insert(
                "format".to_owned(),
                json!({ "type": "json_schema", "schema": schema }),
            );
        }
    }
    if !config.is_empty() {
        body.put("output_config", Value::Object(config));
    }
}

/// Writes which tools may be called. Only for a request with tools.
pub(super) fn put_tool_choice(body: &mut AnthropicBody, parameters: &Parameters) {
    let is_single = parameters.parallel_calls == Some(false);
    let mut choice = match &parameters.tool_choice {
        None if is_single => json!({ "type": "auto" }),
        None => return,
        Some(ToolChoice::Auto) => json!({ "type": "auto" }),
        Some(ToolChoice::None) => json!({ "type": "none" }),
        Some(ToolChoice::Required) => json!({ "type": "any" }),
        Some(ToolChoice::Tool(name)) => json!({ "type": "tool", "name": name }),
    };
    // Where none may be called, the wire takes no word on how many.
    if let (true, Some(choice)) = (
        is_single && parameters.tool_choice != Some(ToolChoice::None),
        choice.as_object_mut(),
    ) {
        choice.insert("disable_parallel_tool_use".to_owned(), json!(true));
    }
    body.put("tool_choice", choice);
}
