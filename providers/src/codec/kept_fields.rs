//! Fields that a codec does not understand, kept as they came.

use std::collections::BTreeMap;

use serde_json::Value;

use super::json::{Fields, is_blank};

/// Unknown fields by name. Blank values (null, an empty text, list or object) say nothing and are
/// not kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct KeptFields(BTreeMap<String, Vec<Value>>);

impl KeptFields {
    /// Keeps one more value of a field, unless it repeats the last one: many servers send the same
    /// one in each chunk.
    pub(super) fn add(&mut self, field: &str, value: Value) {
        if is_blank(&value) {
            return;
        }
        if let Some(values) = self.0.get_mut(field) {
            if values.last() != Some(&value) {
                values.push(value);
            }
        } else {
            self.0.insert(field.to_owned(), vec![value]);
        }
    }

    /// Returns the fields that were kept: one with several values becomes their list.
    pub(super) fn into_fields(self) -> Fields {
        let one = |mut values: Vec<Value>| match (values.len(), values.pop()) {
            (1, Some(value)) => value,
            (_, last) => values.into_iter().chain(last).collect(),
        };
        self.0
            .into_iter()
            .map(|(field, values)| (field, one(values)))
            .collect()
    }
}
