//! The schema says what stands for a key that is left out; here each of these words is written out, and nothing may change.

use folkmoot_core::ids::Digest;
use folkmoot_providers::transport::HttpSettings;
use serde_json::Value;

use super::*;
use crate::definition_of;
use crate::script::fault::Faults;
use crate::script::grammar::{Field, Record, SCRIPT, Shape, VERBS};
use crate::script::node;

/// A room that says as little as it can about as much as it can.
const SPARSE: &str = r"
world: sparse
models:
  played: { provider: scripted }
  asked: { provider: google-generate-content, model: g, timeouts: {}, base_url: 'http://localhost' }
defaults: { model: played }
agents:
  - { name: planner }
  - { name: worker, tools: [look, keep, run, play], join: { all_of: [planner] } }
tools:
  look: { use: fs.read, root: . }
  keep: { use: fs.write, root: . }
  run: { use: shell, cwd: ., allow: [[ls]], sandbox: {} }
  play: { use: scripted, description: d, effect: read, results: [{ text: a }] }
states: { cart: { schema: {} } }
policy: {}
limits: { approval_ttl: {} }
replies: { worker: [{ text: a, when: { contains: b } }] }
script:
  - say: hi
  - approve: { tool: run }
  - idle: {}
";

fn base() -> PathBuf {
    examples::folder().join("sparse.yaml")
}

/// All that a script comes to: the room, the settings of its models, and the steps.
fn meaning(text: &str) -> Result<(String, Vec<String>, Vec<String>), String> {
    let script = Script::parse(text, &base()).map_err(|error| error.to_string())?;
    let mut definition = definition_of(&script, &script.spec).map_err(|error| error.to_string())?;
    for tool in definition.spec.tools.values_mut() {
        // A digest of the settings as they are written.
        tool.settings = Digest::default();
    }
    let models = definition.text.present().unwrap().models.values();
    let settings = models.map(|model| {
        let mut model = model.as_object().unwrap().clone();
        model.retain(|key, _| HttpSettings::FIELDS.contains(&key.as_str()));
        format!(
            "{:?}",
            serde_json::from_value::<HttpSettings>(Value::Object(model)).ok()
        )
    });
    let steps = script.steps.iter();
    let steps = steps.map(|step| format!("{} {:?}", step.by, step.verb));
    Ok((
        format!("{:?}", definition.spec),
        settings.collect(),
        steps.collect(),
    ))
}

/// A place for a default: the map that lacks it, the key and the default.
type Gap = (String, &'static str, Value);

/// Adds the keys with a default that `value` leaves out, and those in its parts.
fn gaps(shape: &Shape, value: &Value, at: &str, found: &mut Vec<Gap>) {
    match (shape, value) {
        (Shape::Record(record), _) => gaps_of_record(record, value, at, found),
        (Shape::Variant(variants), _) => {
            let word = value[variants.tag].as_str().unwrap();
            gaps_of_record(variants.record(word).unwrap(), value, at, found);
        }
        (Shape::List(item, _), Value::Array(items)) => {
            for (index, value) in items.iter().enumerate() {
                gaps(item, value, &format!("{at}/{index}"), found);
            }
        }
        (Shape::Entries(_, of), Value::Object(entries)) => {
            for (key, value) in entries {
                gaps(of, value, &format!("{at}/{key}"), found);
            }
        }
        (Shape::Step, Value::Object(step)) => {
            let verb = VERBS.iter().find(|verb| step.contains_key(verb.field.name));
            let verb = verb.unwrap();
            let fields = std::iter::once(&verb.field).chain(verb.modifiers());
            gaps_of_fields(fields, value, at, found);
        }
        _ => {}
    }
}

fn gaps_of_record(record: &'static Record, value: &Value, at: &str, found: &mut Vec<Gap>) {
    gaps_of_fields(record.fields(), value, at, found);
}

fn gaps_of_fields(
    fields: impl Iterator<Item = &'static Field>,
    value: &Value,
    at: &str,
    found: &mut Vec<Gap>,
) {
    for field in fields {
        match (value.get(field.name), field.default) {
            (Some(value), _) => {
                gaps(&field.shape, value, &format!("{at}/{}", field.name), found);
            }
            (None, Some(default)) => {
                found.push((
                    at.to_owned(),
                    field.name,
                    crate::script::schema::plain(default),
                ));
            }
            (None, None) => {}
        }
    }
}

#[test]
fn a_default_that_is_written_out_changes_nothing() {
    let room = node::load(SPARSE, 0, &Faults::default()).unwrap().json();
    let before = meaning(SPARSE).unwrap();
    let mut found = Vec::new();
    gaps(&Shape::Record(&SCRIPT), &room, "", &mut found);
    for (at, key, default) in &found {
        let mut room = room.clone();
        room.pointer_mut(at).unwrap()[*key] = default.clone();
        let after = meaning(&room.to_string());
        assert!(
            after.as_ref() == Ok(&before),
            "{at}/{key}: {default} means something else"
        );
    }
    let names: Vec<_> = found.iter().map(|(_, key, _)| *key).collect();
    for key in [
        "mode",
        "hop_budget",
        "or_after",
        "idle",
        "as",
        "wait",
        "bytes_max",
        "memoise",
    ] {
        assert!(names.contains(&key), "{key} is tried nowhere");
    }
}

/// A default of another kind than its key, or out of its bounds, would be refused by the schema itself.
#[test]
fn every_default_is_a_value_that_its_key_takes() {
    fn look(schema: &Value, root: &Value, tried: &mut usize) {
        if let Some(default) = schema
            .get("default")
            .filter(|_| schema.get("description").is_some())
        {
            let mut whole = schema.clone();
            whole["$defs"] = root["$defs"].clone();
            let validator = jsonschema::draft202012::new(&whole).unwrap();
            assert!(validator.is_valid(default), "{default}: {schema}");
            *tried += 1;
        }
        let parts: Vec<&Value> = match schema {
            Value::Array(items) => items.iter().collect(),
            Value::Object(fields) => fields.values().collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        };
        parts.into_iter().for_each(|part| look(part, root, tried));
    }
    let (schema, mut tried) = (json_schema(), 0);
    look(&schema, &schema, &mut tried);
    assert!(tried > 40, "{tried}");
}
