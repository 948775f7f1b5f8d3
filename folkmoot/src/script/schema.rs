//! The JSON Schema of world scripts, made from the tables that scripts are checked with.

mod sharing;

use folkmoot_core::ids::{duration, size};
use serde_json::{Map, Value, json};

use super::grammar::{Field, Named, Presence, Record, SCRIPT, Shape, VERBS, Variants, VerbShape};

/// The name of the schema. Nothing is to be found there: an `$id` is a name, and a `urn:` says so.
const ID: &str = "urn:folkmoot:world-script:1";

/// The JSON Schema (2020-12) of the world scripts that this build performs.
///
/// It says all that can be said of the parts one by one. How they fit together (names, variables,
/// secrets, included files) only [`Script::parse`](super::Script::parse) knows.
#[must_use]
pub fn json_schema() -> Value {
    let mut schema = record(&SCRIPT);
    if let Value::Object(fields) = &mut schema {
        fields.insert(
            "$schema".to_owned(),
            json!("https://json-schema.org/draft/2020-12/schema"),
        );
        fields.insert("$id".to_owned(), json!(ID));
        fields.insert("title".to_owned(), json!("A Folkmoot world script"));
        fields.insert("$defs".to_owned(), json!({ "step": steps() }));
    }
    sharing::shared(&schema)
}

fn shape(shape: &Shape) -> Value {
    match shape {
        Shape::Text | Shape::Ref(_) => json!({ "type": "string" }),
        Shape::Pattern => json!({ "type": "string", "format": "regex" }),
        Shape::Null => json!({ "type": "null" }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::True => json!({ "const": true }),
        Shape::Count(least, most) => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Shape::Decimal(least, most) => {
            json!({ "type": "number", "minimum": f64::from(*least) / 1e3, "maximum": f64::from(*most) / 1e3 })
        }
        Shape::Number => json!({ "type": "number" }),
        Shape::Amount(digits) => {
            let pattern = format!("^[0-9]{{1,12}}([.][0-9]{{1,{digits}}})?$");
            json!({ "type": ["string", "number"], "pattern": pattern, "minimum": 0 })
        }
        Shape::Filled => json!({ "type": "string", "minLength": 1 }),
        Shape::PlainPath => {
            json!({ "type": "string", "minLength": 1, "not": { "pattern": "^/|//|/$|(^|/)\\.\\.?/|/\\.\\.?$|^\\.\\.$" } })
        }
        Shape::Pointer => json!({ "type": "string", "pattern": "^(/([^~/]|~[01])*)+$" }),
        Shape::Scope => {
            json!({ "type": "string", "pattern": "^(once|turn|world|uses:[1-9][0-9]{0,9})$" })
        }
        Shape::Duration(..) => json!({ "type": "string", "pattern": duration::PATTERN }),
        Shape::Size(..) => json!({ "type": "string", "pattern": size::PATTERN }),
        Shape::Word(words, _) => json!({ "enum": words }),
        Shape::Name(named) => name(*named),
        Shape::Json => json!(true),
        Shape::JsonMap => json!({ "type": "object" }),
        Shape::Record(fields) => record(fields),
        Shape::Variant(variants) => variant(variants),
        Shape::List(item, least) => {
            json!({ "type": "array", "items": self::shape(item), "minItems": least })
        }
        Shape::Entries(key, value) => {
            json!({ "type": "object", "propertyNames": self::shape(key), "additionalProperties": self::shape(value) })
        }
        Shape::Either(shapes) => {
            json!({ "anyOf": shapes.iter().map(self::shape).collect::<Vec<_>>() })
        }
        Shape::Step => json!({ "$ref": "#/$defs/step" }),
    }
}

fn name(named: Named) -> Value {
    match named {
        Named::World | Named::Tool | Named::Model | Named::Step | Named::State => {
            json!({ "type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$" })
        }
        Named::Agent | Named::Actor | Named::Speaker => {
            json!({ "type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[^@,]*$" })
        }
    }
}

fn described(field: &Field) -> (String, Value) {
    let mut schema = shape(&field.shape);
    if let Value::Object(fields) = &mut schema {
        fields.insert("description".to_owned(), json!(field.doc));
        if let Some(default) = field.default {
            fields.insert("default".to_owned(), plain(default));
        }
    }
    (field.name.to_owned(), schema)
}

/// A default as JSON: a flag, a number or a text.
pub(super) fn plain(default: &str) -> Value {
    match default {
        "true" => json!(true),
        "false" => json!(false),
        text => text
            .parse::<u64>()
            .map_or_else(|_| json!(text), Value::from),
    }
}

fn properties<'a>(fields: impl Iterator<Item = &'a Field>) -> Map<String, Value> {
    fields.map(described).collect()
}

fn record(record: &Record) -> Value {
    let required: Vec<&str> = record
        .fields()
        .filter(|field| field.presence == Presence::Required)
        .map(|field| field.name)
        .collect();
    let mut rules: Vec<Value> = record
        .clash
        .iter()
        .flat_map(|group| clashes(group))
        .collect();
    for (key, other) in record.needs {
        rules.push(json!({ "dependentRequired": { *key: [other] } }));
    }
    let wanted = record.wanted();
    if !wanted.is_empty() {
        let one: Vec<Value> = wanted
            .iter()
            .map(|key| json!({ "required": [key] }))
            .collect();
        rules.push(json!({ "anyOf": one }));
    }
    let mut schema = json!({
        "type": "object",
        "properties": properties(record.fields()),
        "required": required,
        "additionalProperties": false,
    });
    if let (Value::Object(fields), false) = (&mut schema, rules.is_empty()) {
        fields.insert("allOf".to_owned(), Value::Array(rules));
    }
    schema
}

/// No two keys of `group` together.
fn clashes(group: &'static [&'static str]) -> impl Iterator<Item = Value> {
    let pairs = group
        .iter()
        .enumerate()
        .flat_map(|(at, one)| group.iter().skip(at + 1).map(move |other| (one, other)));
    pairs.map(|(one, other)| json!({ "not": { "required": [one, other] } }))
}

/// One record for each word under the tag. Words whose records are the same share one.
fn variant(variants: &Variants) -> Value {
    let tag = format!("/properties/{}", variants.tag);
    let mut records: Vec<(Value, Vec<&str>)> = Vec::new();
    for (word, fields) in variants.records {
        let mut schema = record(fields);
        if let Some(tag) = schema.pointer_mut(&tag) {
            *tag = Value::Null;
        }
        match records.iter_mut().find(|(known, _)| *known == schema) {
            Some((_, words)) => words.push(word),
            None => records.push((schema, vec![word])),
        }
    }
    let one = records.into_iter().map(|(mut schema, words)| {
        if let Some(tag) = schema.pointer_mut(&tag) {
            *tag = json!({ "enum": words });
        }
        schema
    });
    json!({ "type": "object", "oneOf": one.collect::<Vec<_>>() })
}

/// Any step: exactly one verb, and the modifiers that may stand beside it. All keys stand side by
/// side, once each.
fn steps() -> Value {
    let fields = VERBS
        .iter()
        .flat_map(|verb| std::iter::once(&verb.field).chain(verb.modifiers()));
    let one: Vec<Value> = VERBS.iter().map(step).collect();
    json!({ "type": "object", "properties": properties(fields), "oneOf": one })
}

fn step(verb: &'static VerbShape) -> Value {
    let beside = verb.modifiers().map(|field| field.name);
    let keys: Vec<&str> = std::iter::once(verb.field.name).chain(beside).collect();
    json!({ "required": [verb.field.name], "propertyNames": { "enum": keys } })
}
