//! Reads the recordings, and says plainly what is in them, without the codec.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

/// One recorded exchange.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Exchange {
    pub(crate) id: String,
    pub(crate) status: u16,
    pub(crate) stream: bool,
    /// What was sent.
    pub(crate) request: Value,
    pub(crate) body: String,
}

/// All exchanges; none if there are no recordings, which is said.
pub(crate) fn exchanges() -> Vec<Exchange> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/cassettes");
    let folder = std::env::var_os("FOLKMOOT_CASSETTES").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let path = folder.join("openai-chat.jsonl.gz");
    let Ok(file) = std::fs::File::open(&path) else {
        println!("skipped: no recordings at {}", path.display());
        return Vec::new();
    };
    let lines = BufReader::new(flate2::read::GzDecoder::new(file)).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

impl Exchange {
    fn document(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The chunks of a stream, by the plainest reading of it that its recordings allow.
    fn chunks(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
    }

    /// The deltas of the first choice.
    fn deltas(&self) -> Vec<Value> {
        let choices =
            self.chunks().into_iter().flat_map(|chunk| chunk["choices"].as_array().cloned().unwrap_or_default());
        choices.filter(|choice| choice["index"] == 0).map(|choice| choice["delta"].clone()).collect()
    }

    /// All texts of the first message of a whole answer.
    pub(crate) fn first_message(&self) -> Vec<String> {
        meaningful(&self.document()["choices"][0]["message"])
    }

    /// All texts of the message that a stream's deltas make.
    pub(crate) fn merged_chunks(&self) -> Vec<String> {
        let deltas = self.deltas();
        let joined = |field: &str| deltas.iter().filter_map(|delta| delta[field].as_str()).collect::<String>();
        let whole = ["content", "reasoning", "reasoning_content", "refusal"].map(joined);
        let fragments = deltas.iter().flat_map(meaningful);
        fragments.chain(whole).filter(|text| !text.is_empty()).collect()
    }

    /// The calls: name and arguments. In recorded streams one index is one call.
    pub(crate) fn calls(&self) -> Vec<(String, String)> {
        if !self.stream {
            let message = self.document()["choices"][0]["message"].clone();
            let items = message["tool_calls"].as_array().cloned().unwrap_or_default();
            let functions = items.into_iter().map(|item| item["function"].clone());
            let functions = functions.chain(Some(message["function_call"].clone()).filter(Value::is_object));
            return functions.map(|function| (text(&function["name"]), text(&function["arguments"]))).collect();
        }
        let mut calls = Vec::<(String, String)>::new();
        for item in self.deltas().iter().flat_map(|delta| delta["tool_calls"].as_array().cloned().unwrap_or_default()) {
            let index = usize::try_from(item["index"].as_u64().unwrap()).unwrap();
            calls.resize(calls.len().max(index + 1), (String::new(), String::new()));
            let name = text(&item["function"]["name"]);
            if !name.is_empty() {
                calls[index].0 = name;
            }
            calls[index].1.push_str(&text(&item["function"]["arguments"]));
        }
        calls
    }

    pub(crate) fn has_no_usage(&self) -> bool {
        let documents = if self.stream { self.chunks() } else { vec![self.document()] };
        !documents.iter().any(|document| document["usage"].is_object() || document["x_groq"]["usage"].is_object())
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// All texts of a message but its role, the types of its calls, and padding, which is random.
fn meaningful(message: &Value) -> Vec<String> {
    let mut message = message.clone();
    if let Value::Object(fields) = &mut message {
        fields.remove("role");
        fields.remove("padding");
    }
    for item in message["tool_calls"].as_array_mut().into_iter().flatten() {
        item["type"].take();
    }
    leaves(&message)
}

/// All texts in a value.
pub(crate) fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        Value::Object(fields) => fields.values().flat_map(leaves).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
