//! The differences of two definitions, place by place.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Definition, SpecText, WorldSpec};

/// A place where two definitions differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The place, e.g. `policy.mode`, `agents.clerk.tools`, `prompts.clerk`.
    pub what: String,
    /// The kind of change.
    pub how: How,
    /// The old value; only of policies and limits, which are short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Value>,
    /// The new value; only of policies and limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
}

/// The kind of change at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The place is new.
    Added,
    /// The place is gone.
    Removed,
    /// The place says something else.
    Changed,
}

impl Change {
    /// Tells whether it is one of the room's policy: who may do what, and what is asked.
    #[must_use]
    pub fn is_of_policy(&self) -> bool {
        self.what.starts_with("policy.")
    }

    fn plain(what: String, how: How) -> Self {
        Self {
            what,
            how,
            from: None,
            to: None,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what,
            how,
            from,
            to,
        } = self;
        match (how, from, to) {
            (How::Changed, Some(from), Some(to)) => write!(f, "{what}: {from} becomes {to}"),
            (How::Added, _, Some(to)) => write!(f, "{what} is new: {to}"),
            (How::Removed, Some(from), _) => write!(f, "{what} is gone: it was {from}"),
            (How::Changed, ..) => write!(f, "{what} changed"),
            (How::Added, ..) => write!(f, "{what} is new"),
            (How::Removed, ..) => write!(f, "{what} is gone"),
        }
    }
}

impl Definition {
    /// Returns how `next` differs from this one, in the order of the places. Of texts, which may be
    /// erased, it is only said that they differ.
    #[must_use]
    pub fn changes_to(&self, next: &Self) -> Vec<Change> {
        let mut changes = structure(&self.spec, &next.spec);
        match (self.text.present(), next.text.present()) {
            (Some(old), Some(new)) => texts(old, new, &mut changes),
            (_, _) => changes.push(Change::plain("texts".to_owned(), How::Changed)),
        }
        if self.source != next.source {
            let value = |source: &Option<String>| source.clone().map(Value::from);
            let from = value(&self.source);
            let to = value(&next.source);
            changes.push(Change {
                what: "file".to_owned(),
                how: how(from.is_some(), to.is_some()),
                from,
                to,
            });
        }
        changes.sort_by(|one, other| one.what.cmp(&other.what));
        changes
    }
}

type Entries = BTreeMap<String, Value>;

fn structure(old: &WorldSpec, new: &WorldSpec) -> Vec<Change> {
    let mut changes = Vec::new();
    let before = agents(old);
    let after = agents(new);
    entries("agents", &before, &after, &mut changes);
    let order = |spec: &WorldSpec, other: &Entries| -> Vec<String> {
        let names = spec.agents.iter().map(|agent| agent.name.to_string());
        names.filter(|name| other.contains_key(name)).collect()
    };
    if order(old, &after) != order(new, &before) {
        changes.push(Change::plain("agents".to_owned(), How::Changed));
    }
    entries("models", &map(&old.models), &map(&new.models), &mut changes);
    entries("tools", &map(&old.tools), &map(&new.tools), &mut changes);
    entries("states", &map(&old.states), &map(&new.states), &mut changes);
    for (under, old, new) in [
        ("policy", map(&old.policy), map(&new.policy)),
        ("limits", map(&old.limits), map(&new.limits)),
    ] {
        for (key, from, to) in differing(&old, &new) {
            let from = from.cloned();
            let to = to.cloned();
            let how = how(from.is_some(), to.is_some());
            changes.push(Change {
                what: format!("{under}.{key}"),
                how,
                from,
                to,
            });
        }
    }
    changes
}

fn texts(old: &SpecText, new: &SpecText, changes: &mut Vec<Change>) {
    for (key, old, new) in differing(&map(old), &map(new)) {
        let parts = |value: Option<&Value>| {
            value
                .and_then(Value::as_object)
                .map(|map| map.clone().into_iter().collect())
        };
        let (before, after): (Option<Entries>, Option<Entries>) = (parts(old), parts(new));
        if before.is_none() && after.is_none() {
            changes.push(Change::plain(
                key.clone(),
                how(old.is_some(), new.is_some()),
            ));
            continue;
        }
        let before = before.unwrap_or_default();
        let after = after.unwrap_or_default();
        for (name, old, new) in differing(&before, &after) {
            let what = if matches!(key.as_str(), "models" | "tools") {
                format!("{key}.{name}.settings")
            } else {
                format!("{key}.{name}")
            };
            changes.push(Change::plain(what, how(old.is_some(), new.is_some())));
        }
    }
}

/// The changes of what has names: what came and what went, and of what stayed the fields that
/// differ.
fn entries(under: &str, old: &Entries, new: &Entries, changes: &mut Vec<Change>) {
    for (name, old, new) in differing(old, new) {
        let what = format!("{under}.{name}");
        match (old, new) {
            (Some(old), Some(new)) => {
                let old = map(old);
                let new = map(new);
                let fields = differing(&old, &new);
                let field = |(field, old, new): (&String, Option<&Value>, Option<&Value>)| {
                    Change::plain(format!("{what}.{field}"), how(old.is_some(), new.is_some()))
                };
                changes.extend(fields.into_iter().map(field));
            }
            (old, new) => changes.push(Change::plain(what, how(old.is_some(), new.is_some()))),
        }
    }
}

const fn how(was: bool, is: bool) -> How {
    match (was, is) {
        (false, _) => How::Added,
        (true, false) => How::Removed,
        (true, true) => How::Changed,
    }
}

/// The keys that do not say the same in both.
fn differing<'e>(
    old: &'e Entries,
    new: &'e Entries,
) -> Vec<(&'e String, Option<&'e Value>, Option<&'e Value>)> {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let both = keys
        .into_iter()
        .map(|key| (key, old.get(key), new.get(key)));
    both.filter(|(_, old, new)| old != new).collect()
}

fn agents(spec: &WorldSpec) -> Entries {
    let value = |agent| serde_json::to_value(agent).unwrap_or_default();
    spec.agents
        .iter()
        .map(|agent| (agent.name.to_string(), value(agent)))
        .collect()
}

/// The fields of what serialises to an object; none of anything else.
fn map(value: &impl Serialize) -> Entries {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields.into_iter().collect(),
        Ok(_) | Err(_) => Entries::new(),
    }
}
