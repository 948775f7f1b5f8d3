//! Requests that real clients sent, written again by the codec.
//!
//! They come out equal, but for what this codec chooses to do in one way where clients do it in several:
//! * who speaks stands before a person's text, which is always a list of one `input_text` in a `message` in a list;
//! * system messages before the conversation are `instructions`, behind those that are there;
//! * an assistant's message with an id has `annotations` (the SDK's types want them), one without is a plain text;
//! * a call's output has no `status`;
//! * fields that say nothing (`stream: false`, an empty `include`, empty `tools`, a null `summary`) are left out.
//!
//! Whether the provider stores answers, is asked for encrypted reasoning and is told of strict tools are settings of the
//! codec; here they are as the client had them. The codec's own choice is `store: false`, encrypted reasoning where the
//! request says how to reason, and `strict: false`.

use std::collections::BTreeMap;

use folkmoot_core::model::response::{CallPart, Part};
use folkmoot_core::model::{Effort, OutputFormat, Parameters, Reasoning, ToolChoice};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Item, Layer, LayerKind, ToolDeclaration};
use folkmoot_providers::codec::openai_responses::{
    AnswerStorage, EncryptedReasoning, OpenAiResponses, StrictTools,
};
use folkmoot_providers::codec::{AnswerMode, Codec as _, Wire};
use serde_json::{Map, Value, json};

use super::chosen::{chosen, input, text};
use crate::recording::exchanges;

/// How many of the recorded requests have only what a `ModelRequest` can say. More may become so, none fewer.
const EXPRESSIBLE_MIN: usize = 359;

#[test]
fn a_recorded_request_that_can_be_expressed_is_written_as_it_was_sent() {
    let exchanges = exchanges(Wire::OpenaiResponses);
    let (mut written_count, mut extra_count, mut others) = (0, 0, BTreeMap::<&str, usize>::new());
    for exchange in &exchanges {
        let recorded = &exchange.request;
        let request = match expressed(recorded) {
            Ok(request) => request,
            Err(why) => {
                *others.entry(why).or_default() += 1;
                continue;
            }
        };
        extra_count += usize::from(!request.parameters.extra.is_empty());
        let mode = if recorded["stream"] == true {
            AnswerMode::Stream
        } else {
            AnswerMode::Whole
        };
        let written = codec(recorded).encode(&request.into_request(), &Files::new(), mode);
        assert_eq!(written.warnings, Vec::<String>::new(), "{recorded}");
        assert_eq!(written.body, chosen(recorded), "{recorded}");
        written_count += 1;
    }
    let share = 100.0 * f64::from(written_count) / (exchanges.len().max(1) as f64);
    println!(
        "{written_count} of {} recorded requests written again ({share:.1} %)",
        exchanges.len()
    );
    println!("{extra_count} of them with fields in `extra`; the others: {others:?}");
    assert!(
        exchanges.is_empty() || written_count as usize >= EXPRESSIBLE_MIN,
        "only {written_count}"
    );
}

/// The codec as the client that sent this would have set it.
fn codec(recorded: &Value) -> OpenAiResponses {
    let store = match recorded["store"].as_bool() {
        Some(true) => AnswerStorage::Always,
        Some(false) => AnswerStorage::Never,
        None => AnswerStorage::Unsaid,
    };
    let is_asked = recorded["include"] == json!(["reasoning.encrypted_content"]);
    let strict_tools = match recorded["tools"][0]["strict"].as_bool() {
        Some(true) => StrictTools::Always,
        Some(false) => StrictTools::Never,
        None => StrictTools::Unsaid,
    };
    OpenAiResponses {
        store,
        encrypted_reasoning: if is_asked {
            EncryptedReasoning::Always
        } else {
            EncryptedReasoning::Never
        },
        strict_tools,
        ..OpenAiResponses::default()
    }
}

/// The request, or what is in it that a `ModelRequest` cannot say.
fn expressed(recorded: &Value) -> Result<ForgedRequest, &'static str> {
    let mut rest = recorded.as_object().unwrap().clone();
    let mut take = |field: &str| rest.remove(field).unwrap_or_default();
    let model = take("model")
        .as_str()
        .ok_or("no request of this wire")?
        .to_owned();
    let input = input(&take("input")).ok_or("no request of this wire")?;
    let start = input
        .iter()
        .take_while(|item| item["role"] == "system")
        .count();
    let (leading, conversation) = input.split_at(start);
    let mut system: Vec<String> = take("instructions")
        .as_str()
        .into_iter()
        .map(str::to_owned)
        .collect();
    system.extend(leading.iter().filter_map(|item| text(&item["content"])));
    let layer = |text| Layer {
        kind: LayerKind::Role,
        text,
    };
    let declared = take("tools");
    let functions = declared
        .as_array()
        .filter(|tools| tools.iter().all(|tool| tool["type"] == "function"));
    let tools = functions.into_iter().flatten().map(tool).collect();
    if functions.is_none() {
        rest.insert("tools".into(), declared);
    }
    ["stream", "store", "include"]
        .iter()
        .for_each(|field| drop(rest.remove(*field)));
    Ok(ForgedRequest {
        model,
        parameters: parameters(rest),
        system: system.into_iter().map(layer).collect(),
        tools,
        items: items(conversation)?,
    })
}

/// What has a place in the parameters, and the rest as `extra`.
fn parameters(mut rest: Map<String, Value>) -> Parameters {
    let mut milli = |field: &str| {
        let number = rest.remove(field)?.as_f64()?;
        Some(format!("{:.0}", number * 1000.0).parse().unwrap())
    };
    let (temperature_milli, top_p_milli) = (milli("temperature"), milli("top_p"));
    let limit = rest
        .remove("max_output_tokens")
        .and_then(|limit| limit.as_u64());
    let parallel_calls = rest
        .remove("parallel_tool_calls")
        .and_then(|may| may.as_bool());
    let choice = rest.get("tool_choice").and_then(tool_choice);
    if choice.is_some() {
        rest.remove("tool_choice");
    }
    let format = rest.remove("text").map(|text| text["format"].clone());
    let schema = |format: Value| OutputFormat::Schema {
        name: format["name"].as_str().unwrap().to_owned(),
        schema: format["schema"].clone(),
        strict: format["strict"].as_bool(),
    };
    let mut asked = Reasoning::default();
    if let Some(Value::Object(reasoning)) = rest.get_mut("reasoning") {
        asked.effort = reasoning
            .remove("effort")
            .map(|word| serde_json::from_value::<Effort>(word).unwrap());
        asked.show = (reasoning.get("summary") == Some(&json!("auto"))).then_some(true);
        reasoning
            .retain(|field, value| !value.is_null() && (field != "summary" || value != "auto"));
    }
    rest.retain(|_, value| !value.is_null() && *value != json!({}));
    Parameters {
        temperature_milli,
        output_tokens_max: limit.map(|limit| limit.try_into().unwrap()),
        top_p_milli,
        tool_choice: choice,
        parallel_calls,
        output: format.map(schema),
        reasoning: (asked != Reasoning::default()).then_some(asked),
        extra: rest,
        ..Parameters::default()
    }
}

fn tool_choice(recorded: &Value) -> Option<ToolChoice> {
    match (recorded.as_str(), recorded["type"].as_str()) {
        (Some("auto"), _) => Some(ToolChoice::Auto),
        (Some("none"), _) => Some(ToolChoice::None),
        (Some("required"), _) => Some(ToolChoice::Required),
        (None, Some("function")) => Some(ToolChoice::Tool(
            recorded["name"].as_str().unwrap().to_owned(),
        )),
        _ => None,
    }
}

fn tool(recorded: &Value) -> ToolDeclaration<String> {
    let text = |field: &str| recorded[field].as_str().unwrap().to_owned();
    ToolDeclaration {
        name: text("name"),
        description: text("description"),
        schema: recorded["parameters"].clone(),
    }
}

/// The conversation: what the model said up to the next word of somebody else is one answer.
fn items(recorded: &[Value]) -> Result<Vec<Item<String>>, &'static str> {
    let mut items: Vec<Item<String>> = Vec::new();
    for item in recorded {
        match (item["type"].as_str(), item["role"].as_str()) {
            (Some("message") | None, Some("user")) => {
                let text = text(&item["content"])
                    .ok_or("several pieces in a message, or a file by its address")?;
                items.push(Item::Heard {
                    from: "Ada".into(),
                    text,
                    attachments: Vec::new(),
                });
            }
            (Some("function_call_output"), _) => items.push(Item::Result {
                label: item["call_id"].as_str().unwrap().to_owned(),
                text: item["output"]
                    .as_str()
                    .ok_or("an output in pieces")?
                    .to_owned(),
                failed: false,
            }),
            (_, Some("system")) => return Err("a system message amid the conversation"),
            _ => {
                if let Some(Item::Said { parts: said }) = items.last_mut() {
                    said.extend(parts(item));
                } else {
                    items.push(Item::Said { parts: parts(item) });
                }
            }
        }
    }
    Ok(items)
}

fn parts(item: &Value) -> Vec<Part> {
    let note = |note: Value| Part::Opaque(json!({ "openai-responses": note }));
    let without = |fields: &[&str]| {
        let rest = item
            .as_object()
            .unwrap()
            .iter()
            .filter(|(field, _)| !fields.contains(&field.as_str()));
        Value::Object(
            rest.map(|(field, value)| (field.clone(), value.clone()))
                .collect(),
        )
    };
    let of = |field: &str| item[field].as_str().unwrap().to_owned();
    match item["type"].as_str() {
        Some("function_call") => {
            let call = CallPart {
                label: of("call_id"),
                tool: of("name"),
                arguments: of("arguments"),
            };
            vec![
                Part::Call(call),
                note(json!({ "call": without(&["type", "call_id", "name", "arguments"]) })),
            ]
        }
        Some("message") | None => {
            let fields = without(&["type", "role", "content"]);
            vec![
                Part::Text(text(&item["content"]).unwrap()),
                note(json!({ "message": { "fields": fields } })),
            ]
        }
        Some(_) => vec![note(json!({ "item": item }))],
    }
}
