//! Changing a log in one place.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, EventKind, EventRecord};
use serde_json::Value;

/// A commit with one event changed.
#[derive(Debug)]
pub(super) struct Mutant {
    /// The kind of the changed event.
    pub(super) kind: EventKind,
    /// The fact that was changed: its field, or what was done to the whole event.
    pub(super) field: String,
    /// The commit; `None` if the event does not read any more.
    pub(super) changed: Option<Commit>,
}

/// Values that stand at the places of facts, so that one of them can stand in for another.
#[derive(Debug, Default)]
pub(super) struct Pool(BTreeMap<(u16, String), BTreeSet<String>>);

/// A place in a value: names, with `*` for all places of a list.
type Place = Vec<Step>;

#[derive(Debug, Clone)]
enum Step {
    Key(String),
    Index(usize),
}

impl Pool {
    pub(super) fn of(logs: &[(String, Vec<Commit>)]) -> Self {
        let mut pool = Self::default();
        for event in logs
            .iter()
            .flat_map(|(_, log)| log)
            .flat_map(|commit| &commit.events)
        {
            let (record, facts) = facts(event);
            for place in places(&facts) {
                if let Some(Value::String(text)) = at(&facts, &place) {
                    pool.0
                        .entry((record.kind, name(&place)))
                        .or_default()
                        .insert(text.clone());
                }
            }
        }
        pool
    }

    /// `commit` with each fact of each event changed in turn, and each event left out and doubled.
    pub(super) fn mutants(&self, commit: &Commit) -> Vec<Mutant> {
        let mut mutants = Vec::new();
        for (number, event) in commit.events.iter().enumerate() {
            let kind = event.kind();
            let (record, facts) = facts(event);
            for place in places(&facts) {
                for other in self.others(record.kind, &facts, &place) {
                    let read = Event::from_record(EventRecord {
                        facts: other.to_string().into_bytes(),
                        ..record.clone()
                    });
                    if read.as_ref().is_ok_and(|read| read == event) {
                        continue;
                    }
                    let changed = read.ok().map(|read| {
                        let mut changed = commit.clone();
                        changed.events[number] = read;
                        changed
                    });
                    mutants.push(Mutant {
                        kind,
                        field: first(&place),
                        changed,
                    });
                }
            }
            let (mut without, mut twice) = (commit.clone(), commit.clone());
            without.events.remove(number);
            twice.events.insert(number, event.clone());
            mutants.push(Mutant {
                kind,
                field: "(left out)".to_owned(),
                changed: Some(without),
            });
            mutants.push(Mutant {
                kind,
                field: "(doubled)".to_owned(),
                changed: Some(twice),
            });
        }
        mutants
    }

    /// `facts` with the value at `place` changed, or gone.
    fn others(&self, kind: u16, facts: &Value, place: &Place) -> Vec<Value> {
        let Some(value) = at(facts, place) else {
            return Vec::new();
        };
        let changed: Vec<Value> = match value {
            Value::Null | Value::Object(_) => Vec::new(),
            Value::Bool(is) => vec![Value::Bool(!is)],
            Value::Number(number) => number
                .as_u64()
                .map(|number| Value::from(number + 1))
                .into_iter()
                .collect(),
            Value::String(text) => {
                let known = self.0.get(&(kind, name(place))).into_iter().flatten();
                known
                    .filter(|known| *known != text)
                    .take(1)
                    .cloned()
                    .chain([flipped(text)])
                    .map(Value::from)
                    .collect()
            }
            Value::Array(all) => {
                let doubled: Vec<Value> = all.iter().chain(all.last()).cloned().collect();
                vec![all.get(1..).unwrap_or_default().into(), doubled.into()]
            }
        };
        let put = |value: Value| {
            let mut facts = facts.clone();
            *at_mut(&mut facts, place) = value;
            facts
        };
        let mut others: Vec<Value> = changed.into_iter().map(put).collect();
        if let Some((Step::Key(key), above)) = place.split_last() {
            let mut without = facts.clone();
            at_mut(&mut without, above)
                .as_object_mut()
                .unwrap()
                .remove(key);
            others.push(without);
        }
        others
    }
}

fn facts(event: &Event) -> (EventRecord, Value) {
    let record = event.to_record().unwrap();
    let facts = serde_json::from_slice(&record.facts).unwrap();
    (record, facts)
}

/// All places of a value but the whole.
fn places(value: &Value) -> Vec<Place> {
    let mut all = Vec::new();
    let mut below = |step: Step, value: &Value| {
        all.push(vec![step.clone()]);
        all.extend(
            places(value)
                .into_iter()
                .map(|rest| [vec![step.clone()], rest].concat()),
        );
    };
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, value)| below(Step::Key(key.clone()), value)),
        Value::Array(all) => all
            .iter()
            .enumerate()
            .for_each(|(index, value)| below(Step::Index(index), value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all
}

fn at<'v>(value: &'v Value, place: &[Step]) -> Option<&'v Value> {
    place.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

fn at_mut<'v>(value: &'v mut Value, place: &[Step]) -> &'v mut Value {
    place.iter().fold(value, |value, step| match step {
        Step::Key(key) => &mut value[key],
        Step::Index(index) => &mut value[*index],
    })
}

fn name(place: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Key(key) => key.clone(),
        Step::Index(_) => "*".to_owned(),
    };
    place.iter().map(step).collect::<Vec<_>>().join(".")
}

fn first(place: &[Step]) -> String {
    place
        .first()
        .map(|step| name(std::slice::from_ref(step)))
        .unwrap_or_default()
}

/// Another text of the same length and alphabet: hexadecimal stays that, a name stays one.
fn flipped(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if let Some(last) = letters.last_mut() {
        *last = if *last == '0' || *last == 'a' {
            '1'
        } else {
            'a'
        };
    }
    letters.into_iter().collect()
}
