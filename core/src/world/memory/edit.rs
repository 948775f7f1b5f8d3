//! Changes of people in a call's arguments.

use serde_json::Value;

use crate::content::Content;
use crate::world::memory::OpenCall;

/// The most changes that are told one by one.
const CHANGES_MAX: usize = 16;
/// The longest value that is told whole, in bytes.
const VALUE_MAX: usize = 200;

impl OpenCall {
    /// The changed places, one a line; `None` if nothing was edited.
    pub(crate) fn difference(&self) -> Option<Content<String>> {
        let edited = self.edited.as_ref()?;
        Some(match (&self.arguments, edited) {
            (Content::Present(before), Content::Present(after)) => {
                Content::Present(told(before, after))
            }
            (Content::Erased { by }, _) | (_, Content::Erased { by }) => {
                Content::Erased { by: *by }
            }
        })
    }
}

fn told(before: &str, after: &str) -> String {
    let read = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
    let mut changes = Vec::new();
    compare("", &read(before), &read(after), &mut changes);
    let more = changes.len().saturating_sub(CHANGES_MAX);
    changes.truncate(CHANGES_MAX);
    if more > 0 {
        changes.push(format!("and {more} more changes"));
    }
    changes.join("\n")
}

/// Lists where two documents differ: in objects member by member, in everything else whole.
fn compare(path: &str, before: &Value, after: &Value, changes: &mut Vec<String>) {
    match (before, after) {
        (before, after) if before == after => {}
        (Value::Object(before), Value::Object(after)) => {
            for (key, value) in after {
                let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
                match before.get(key) {
                    Some(before) => compare(&path, before, value, changes),
                    None => changes.push(format!("{path} is now {}", shown(value))),
                }
            }
            for key in before.keys().filter(|key| !after.contains_key(*key)) {
                changes.push(format!(
                    "{path}/{} is gone",
                    key.replace('~', "~0").replace('/', "~1")
                ));
            }
        }
        (_, after) => changes.push(format!("{path} is now {}", shown(after))),
    }
}

fn shown(value: &Value) -> String {
    let mut text = value.to_string();
    if text.len() > VALUE_MAX {
        text.truncate(text.floor_char_boundary(VALUE_MAX));
        text.push('…');
    }
    text
}
