//! The ids of a client's state that the room knows.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::StateSpec;

/// A client's state as agents may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// The state without the ids that the room does not know.
    pub(crate) state: Value,
    /// The places of ids that the room does not know, as JSON pointers into what the client told.
    pub(crate) dropped: Vec<String>,
}

impl StateSpec {
    /// The number of places of unknown ids that are listed. All of them are taken out.
    const DROPPED_MAX: usize = 64;

    /// Puts in the place of each id what the room knows it as: `{"id": …, "is": …}`. Where a list
    /// stands, each of its items is an id. What is no known id is taken out: a member of an object,
    /// or an item of the list, is gone. `null` stays.
    pub(crate) fn resolved(&self, told: &Value) -> Resolved {
        let mut resolved = Resolved {
            state: told.clone(),
            dropped: Vec::new(),
        };
        for (pointer, known) in &self.ids {
            resolved.resolve(pointer, known);
        }
        resolved.dropped.truncate(Self::DROPPED_MAX);
        resolved
    }
}

impl Resolved {
    fn resolve(&mut self, pointer: &str, known: &BTreeMap<String, String>) {
        let Self { state, dropped } = self;
        match state.pointer_mut(pointer) {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) => {
                let told = std::mem::take(items);
                for (number, item) in told.iter().enumerate() {
                    match known_as(item, known) {
                        Some(it) => items.push(it),
                        None => dropped.push(format!("{pointer}/{number}")),
                    }
                }
            }
            Some(
                place @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)),
            ) => match known_as(place, known) {
                Some(it) => *place = it,
                None => {
                    take_out(state, pointer);
                    dropped.push(pointer.to_owned());
                }
            },
        }
    }
}

fn known_as(id: &Value, known: &BTreeMap<String, String>) -> Option<Value> {
    let id = id.as_str()?;
    Some(json!({ "id": id, "is": known.get(id)? }))
}

/// Removes a member of an object. An item of a list becomes `null`, so that other pointers still
/// say what they said.
fn take_out(state: &mut Value, pointer: &str) {
    if let Some((parent, last)) = pointer.rsplit_once('/')
        && let Some(Value::Object(members)) = state.pointer_mut(parent)
    {
        members.remove(&last.replace("~1", "/").replace("~0", "~"));
    } else if let Some(place) = state.pointer_mut(pointer) {
        *place = Value::Null;
    }
}
