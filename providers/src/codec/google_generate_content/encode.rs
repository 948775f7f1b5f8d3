//! Requests.

use std::collections::BTreeSet;

use folkmoot_core::port::Files;
use folkmoot_core::prompt::{ModelRequest, ToolDeclaration};
use serde_json::{Value, json};

use super::super::{AnswerMode, WireRequest};
use super::GoogleGenerateContent;
use crate::codec::json::Fields;
use crate::codec::warning;

mod contents;
mod extra;
mod parameters;
mod parts;
mod path;
mod schema;

/// The codes of the parts that could not be carried.
type Warnings = BTreeSet<&'static str>;

/// Writes a request.
pub(super) fn encode(
    codec: &GoogleGenerateContent,
    request: &ModelRequest,
    files: &Files,
    mode: AnswerMode,
) -> WireRequest {
    let mut warnings = Warnings::new();
    let mut body = Fields::new();
    let mut put = |field: &str, value: Value| drop(body.insert(field.to_owned(), value));
    if !request.system().is_empty() {
        let system: Vec<&str> = request.system().iter().map(|layer| &*layer.text).collect();
        put(
            "systemInstruction",
            json!({ "parts": [{ "text": system.join("\n\n") }] }),
        );
    }
    put(
        "contents",
        contents::contents(codec, request, files, &mut warnings),
    );
    if !request.tools().is_empty() {
        put(
            "tools",
            json!([{ "functionDeclarations": request.tools().iter().map(tool).collect::<Value>() }]),
        );
        if let Some(choice) = &request.parameters().tool_choice {
            put("toolConfig", parameters::tool_config(choice));
        }
    } else if request.parameters().tool_choice.is_some() {
        warnings.insert(warning::TOOL_CHOICE_NOT_CARRIED);
    }
    let generation = parameters::generation_config(request.parameters(), &mut warnings);
    if !generation.is_empty() {
        put("generationConfig", Value::Object(generation));
    }
    extra::merge(&mut body, &request.parameters().extra, &mut warnings);
    WireRequest {
        path: path::path(&codec.prefix, request.model(), mode),
        headers: Vec::new(),
        body: Value::Object(body),
        warnings: warnings.into_iter().map(str::to_owned).collect(),
    }
}

/// Google's own form of a schema is what clients send. A schema that has more in it goes as the
/// JSON Schema that it is: the two fields exclude each other, and the first one refuses what it
/// does not know.
fn tool(tool: &ToolDeclaration) -> Value {
    let ToolDeclaration {
        name,
        description,
        schema,
    } = tool;
    let field = if schema::is_in_subset(schema) {
        "parameters"
    } else {
        "parametersJsonSchema"
    };
    json!({ "name": name, "description": description, field: schema })
}
