//! Secrets that are known by their values.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use super::{json, value};

/// The values of a world's secrets, which are taken out of texts wherever they stand. It is never
/// shown nor stored: it is made when work is performed, and dropped with it.
#[derive(Clone, Default)]
pub struct SecretRules {
    values: Vec<String>,
}

impl SecretRules {
    /// The marker in the place of a secret.
    pub const MARKER: &str = "[secret]";

    /// Shorter values are not replaced: they would take half of the words with them.
    pub const BYTES_MIN: usize = 6;

    /// Rules for `values`, and for how JSON writes them. Those that are too short are left out, and
    /// so are those that stand in the marker itself.
    pub fn new<V: AsRef<str>>(values: impl IntoIterator<Item = V>) -> Self {
        let mut all: Vec<String> = values
            .into_iter()
            .flat_map(|value| [value.as_ref().to_owned(), escaped(value.as_ref())])
            .collect();
        all.retain(|value| {
            value.len() >= Self::BYTES_MIN && !Self::MARKER.contains(value.as_str())
        });
        all.sort_unstable();
        all.dedup();
        Self { values: all }
    }

    /// Tells whether there is nothing to take out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// `text` without the secrets. Those that overlap are taken out together, so that no end of one
    /// remains. Where the text is JSON, or has JSON in it, they are taken out of its values, unless
    /// one reaches over several of them.
    #[must_use]
    pub fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let by_value = json::replace(text, &|_name, value| self.without(value), &|plain| {
            self.without(plain)
        });
        match self.without(&by_value) {
            Cow::Owned(rest) => Cow::Owned(rest),
            Cow::Borrowed(_) => by_value,
        }
    }

    fn without<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let found = |value: &String| {
            text.match_indices(value.as_str())
                .map(|(at, value)| at..at + value.len())
                .collect::<Vec<_>>()
        };
        let mut spans: Vec<_> = self.values.iter().flat_map(found).collect();
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        spans.sort_unstable_by_key(|span| (span.start, span.end));
        let mut redacted = String::new();
        let mut done = 0;
        for span in spans {
            if span.start >= done {
                redacted.push_str(text.get(done..span.start).unwrap_or_default());
                redacted.push_str(Self::MARKER);
            }
            done = done.max(span.end);
        }
        redacted.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(redacted)
    }

    /// Takes the secrets out of the strings in `value` at every depth, the names of fields
    /// included.
    pub fn redact_value(&self, value: &mut Value) {
        value::walk(value, &|_name, text| self.redact_text(text));
    }
}

/// The values stay hidden.
impl fmt::Debug for SecretRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretRules(..)")
    }
}

/// `value` as it stands within a JSON string.
fn escaped(value: &str) -> String {
    let quoted = Value::from(value).to_string();
    quoted
        .get(1..quoted.len() - 1)
        .unwrap_or_default()
        .to_owned()
}
