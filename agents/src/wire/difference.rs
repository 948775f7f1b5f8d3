//! The first place at which two JSON values differ.

use serde_json::Value;

/// Where `read` differs from `again`, which is the same once more as far as it was understood, and how. The place is a
/// JSON pointer.
pub(super) fn difference(read: &Value, again: &Value) -> Option<(String, &'static str)> {
    let below =
        |key: String, found: (String, &'static str)| (format!("/{key}{}", found.0), found.1);
    match (read, again) {
        (Value::Object(read), Value::Object(again)) => {
            let of_read = read.iter().find_map(|(key, value)| {
                let found = match again.get(key) {
                    Some(again) => difference(value, again)?,
                    None => (String::new(), "is unknown to this build"),
                };
                Some(below(key.clone(), found))
            });
            of_read.or_else(|| {
                let missing = again.keys().find(|key| !read.contains_key(*key))?;
                Some(below(missing.clone(), (String::new(), "is missing")))
            })
        }
        (Value::Array(read), Value::Array(again)) if read.len() == again.len() => {
            let mut pairs = read.iter().zip(again).enumerate();
            pairs.find_map(|(at, (read, again))| {
                Some(below(at.to_string(), difference(read, again)?))
            })
        }
        (read, again) if read == again => None,
        (_, _) => Some((
            String::new(),
            "is written in another way than this build writes it",
        )),
    }
}
