//! Google's own form of a schema: a small part of OpenAPI 3.0.

use serde_json::Value;

/// The names of its types, in small letters as JSON Schema has them.
const TYPES: [&str; 6] = ["object", "array", "string", "number", "integer", "boolean"];

/// Tells whether `schema` is written in that part alone, so that it means the same there as in JSON
/// Schema.
pub(super) fn is_in_subset(schema: &Value) -> bool {
    let Value::Object(fields) = schema else {
        return false;
    };
    let kind = fields
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let is_typed = TYPES.contains(&kind) || fields.contains_key("anyOf");
    is_typed
        && fields
            .iter()
            .all(|(name, value)| is_known(kind, name, value))
}

fn is_known(kind: &str, name: &str, value: &Value) -> bool {
    match name {
        "type" | "description" | "title" | "pattern" => value.is_string(),
        "format" => value
            .as_str()
            .is_some_and(|format| has_format(kind, format)),
        "nullable" => value.is_boolean(),
        // Google takes an enumeration of strings alone; others go as JSON Schema.
        "enum" => kind == "string" && is_list_of(value, Value::is_string),
        "required" | "propertyOrdering" => is_list_of(value, Value::is_string),
        "properties" => value
            .as_object()
            .is_some_and(|properties| properties.values().all(is_in_subset)),
        "items" => is_in_subset(value),
        "anyOf" => is_list_of(value, is_in_subset),
        "minimum" | "maximum" => value.is_number(),
        "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        _ => false,
    }
}

/// Other formats are refused, or read over.
fn has_format(kind: &str, format: &str) -> bool {
    match kind {
        "string" => matches!(format, "enum" | "date-time"),
        "number" => matches!(format, "float" | "double"),
        "integer" => matches!(format, "int32" | "int64"),
        _ => false,
    }
}

fn is_list_of(value: &Value, is_item: impl Fn(&Value) -> bool) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().all(is_item))
}
