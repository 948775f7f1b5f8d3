//! What is in a recording of this wire, read plainly, without the codec.

use serde_json::Value;

use crate::recording::{Exchange, leaves};

impl Exchange {
    /// The deltas of the first choice.
    fn deltas(&self) -> Vec<Value> {
        let choices = self
            .chunks()
            .into_iter()
            .flat_map(|chunk| chunk["choices"].as_array().cloned().unwrap_or_default());
        choices
            .filter(|choice| choice["index"] == 0)
            .map(|choice| choice["delta"].clone())
            .collect()
    }

    /// All texts of the first message of a whole answer.
    pub(crate) fn first_message(&self) -> Vec<String> {
        meaningful(&self.document()["choices"][0]["message"])
    }

    /// All texts of the message that a stream's deltas make.
    pub(crate) fn merged_chunks(&self) -> Vec<String> {
        let deltas = self.deltas();
        let joined = |field: &str| {
            deltas
                .iter()
                .filter_map(|delta| delta[field].as_str())
                .collect::<String>()
        };
        let whole = ["content", "reasoning", "reasoning_content", "refusal"].map(joined);
        let fragments = deltas.iter().flat_map(meaningful);
        fragments
            .chain(whole)
            .filter(|text| !text.is_empty())
            .collect()
    }

    /// The calls: name and arguments. In recorded streams one index is one call.
    pub(crate) fn calls(&self) -> Vec<(String, String)> {
        if !self.stream {
            let message = self.document()["choices"][0]["message"].clone();
            let items = message["tool_calls"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let functions = items.into_iter().map(|item| item["function"].clone());
            let functions =
                functions.chain(Some(message["function_call"].clone()).filter(Value::is_object));
            return functions
                .map(|function| (text(&function["name"]), text(&function["arguments"])))
                .collect();
        }
        let mut calls = Vec::<(String, String)>::new();
        for item in self
            .deltas()
            .iter()
            .flat_map(|delta| delta["tool_calls"].as_array().cloned().unwrap_or_default())
        {
            let index = usize::try_from(item["index"].as_u64().unwrap()).unwrap();
            calls.resize(calls.len().max(index + 1), (String::new(), String::new()));
            let name = text(&item["function"]["name"]);
            if !name.is_empty() {
                calls[index].0 = name;
            }
            calls[index]
                .1
                .push_str(&text(&item["function"]["arguments"]));
        }
        calls
    }

    pub(crate) fn has_no_usage(&self) -> bool {
        let documents = if self.stream {
            self.chunks()
        } else {
            vec![self.document()]
        };
        !documents.iter().any(|document| {
            document["usage"].is_object() || document["x_groq"]["usage"].is_object()
        })
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
