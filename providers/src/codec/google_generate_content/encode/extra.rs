//! Fields that a script gives by Google's own names.

use serde_json::{Map, Value};

use super::Warnings;
use crate::codec::json::Fields;
use crate::codec::warning;

/// Objects that are put together field by field.
const MERGED: [&str; 2] = ["generationConfig", "toolConfig"];

/// Adds `extra` to the body. What the codec has written stays, and it is told that the other was
/// left out. Tools stand behind the codec's own: the provider's tools are items of the same list.
pub(super) fn merge(body: &mut Fields, extra: &Map<String, Value>, warnings: &mut Warnings) {
    for (field, value) in extra {
        match (body.get_mut(field), value) {
            (Some(Value::Array(own)), Value::Array(more)) if field == "tools" => {
                own.extend(more.iter().cloned())
            }
            (Some(Value::Object(own)), Value::Object(more)) if MERGED.contains(&field.as_str()) => {
                more.iter()
                    .for_each(|(field, value)| put(own, field, value, warnings));
            }
            _ => put(body, field, value, warnings),
        }
    }
}

fn put(fields: &mut Fields, field: &str, value: &Value, warnings: &mut Warnings) {
    match fields.get(field) {
        None => drop(fields.insert(field.to_owned(), value.clone())),
        Some(own) if own == value => {}
        Some(_) => drop(warnings.insert(warning::EXTRA_NOT_CARRIED)),
    }
}
