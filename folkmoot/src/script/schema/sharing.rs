//! Sharing: a part of a schema that stands at several places is written once, under `$defs`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The least that a part must take, in bytes of JSON, to be written once: a `$ref` takes about as
/// much.
const SHARED_FROM: usize = 60;

/// `schema` with each part that it repeats under `$defs`, and a `$ref` in its places.
pub(super) fn shared(schema: &Value) -> Value {
    let mut seen = Seen::default();
    seen.count("", schema);
    let mut parts = Parts {
        seen: &seen.times,
        names: BTreeMap::new(),
        defs: Map::new(),
    };
    let mut written = parts.inside("", schema);
    if let Value::Object(fields) = &mut written {
        let defs = fields.entry("$defs").or_insert_with(|| json!({}));
        if let Value::Object(defs) = defs {
            defs.append(&mut parts.defs);
        }
    }
    written
}

/// How often each part stands in a schema, by its text. What is inside of a repeated part is
/// counted once.
#[derive(Default)]
struct Seen {
    times: BTreeMap<String, usize>,
}

impl Seen {
    fn count(&mut self, key: &str, schema: &Value) {
        let times = self.times.entry(text(schema)).or_default();
        *times += 1;
        if *times == 1 {
            map(key, schema, &mut |key, part| {
                self.count(key, part);
                Value::Null
            });
        }
    }
}

/// The parts that are written once, while a schema is written anew.
struct Parts<'a> {
    seen: &'a BTreeMap<String, usize>,
    names: BTreeMap<String, String>,
    defs: Map<String, Value>,
}

impl Parts<'_> {
    /// A `$ref` in the place of a part that is repeated, with the description that it has here.
    fn part(&mut self, key: &str, schema: &Value) -> Value {
        let text = text(schema);
        let is_shared = self.seen.get(&text).is_some_and(|times| *times > 1);
        if !is_shared || text.len() < SHARED_FROM || schema.get("$ref").is_some() {
            return self.inside(key, schema);
        }
        let name = match self.names.get(&text) {
            Some(name) => name.clone(),
            None => self.define(key, text, schema),
        };
        let mut reference = Map::from_iter([("$ref".to_owned(), json!(format!("#/$defs/{name}")))]);
        if let Some(description) = schema.get("description") {
            reference.insert("description".to_owned(), description.clone());
        }
        Value::Object(reference)
    }

    fn define(&mut self, key: &str, text: String, schema: &Value) -> String {
        let numbered = (2..).map(|number| format!("{key}-{number}"));
        let name = std::iter::once(key.to_owned())
            .chain(numbered)
            .find(|name| !self.defs.contains_key(name))
            .unwrap_or_default();
        self.names.insert(text, name.clone());
        // The name is taken before the parts of the part look for theirs.
        self.defs.insert(name.clone(), Value::Null);
        let written = self.inside(key, &without_description(schema));
        self.defs.insert(name.clone(), written);
        name
    }

    fn inside(&mut self, key: &str, schema: &Value) -> Value {
        map(key, schema, &mut |key, part| self.part(key, part))
    }
}

/// The text by which equal parts are known: where they stand, and why, is no part of them.
fn text(schema: &Value) -> String {
    without_description(schema).to_string()
}

fn without_description(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(fields) = &mut schema {
        fields.remove("description");
    }
    schema
}

/// `schema` with each of its parts replaced. A part is called by the property that it stands under.
fn map(key: &str, schema: &Value, replaced: &mut dyn FnMut(&str, &Value) -> Value) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    let parts = fields.iter().map(|(word, value)| {
        let value = match (word.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => named
                .iter()
                .map(|(name, part)| (name.clone(), replaced(name, part)))
                .collect(),
            ("anyOf" | "oneOf" | "allOf", Value::Array(parts)) => {
                parts.iter().map(|part| replaced(key, part)).collect()
            }
            ("items" | "additionalProperties" | "propertyNames" | "not", Value::Object(_)) => {
                replaced(key, value)
            }
            _ => value.clone(),
        };
        (word.clone(), value)
    });
    Value::Object(parts.collect())
}
