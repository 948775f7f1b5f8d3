//! The parameters of a recorded request, and what they tell of the server's dialect.

use folkmoot_core::model::{Effort, OutputFormat, Parameters, Reasoning, ToolChoice};
use folkmoot_providers::codec::OpenAiChat;
use folkmoot_providers::codec::openai_chat::{
    ChoiceWord, OutputLimit, ReasoningStyle, StreamUsage,
};
use serde_json::{Map, Value};

/// What is no parameter, or says nothing.
fn is_elsewhere(field: &str, value: &Value) -> bool {
    match field {
        "messages" | "model" | "tools" | "stream" | "stream_options" => true,
        "tool_choice" => value.is_null(),
        _ => false,
    }
}

/// The parameters. What none of them says is in `extra`.
pub(super) fn parameters(recorded: &Value) -> (Parameters, OpenAiChat) {
    let mut codec = OpenAiChat {
        output_limit: OutputLimit::MaxTokens,
        ..OpenAiChat::default()
    };
    if recorded["stream"] == true && recorded["stream_options"].is_null() {
        codec.stream_usage = StreamUsage::Unasked;
    }
    let mut parameters = Parameters::default();
    let has_tools = recorded["tools"]
        .as_array()
        .is_some_and(|tools| !tools.is_empty());
    for (field, value) in recorded.as_object().unwrap() {
        let is_taken = is_elsewhere(field, value)
            || take_sampling(&mut parameters, &mut codec, field, value).is_some()
            || (has_tools && take_calls(&mut parameters, &mut codec, field, value).is_some())
            || take_output(&mut parameters, field, value).is_some();
        if !is_taken {
            parameters.extra.insert(field.clone(), value.clone());
        }
    }
    if let Some((reasoning, style, fields)) = reasoning(&parameters.extra) {
        parameters.reasoning = Some(reasoning);
        codec.reasoning_style = style;
        parameters
            .extra
            .retain(|field, _| !fields.contains(&field.as_str()));
    }
    (parameters, codec)
}

fn take_sampling(
    parameters: &mut Parameters,
    codec: &mut OpenAiChat,
    field: &str,
    value: &Value,
) -> Option<()> {
    let milli = || format!("{:.0}", value.as_f64()? * 1000.0).parse().ok();
    let number = || value.as_u64()?.try_into().ok();
    match field {
        "temperature" => parameters.temperature_milli = Some(milli()?),
        "top_p" => parameters.top_p_milli = Some(milli()?),
        "seed" => parameters.seed = Some(number()?),
        "max_tokens" => parameters.output_tokens_max = Some(number()?),
        "max_completion_tokens" => {
            parameters.output_tokens_max = Some(number()?);
            codec.output_limit = OutputLimit::MaxCompletionTokens;
        }
        "stop" => parameters.stop = serde_json::from_value(value.clone()).ok()?,
        _ => return None,
    }
    Some(())
}

fn take_calls(
    parameters: &mut Parameters,
    codec: &mut OpenAiChat,
    field: &str,
    value: &Value,
) -> Option<()> {
    match field {
        "parallel_tool_calls" => parameters.parallel_calls = Some(value.as_bool()?),
        "tool_choice" => {
            parameters.tool_choice = Some(match value.as_str() {
                Some("auto") => ToolChoice::Auto,
                Some("none") => ToolChoice::None,
                Some("required") => ToolChoice::Required,
                Some("any") => {
                    codec.choice_word = ChoiceWord::Any;
                    ToolChoice::Required
                }
                Some(_) => return None,
                None => ToolChoice::Tool(value["function"]["name"].as_str()?.to_owned()),
            });
        }
        _ => return None,
    }
    Some(())
}

fn take_output(parameters: &mut Parameters, field: &str, value: &Value) -> Option<()> {
    (field == "response_format").then_some(())?;
    parameters.output = Some(match value["type"].as_str()? {
        "json_object" => OutputFormat::Json,
        "json_schema" => {
            let asked = value["json_schema"].as_object()?;
            let is_known = |field: &String| matches!(field.as_str(), "name" | "schema" | "strict");
            asked.keys().all(is_known).then_some(())?;
            let name = asked.get("name")?.as_str()?.to_owned();
            let strict = asked.get("strict").and_then(Value::as_bool);
            OutputFormat::Schema {
                name,
                schema: asked.get("schema")?.clone(),
                strict,
            }
        }
        _ => return None,
    });
    Some(())
}

/// The reasoning that these fields ask for, in which style, and which fields these are.
fn reasoning(
    fields: &Map<String, Value>,
) -> Option<(Reasoning, ReasoningStyle, &'static [&'static str])> {
    let effort = |value: Option<&Value>| {
        value.and_then(|word| serde_json::from_value::<Effort>(word.clone()).ok())
    };
    if let Some(asked) = fields.get("reasoning") {
        let tokens_max = asked["max_tokens"]
            .as_u64()
            .map(|tokens| tokens.try_into().unwrap());
        let show = asked["exclude"].as_bool().map(|exclude| !exclude);
        let asked = Reasoning {
            effort: effort(asked.get("effort")),
            tokens_max,
            show,
        };
        return Some((asked, ReasoningStyle::Object, &["reasoning"]));
    }
    let of_effort = effort(fields.get("reasoning_effort"));
    match fields
        .get("thinking")
        .map(|thinking| thinking["type"] == "disabled")
    {
        Some(true) => {
            let off = Reasoning {
                effort: Some(Effort::None),
                ..Reasoning::default()
            };
            Some((off, ReasoningStyle::Thinking, &["thinking"]))
        }
        Some(false) => {
            let on = Reasoning {
                effort: of_effort,
                ..Reasoning::default()
            };
            Some((
                on,
                ReasoningStyle::Thinking,
                &["thinking", "reasoning_effort"],
            ))
        }
        None => {
            let asked = Reasoning {
                effort: Some(of_effort?),
                ..Reasoning::default()
            };
            Some((asked, ReasoningStyle::Effort, &["reasoning_effort"]))
        }
    }
}
