//! Requests that real clients sent, written again by the codec.
//!
//! They come out equal, but for what this codec chooses to do in one way where clients do it in several:
//! who speaks stands before a person's text; contents, also those of the system and of results, are lists of blocks, not
//! strings; a conversation that an assistant begins gets a user's message before it; the form of the answer stands in
//! `output_config.format`, not in the older `output_format`; fields that say nothing (`is_error: false`, the caller of a
//! call that the model itself made) are left out.

use std::collections::BTreeMap;

use folkmoot_core::model::response::{CallPart, Part};
use folkmoot_core::model::{CachePlace, CacheTtl, OutputFormat, Parameters, Reasoning, ToolChoice};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Item, Layer, LayerKind, ToolDeclaration};
use folkmoot_providers::codec::{AnswerMode, AnthropicMessages, Codec as _};
use serde_json::{Map, Value, json};

use super::messages;
use super::plain::drop_what_says_nothing;

/// How many of the 546 recorded requests have only what a `ModelRequest` can say. More may become so, none fewer.
const EXPRESSIBLE_MIN: usize = 523;

#[test]
fn a_recorded_request_that_can_be_expressed_is_written_as_it_was_sent() {
    let requests: Vec<Value> = messages()
        .into_iter()
        .map(|exchange| exchange.request)
        .collect();
    let mut count = 0;
    for recorded in &requests {
        let (body, marks) = without_marks(recorded);
        let Some(request) = expressed(&body, marks) else {
            continue;
        };
        let mode = if recorded["stream"] == true {
            AnswerMode::Stream
        } else {
            AnswerMode::Whole
        };
        let written =
            AnthropicMessages::default().encode(&request.into_request(), &Files::new(), mode);
        let opening =
            (recorded["messages"][0]["role"] == "assistant").then(|| "opening_added".to_owned());
        assert_eq!(
            written.warnings,
            opening.into_iter().collect::<Vec<_>>(),
            "{recorded}"
        );
        assert_eq!(written.body, chosen(recorded), "{recorded}");
        count += 1;
    }
    println!(
        "{count} of {} recorded requests written again",
        requests.len()
    );
    assert!(
        requests.is_empty() || count >= EXPRESSIBLE_MIN,
        "only {count} can be expressed"
    );
}

/// The request without its marks for the cache, and those of the marks that stand where a request can have them.
fn without_marks(recorded: &Value) -> (Value, BTreeMap<CachePlace, CacheTtl>) {
    let mut body = recorded.clone();
    let messages = recorded["messages"]
        .as_array()
        .map_or(0, Vec::len)
        .saturating_sub(1);
    let blocks = recorded["messages"][messages]["content"]
        .as_array()
        .map_or(0, Vec::len)
        .saturating_sub(1);
    let last = |field: &str| {
        recorded[field]
            .as_array()
            .map_or(0, Vec::len)
            .saturating_sub(1)
    };
    let places = [
        (CachePlace::Auto, String::new()),
        (CachePlace::Tools, format!("/tools/{}", last("tools"))),
        (CachePlace::System, format!("/system/{}", last("system"))),
        (
            CachePlace::Conversation,
            format!("/messages/{messages}/content/{blocks}"),
        ),
    ];
    let mut marks = BTreeMap::new();
    for (place, pointer) in places {
        let mark = body
            .pointer_mut(&pointer)
            .and_then(Value::as_object_mut)
            .and_then(|at| at.remove("cache_control"));
        let ttl = mark.map(|mark| match mark["ttl"].as_str() {
            None => CacheTtl::Default,
            Some("5m") => CacheTtl::FiveMinutes,
            Some("1h") => CacheTtl::OneHour,
            Some(other) => panic!("a ttl {other} is new here"),
        });
        marks.extend(ttl.map(|ttl| (place, ttl)));
    }
    (body, marks)
}

/// The request, if it holds nothing that a `ModelRequest` cannot say.
fn expressed(body: &Value, cache: BTreeMap<CachePlace, CacheTtl>) -> Option<ForgedRequest> {
    let fields = body.as_object()?;
    let layer = |text| {
        vec![Layer {
            kind: LayerKind::Role,
            text,
        }]
    };
    let system = if body["system"].is_null() {
        vec![]
    } else {
        layer(text(&body["system"])?)
    };
    let tools = body["tools"].as_array().map_or(&[][..], Vec::as_slice);
    let strict_tools = tools.first().and_then(|tool| tool["strict"].as_bool());
    let is_even = tools
        .iter()
        .all(|tool| tool["strict"].as_bool() == strict_tools);
    let parameters = Parameters {
        cache,
        strict_tools,
        ..parameters(fields)?
    };
    is_even.then_some(())?;
    let items: Vec<_> = body["messages"]
        .as_array()?
        .iter()
        .map(items)
        .collect::<Option<_>>()?;
    Some(ForgedRequest {
        model: body["model"].as_str()?.to_owned(),
        parameters,
        system,
        tools: tools.iter().map(tool).collect::<Option<_>>()?,
        items: items.into_iter().flatten().collect(),
    })
}

fn parameters(fields: &Map<String, Value>) -> Option<Parameters> {
    let mut parameters = Parameters::default();
    for (field, value) in fields {
        match field.as_str() {
            "messages" | "model" | "system" | "tools" | "stream" => {}
            "max_tokens" => {
                parameters.output_tokens_max = Some(value.as_u64()?.try_into().unwrap())
            }
            "temperature" => {
                parameters.temperature_milli =
                    Some(format!("{:.0}", value.as_f64()? * 1000.0).parse().ok()?);
            }
            "stop_sequences" => parameters.stop = serde_json::from_value(value.clone()).ok()?,
            "tool_choice" => parameters.tool_choice = Some(tool_choice(value)?),
            "thinking" => parameters.reasoning = Some(reasoning(value)?),
            "output_config" => parameters.output = Some(output(value.get("format")?)?),
            "output_format" => parameters.output = Some(output(value)?),
            _ => return None,
        }
    }
    Some(parameters)
}

fn tool_choice(value: &Value) -> Option<ToolChoice> {
    Some(match value["type"].as_str()? {
        "auto" => ToolChoice::Auto,
        "none" => ToolChoice::None,
        "any" => ToolChoice::Required,
        "tool" => ToolChoice::Tool(value["name"].as_str()?.to_owned()),
        _ => return None,
    })
}

fn reasoning(value: &Value) -> Option<Reasoning> {
    let tokens_max = value["budget_tokens"]
        .as_u64()
        .map(|tokens| tokens.try_into().unwrap());
    matches!(value["type"].as_str()?, "enabled" | "adaptive").then_some(Reasoning {
        tokens_max,
        ..Reasoning::default()
    })
}

fn output(format: &Value) -> Option<OutputFormat> {
    (format["type"] == "json_schema").then_some(())?;
    Some(OutputFormat::Schema {
        name: "answer".into(),
        schema: format["schema"].clone(),
        strict: None,
    })
}

fn tool(recorded: &Value) -> Option<ToolDeclaration<String>> {
    let fields = recorded.as_object()?;
    fields
        .keys()
        .all(|field| {
            matches!(
                field.as_str(),
                "name" | "description" | "input_schema" | "strict"
            )
        })
        .then_some(())?;
    let text = |field: &str| fields.get(field)?.as_str().map(str::to_owned);
    Some(ToolDeclaration {
        name: text("name")?,
        description: text("description")?,
        schema: fields.get("input_schema")?.clone(),
    })
}

fn items(message: &Value) -> Option<Vec<Item<String>>> {
    let blocks = blocks(&message["content"]);
    match message["role"].as_str()? {
        "user" => blocks.iter().map(heard).collect(),
        "assistant" => Some(vec![Item::Said {
            parts: blocks.into_iter().flat_map(parts).collect(),
        }]),
        _ => None,
    }
}

fn heard(block: &Value) -> Option<Item<String>> {
    match block["type"].as_str()? {
        "text" => Some(Item::Heard {
            from: "Ada".into(),
            text: text(&json!([block]))?,
            attachments: Vec::new(),
        }),
        "tool_result" => {
            let label = block["tool_use_id"].as_str()?.to_owned();
            Some(Item::Result {
                label,
                text: text(&block["content"])?,
                failed: block["is_error"] == true,
            })
        }
        _ => None,
    }
}

/// The parts that the codec makes of such a block.
fn parts(mut block: Value) -> Vec<Part> {
    drop_what_says_nothing(&mut block);
    let kind = block["type"].as_str().unwrap().to_owned();
    let Value::Object(mut rest) = block.clone() else {
        panic!("{block}")
    };
    let mut take = |field: &str| rest.remove(field).unwrap_or_default();
    let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let (part, note) = match kind.as_str() {
        "text" => (Some(Part::Text(text(take("text")))), "text"),
        "thinking" => (Some(Part::Reasoning(text(take("thinking")))), "thinking"),
        "tool_use" => {
            let (label, tool) = (text(take("id")), text(take("name")));
            (
                Some(Part::Call(CallPart {
                    label,
                    tool,
                    arguments: take("input").to_string(),
                })),
                "call",
            )
        }
        _ => {
            return vec![Part::Opaque(
                json!({ "anthropic-messages": { "block": block } }),
            )];
        }
    };
    rest.remove("type");
    let note =
        (!rest.is_empty()).then(|| Part::Opaque(json!({ "anthropic-messages": { note: rest } })));
    part.into_iter().chain(note).collect()
}

/// A text, or a list of nothing but one.
fn text(content: &Value) -> Option<String> {
    match content.as_array().map(Vec::as_slice) {
        None => content.as_str().map(str::to_owned),
        Some([item]) if item["type"] == "text" => item["text"].as_str().map(str::to_owned),
        Some(_) => None,
    }
}

/// The content as a list of blocks.
fn blocks(content: &Value) -> Vec<Value> {
    let text = |text: &str| vec![json!({ "type": "text", "text": text })];
    content
        .as_str()
        .map_or_else(|| content.as_array().cloned().unwrap_or_default(), text)
}

/// The recorded request with our choices made.
fn chosen(recorded: &Value) -> Value {
    let mut body = recorded.clone();
    let fields = body.as_object_mut().unwrap();
    if let Some(format) = fields.remove("output_format") {
        fields.insert("output_config".into(), json!({ "format": format }));
    }
    if let Some(temperature) = fields.get_mut("temperature") {
        *temperature = json!(temperature.as_f64());
    }
    if let Some(system) = fields.get_mut("system") {
        *system = json!(blocks(system));
    }
    let messages = body["messages"].as_array_mut().unwrap();
    for message in messages.iter_mut() {
        let mut content = blocks(&message["content"]);
        content
            .iter_mut()
            .for_each(|block| choose(block, message["role"] == "user"));
        message["content"] = json!(content);
    }
    if messages[0]["role"] == "assistant" {
        let opening = json!({ "type": "text", "text": "[the conversation begins]" });
        messages.insert(0, json!({ "role": "user", "content": [opening] }));
    }
    body
}

fn choose(block: &mut Value, is_of_user: bool) {
    drop_what_says_nothing(block);
    if block["type"] == "tool_result" {
        block["content"] = json!(blocks(&block["content"]));
    }
    if block["is_error"] == false {
        block.as_object_mut().unwrap().remove("is_error");
    }
    if is_of_user && block["type"] == "text" {
        block["text"] = json!(format!("Ada: {}", block["text"].as_str().unwrap()));
    }
}
