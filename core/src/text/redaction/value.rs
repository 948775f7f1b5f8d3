//! Strings and numbers in JSON values.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// What becomes of a string, or of a number as it is written, given the name of the field that
/// holds it, if one does. What an array holds has the name of the array.
pub(super) type Rewrite<'r> = dyn for<'a> Fn(Option<&str>, &'a str) -> Cow<'a, str> + 'r;

/// Rewrites every string, every number and every name of a field. A value read from JSON is at most
/// 128 deep.
pub(super) fn walk(value: &mut Value, rewrite: &Rewrite<'_>) {
    walk_field(None, value, rewrite);
}

fn walk_field(name: Option<&str>, value: &mut Value, rewrite: &Rewrite<'_>) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(redacted) = rewrite(name, text) {
                *text = redacted;
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| walk_field(name, item, rewrite)),
        Value::Object(fields) => {
            fields
                .iter_mut()
                .for_each(|(name, field)| walk_field(Some(name), field, rewrite));
            rename(fields, rewrite);
        }
        Value::Number(number) => {
            if let Cow::Owned(redacted) = rewrite(name, &number.to_string()) {
                *value = Value::String(redacted);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Rewrites the names of fields. Two that become the same are told apart by a number, so that none
/// is lost.
fn rename(fields: &mut Map<String, Value>, rewrite: &Rewrite<'_>) {
    let rewritten = |name: &String| {
        Some((name.clone(), rewrite(None, name).into_owned())).filter(|(old, new)| old != new)
    };
    for (old, new) in fields.keys().filter_map(rewritten).collect::<Vec<_>>() {
        let Some(field) = fields.remove(&old) else {
            continue;
        };
        let mut free = new.clone();
        let mut number = 1;
        while fields.contains_key(&free) {
            number += 1;
            free = format!("{new} {number}");
        }
        fields.insert(free, field);
    }
}
