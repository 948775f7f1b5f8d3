//! Settings with `${NAME}` in them: what is recorded is the name, what is sent is the value.

use std::fmt;

use folkmoot_core::text::redaction::SecretRules;
use serde_json::Value;

#[cfg(test)]
mod tests;

/// A text with `${NAME}` and `${NAME:-default}` in it, without their values: safe to record and to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Words(String),
    Variable {
        name: String,
        /// The text if the variable is not set; `None`: it has to be.
        default: Option<String>,
    },
}

/// A text with values in it. Nobody sees it but the one who sends it.
pub(crate) struct Expanded(String);

impl Expanded {
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Expanded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Expanded(..)")
    }
}

/// A `${` that begins no variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this `${{` is not the beginning of a variable: write `${{NAME}}` or `${{NAME:-default}}`")]
pub(crate) struct BrokenVariable;

/// A variable that is not set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {0} is not set")]
pub(crate) struct MissingVariable(pub(crate) String);

impl Template {
    pub(crate) fn read(text: &str) -> Result<Self, BrokenVariable> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("${") {
            let (inside, behind) = behind.split_once('}').ok_or(BrokenVariable)?;
            pieces.push(Piece::Words(before.to_owned()));
            pieces.push(Piece::variable(inside).ok_or(BrokenVariable)?);
            rest = behind;
        }
        pieces.push(Piece::Words(rest.to_owned()));
        Ok(Self(pieces))
    }

    /// The text with the values that `look_up` knows. An empty value counts as none.
    pub(crate) fn expand(
        &self,
        look_up: impl Fn(&str) -> Option<String>,
    ) -> Result<Expanded, MissingVariable> {
        let value = |piece: &Piece| match piece {
            Piece::Words(words) => Ok(words.clone()),
            Piece::Variable { name, default } => look_up(name)
                .filter(|value| !value.is_empty())
                .or_else(|| default.clone())
                .ok_or_else(|| MissingVariable(name.clone())),
        };
        self.0
            .iter()
            .map(value)
            .collect::<Result<_, _>>()
            .map(Expanded)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Words(_) => None,
            Piece::Variable { name, .. } => Some(name.as_str()),
        })
    }
}

impl Piece {
    fn variable(inside: &str) -> Option<Self> {
        let (name, default) = inside
            .split_once(":-")
            .map_or((inside, None), |(name, default)| (name, Some(default)));
        let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name =
            name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit());
        is_name.then(|| Self::Variable {
            name: name.to_owned(),
            default: default.map(str::to_owned),
        })
    }
}

/// The name in a text that is `${NAME}` and nothing else.
#[cfg(any(feature = "mcp", feature = "postgres"))]
pub(crate) fn name_alone(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(fits)).then_some(name)
}

/// The kinds of tools whose settings have variables.
const KINDS: [&str; 3] = ["http.get", "http.request", "sql"];

/// Returns the rules that take the values of the variables in a tool's settings out of texts. The values are looked up now, in
/// the environment of this process.
#[must_use]
pub fn tool_secrets(settings: &Value) -> SecretRules {
    let uses = settings.get("use").and_then(Value::as_str);
    if uses.is_none_or(|uses| !KINDS.contains(&uses)) {
        return SecretRules::default();
    }
    let values = values_in(settings, &|name| std::env::var(name).ok());
    let passwords: Vec<String> = values
        .iter()
        .flat_map(|value| passwords_in(value))
        .collect();
    SecretRules::new(values.into_iter().chain(passwords))
}

/// The password of a value that is a URL, as it is written there and as it is meant: it is a secret without its URL as well.
fn passwords_in(value: &str) -> Vec<String> {
    let url = url::Url::parse(value).ok();
    let Some(written) = url.as_ref().and_then(url::Url::password) else {
        return Vec::new();
    };
    let meant = percent_encoding::percent_decode_str(written).decode_utf8_lossy();
    vec![written.to_owned(), meant.into_owned()]
}

fn values_in(settings: &Value, look_up: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    match settings {
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
        Value::String(text) => {
            let template = Template::read(text).ok();
            let names = template.iter().flat_map(Template::names);
            names.filter_map(look_up).collect()
        }
        Value::Array(items) => items
            .iter()
            .flat_map(|item| values_in(item, look_up))
            .collect(),
        Value::Object(entries) => entries
            .values()
            .flat_map(|value| values_in(value, look_up))
            .collect(),
    }
}
