//! `reasoning_details`: signed or encrypted reasoning that has to go back as it came.

use serde_json::Value;

use crate::codec::json::Fields;

/// Fields that come in fragments; the others come once.
const IN_FRAGMENTS: [&str; 2] = ["text", "summary"];

/// Adds the items of one chunk. An item goes on the last one if it has its type and index, and
/// contradicts nothing.
pub(super) fn merge(details: &mut Vec<Value>, items: Vec<Value>) {
    for item in items {
        match (details.last_mut(), item) {
            (Some(Value::Object(last)), Value::Object(item)) if goes_on(last, &item) => {
                append(last, item)
            }
            (_, item) => details.push(item),
        }
    }
}

fn goes_on(last: &Fields, item: &Fields) -> bool {
    let is_part = last.contains_key("index")
        && ["type", "index"]
            .iter()
            .all(|field| last.get(*field) == item.get(*field));
    is_part
        && item.iter().all(|(field, value)| match last.get(field) {
            None | Some(Value::Null) => true,
            Some(before) if IN_FRAGMENTS.contains(&field.as_str()) => {
                before.is_string() && value.is_string()
            }
            Some(before) => before == value || value.is_null(),
        })
}

fn append(last: &mut Fields, item: Fields) {
    for (field, value) in item {
        match (last.get_mut(&field), value) {
            (Some(Value::String(before)), Value::String(more))
                if IN_FRAGMENTS.contains(&field.as_str()) =>
            {
                before.push_str(&more);
            }
            (Some(before @ Value::Null), value) => *before = value,
            (Some(_), _) => {} // equal, or null
            (None, value) => drop(last.insert(field, value)),
        }
    }
}
