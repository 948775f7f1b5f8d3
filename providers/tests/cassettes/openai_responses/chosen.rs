//! A recorded request with the codec's choices made.

use serde_json::{Map, Value, json};

/// A text, or a list of nothing but one.
pub(super) fn text(content: &Value) -> Option<String> {
    match content.as_array().map(Vec::as_slice) {
        None => content.as_str().map(str::to_owned),
        Some([piece]) => piece["text"].as_str().map(str::to_owned),
        Some(_) => None,
    }
}

/// The input as a list; `None` if it is none.
pub(super) fn input(recorded: &Value) -> Option<Vec<Value>> {
    if recorded.is_string() {
        return Some(vec![json!({ "role": "user", "content": recorded })]);
    }
    recorded.as_array().cloned()
}

/// The request as the codec writes it.
pub(super) fn chosen(recorded: &Value) -> Value {
    let mut fields = recorded.as_object().unwrap().clone();
    fields.retain(|field, value| !says_nothing(field, value));
    if let Some(Value::Object(reasoning)) = fields.get_mut("reasoning") {
        reasoning.retain(|_, value| !value.is_null());
    }
    for field in ["temperature", "top_p"] {
        if let Some(number) = fields.get_mut(field) {
            *number = json!(number.as_f64());
        }
    }
    let input = input(&fields.remove("input").unwrap()).unwrap();
    let start = input
        .iter()
        .take_while(|item| item["role"] == "system")
        .count();
    let mut system: Vec<String> = fields
        .get("instructions")
        .and_then(Value::as_str)
        .into_iter()
        .map(str::to_owned)
        .collect();
    system.extend(
        input
            .iter()
            .take(start)
            .map(|item| text(&item["content"]).unwrap()),
    );
    if !system.is_empty() {
        fields.insert("instructions".into(), json!(system.join("\n\n")));
    }
    fields.insert(
        "input".into(),
        input.into_iter().skip(start).map(item).collect(),
    );
    Value::Object(fields)
}

fn says_nothing(field: &str, value: &Value) -> bool {
    matches!(field, "stream") && value == false
        || matches!(field, "include" | "tools") && *value == json!([])
}

fn item(mut item: Value) -> Value {
    let text = text(&item["content"]);
    let fields: &mut Map<String, Value> = item.as_object_mut().unwrap();
    match fields.get("role").and_then(Value::as_str) {
        Some("user") => {
            let content =
                json!([{ "type": "input_text", "text": format!("Ada: {}", text.unwrap()) }]);
            fields.extend([
                ("type".into(), json!("message")),
                ("content".into(), content),
            ]);
        }
        Some("assistant") if fields.contains_key("id") => {
            let content =
                json!([{ "type": "output_text", "text": text.unwrap(), "annotations": [] }]);
            fields.insert("content".into(), content);
        }
        Some("assistant") => {
            fields.extend([
                ("type".into(), json!("message")),
                ("content".into(), json!(text.unwrap())),
            ]);
        }
        _ if fields["type"] == "function_call_output" => drop(fields.remove("status")),
        _ => {}
    }
    item
}
