//! JSON as all wires read it.

use serde_json::{Map, Value};

use super::DecodeError;

/// A JSON object of a wire.
pub(super) type Fields = Map<String, Value>;

/// The object in a body or an event.
pub(super) fn object(json: &[u8]) -> Result<Fields, DecodeError> {
    serde_json::from_slice(json).map_err(|error| DecodeError::Json(error.to_string()))
}

/// The fields of an object; none of everything else.
pub(super) fn fields_of(value: Value) -> Fields {
    if let Value::Object(fields) = value { fields } else { Fields::new() }
}

/// The text of a string; empty for everything else.
pub(super) fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Whether a value says nothing: null, an empty text, list or object.
pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
