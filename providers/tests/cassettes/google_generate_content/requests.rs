//! Requests that real clients sent, written again by the codec.
//!
//! They come out equal, but for what this codec chooses to do in one way where clients do it in several:
//! who speaks stands before a person's text, and a line that names it before a file; what says nothing (nulls,
//! `thought: false`, an empty `generationConfig`, the role of the system instruction) is left out; a tool's result is a
//! text, also where a client sent it as a number or an object; `allowed_function_names` is written as the wire's other
//! names are.

use std::collections::VecDeque;
use std::sync::Arc;

use folkmoot_core::ids::Digest;
use folkmoot_core::model::response::{CallPart, Part};
use folkmoot_core::model::{Effort, OutputFormat, Parameters, Reasoning, ToolChoice};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Attached, Item, Layer, LayerKind, ToolDeclaration};
use folkmoot_providers::codec::{AnswerMode, Codec as _, GoogleGenerateContent, Wire};
use serde_json::{Map, Value, json};

use crate::recording::{Exchange, exchanges};

/// How many of the recorded requests have only what a `ModelRequest` can say. More may become so, none fewer.
const EXPRESSIBLE_MIN: usize = 328;

#[test]
fn a_recorded_request_that_can_be_expressed_is_written_as_it_was_sent() {
    let recorded = exchanges(Wire::GoogleGenerateContent);
    let mut count = 0;
    for Exchange {
        id,
        path,
        stream,
        request,
        ..
    } in &recorded
    {
        let mut reading = Reading::default();
        let Some(forged) = reading.request(path, request) else {
            println!("not expressed: {id}");
            continue;
        };
        let mode = if *stream {
            AnswerMode::Stream
        } else {
            AnswerMode::Whole
        };
        let written =
            GoogleGenerateContent::default().encode(&forged.into_request(), &reading.files, mode);
        assert_eq!(written.warnings, Vec::<String>::new(), "{id}");
        assert_eq!(written.path.trim_end_matches("?alt=sse"), path, "{id}");
        assert_eq!(written.body, chosen(request), "{id}");
        count += 1;
    }
    println!(
        "{count} of {} recorded requests written again",
        recorded.len()
    );
    assert!(
        recorded.is_empty() || count >= EXPRESSIBLE_MIN,
        "only {count} can be expressed"
    );
}

/// The reading of one request.
#[derive(Debug, Default)]
struct Reading {
    files: Files,
    /// The calls that have no result yet, by name and label.
    open: VecDeque<(String, String)>,
    calls_count: usize,
}

impl Reading {
    /// The request, if it holds nothing that a `ModelRequest` cannot say.
    fn request(&mut self, path: &str, recorded: &Value) -> Option<ForgedRequest> {
        let model = path.strip_prefix("/v1beta/models/")?.split(':').next()?;
        let system = match recorded["systemInstruction"]["parts"]
            .as_array()
            .map(Vec::as_slice)
        {
            None => Vec::new(),
            Some([part]) => vec![Layer {
                kind: LayerKind::Role,
                text: part["text"].as_str()?.to_owned(),
            }],
            Some(_) => return None,
        };
        let mut items = Vec::new();
        for content in recorded["contents"].as_array()? {
            items.extend(self.content(content)?);
        }
        let (tools, others): (Vec<_>, Vec<_>) = recorded["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .partition(|tool| tool["functionDeclarations"].is_array());
        let declared = tools
            .iter()
            .flat_map(|tool| tool["functionDeclarations"].as_array().unwrap());
        let tools = declared.map(tool).collect::<Option<Vec<_>>>()?;
        let parameters = parameters(recorded, &others)?;
        Some(ForgedRequest {
            model: model.to_owned(),
            parameters,
            system,
            tools,
            items,
        })
    }

    fn content(&mut self, content: &Value) -> Option<Vec<Item<String>>> {
        let parts = content["parts"].as_array()?;
        match content["role"].as_str()? {
            "user"
                if parts
                    .iter()
                    .all(|part| part["functionResponse"].is_object()) =>
            {
                parts
                    .iter()
                    .map(|part| self.result(&part["functionResponse"]))
                    .collect()
            }
            "user" => match parts.as_slice() {
                [part] if part["text"].is_string() => {
                    Some(vec![heard(part["text"].as_str()?, vec![])])
                }
                [part] => Some(vec![heard("", vec![self.file(&part["inlineData"])?])]),
                _ => None,
            },
            "model" => {
                let mut said: Vec<Part> = parts.iter().flat_map(|part| self.part(part)).collect();
                said.push(note(&json!("thoughts")));
                Some(vec![Item::Said { parts: said }])
            }
            _ => None,
        }
    }

    fn file(&mut self, data: &Value) -> Option<Attached<String>> {
        let bytes = base64(data["data"].as_str()?);
        let media_type = data["mimeType"].as_str()?.to_owned();
        let blob = Digest::sha256(&bytes);
        let attached = Attached {
            blob,
            media_type,
            name: "file".into(),
            bytes: bytes.len() as u64,
        };
        self.files.insert(blob, Arc::from(bytes));
        Some(attached)
    }

    fn part(&mut self, part: &Value) -> Vec<Part> {
        let mut fields = Map::new();
        if !part["thoughtSignature"].is_null() {
            fields.insert("thoughtSignature".into(), part["thoughtSignature"].clone());
        }
        let (kind, said) = if let Some(call) = part["functionCall"].as_object() {
            self.calls_count += 1;
            let (tool, label) = (
                call["name"].as_str().unwrap().to_owned(),
                format!("call_{}", self.calls_count),
            );
            self.open.push_back((tool.clone(), label.clone()));
            if let Some(id) = call.get("id") {
                fields.insert("functionCall".into(), json!({ "id": id }));
            }
            (
                "call",
                Part::Call(CallPart {
                    label,
                    tool,
                    arguments: call["args"].to_string(),
                }),
            )
        } else {
            let text = part["text"].as_str().unwrap().to_owned();
            if part["thought"] == true {
                ("thought", Part::Reasoning(text))
            } else {
                ("text", Part::Text(text))
            }
        };
        let with = json!({ "with": { "part": kind, "fields": fields } });
        [said]
            .into_iter()
            .chain((!fields.is_empty()).then(|| note(&with)))
            .collect()
    }

    fn result(&mut self, response: &Value) -> Option<Item<String>> {
        let (tool, label) = self.open.pop_front()?;
        let is_plain = response["name"] == *tool && response["parts"].is_null();
        is_plain.then(|| Item::Result {
            label,
            text: text_of(&response["response"]["result"]),
            failed: false,
        })
    }
}

fn heard(text: &str, attachments: Vec<Attached<String>>) -> Item<String> {
    Item::Heard {
        from: "Ada".into(),
        text: text.to_owned(),
        attachments,
    }
}

fn note(note: &Value) -> Part {
    Part::Opaque(json!({ "google-generate-content": note }))
}

fn text_of(result: &Value) -> String {
    result
        .as_str()
        .map_or_else(|| result.to_string(), str::to_owned)
}

fn tool(declared: &Value) -> Option<ToolDeclaration<String>> {
    let text = |field: &str| declared[field].as_str().map(str::to_owned);
    let schema = declared["parameters"].clone();
    (declared.as_object()?.len() == 3).then_some(())?;
    Some(ToolDeclaration {
        name: text("name")?,
        description: text("description")?,
        schema,
    })
}

fn parameters(recorded: &Value, other_tools: &[&Value]) -> Option<Parameters> {
    let calling = &recorded["toolConfig"]["functionCallingConfig"];
    let tool_choice = match (
        calling["mode"].as_str(),
        calling["allowed_function_names"].as_array(),
    ) {
        (None, None) => None,
        (Some("AUTO"), None) => Some(ToolChoice::Auto),
        (Some("NONE"), None) => Some(ToolChoice::None),
        (Some("ANY"), None) => Some(ToolChoice::Required),
        (Some("ANY"), Some(names)) if names.len() == 1 => {
            Some(ToolChoice::Tool(names[0].as_str()?.to_owned()))
        }
        _ => return None,
    };
    let mut parameters = Parameters {
        tool_choice,
        ..Parameters::default()
    };
    let mut others = Map::new();
    for (field, value) in recorded["generationConfig"]
        .as_object()
        .into_iter()
        .flatten()
    {
        let number = || value.as_u64().map(|number| number.try_into().unwrap());
        match field.as_str() {
            "temperature" => {
                parameters.temperature_milli =
                    Some(format!("{:.0}", value.as_f64()? * 1000.0).parse().ok()?)
            }
            "maxOutputTokens" => parameters.output_tokens_max = number(),
            "thinkingConfig" => parameters.reasoning = Some(reasoning(value)?),
            "responseMimeType" if value == "application/json" => {}
            "responseJsonSchema" => {
                let schema = value.clone();
                parameters.output = Some(OutputFormat::Schema {
                    name: "answer".into(),
                    schema,
                    strict: None,
                });
            }
            other => drop(others.insert(other.to_owned(), value.clone())),
        }
    }
    for (field, value) in recorded.as_object()? {
        let is_known = [
            "contents",
            "systemInstruction",
            "tools",
            "toolConfig",
            "generationConfig",
        ];
        if !is_known.contains(&field.as_str()) && !value.is_null() {
            parameters.extra.insert(field.clone(), value.clone());
        }
    }
    if !others.is_empty() {
        parameters
            .extra
            .insert("generationConfig".into(), Value::Object(others));
    }
    if !other_tools.is_empty() {
        parameters.extra.insert("tools".into(), json!(other_tools));
    }
    Some(parameters)
}

fn reasoning(config: &Value) -> Option<Reasoning> {
    let effort = match config["thinkingLevel"].as_str() {
        None => None,
        Some("low") => Some(Effort::Low),
        Some("medium") => Some(Effort::Medium),
        Some("high") => Some(Effort::High),
        Some(_) => return None,
    };
    let tokens_max = config["thinkingBudget"]
        .as_u64()
        .map(|tokens| tokens.try_into().unwrap());
    Some(Reasoning {
        effort,
        tokens_max,
        show: config["includeThoughts"].as_bool(),
    })
}

/// The recorded request with our choices made.
fn chosen(recorded: &Value) -> Value {
    let mut body = recorded.clone();
    if let Some(system) = body["systemInstruction"].as_object_mut() {
        system.remove("role");
    }
    if body["generationConfig"] == json!({}) {
        body["generationConfig"].take();
    }
    if let Some(calling) = body
        .pointer_mut("/toolConfig/functionCallingConfig")
        .and_then(Value::as_object_mut)
    {
        let names = calling.remove("allowed_function_names");
        calling.extend(names.map(|names| ("allowedFunctionNames".to_owned(), names)));
    }
    for content in body["contents"].as_array_mut().unwrap() {
        let is_user = content["role"] == "user";
        let parts = content["parts"].as_array_mut().unwrap();
        for part in parts.iter_mut() {
            if let (true, Some(text)) = (is_user, part["text"].as_str()) {
                part["text"] = json!(format!("Ada: {text}"));
            }
            if let Some(result) = part.pointer_mut("/functionResponse/response/result") {
                *result = json!(text_of(result));
            }
        }
        if let Some(data) = parts[0]["inlineData"]["data"].as_str() {
            let (bytes, media_type) = (base64(data).len(), &parts[0]["inlineData"]["mimeType"]);
            let line = format!(
                "Ada: [attached: \"file\", {}, {bytes} bytes]",
                media_type.as_str().unwrap()
            );
            parts.insert(0, json!({ "text": line }));
        }
    }
    without_nothing(&mut body);
    body
}

/// Takes nulls and `thought: false` out, at all depths.
fn without_nothing(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let says_nothing = |field: &str, value: &Value| {
                value.is_null() || (field == "thought" && value == false)
            };
            fields.retain(|field, value| !says_nothing(field, value));
            fields.values_mut().for_each(without_nothing);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nothing),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Reads Base64, the plain way.
fn base64(text: &str) -> Vec<u8> {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.chars().filter(|letter| *letter != '=') {
        bits = bits << 6 | u32::try_from(alphabet.find(letter).unwrap()).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap());
        }
    }
    bytes
}
