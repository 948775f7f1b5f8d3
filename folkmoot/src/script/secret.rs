//! Variables and secrets: `${NAME}` where it may stand, and no literal where a secret belongs.

use super::fault::{Faults, Mark};
use super::node::{Kind, Node};
use super::scalar;

/// The last words of keys that hold secrets.
const SECRETS: &[&str] = &["key", "token", "authorization", "password"];
/// Keys of settings that hold data for scripted tools, not settings.
const DATA: &[&str] = &["schema", "results"];

/// Checks the settings of a model or tool.
pub(crate) fn check_settings(node: &Node, faults: &Faults) {
    for (key, value) in node
        .entries()
        .filter(|(key, _)| !DATA.contains(&key.text()))
    {
        check_setting(value, is_secret(key.text()), faults);
    }
}

fn check_setting(node: &Node, is_secret_here: bool, faults: &Faults) {
    match &node.kind {
        Kind::List(items) => items
            .iter()
            .for_each(|item| check_setting(item, is_secret_here, faults)),
        Kind::Map(_) => node
            .entries()
            .for_each(|(key, value)| check_setting(value, is_secret(key.text()), faults)),
        // No value is no secret: `key: null` sends none.
        Kind::Scalar(scalar) if scalar::json(scalar).is_null() => {}
        Kind::Scalar(scalar) => {
            let text = Variables::of(&scalar.text);
            if text.is_broken {
                let help = "write `${NAME}` or `${NAME:-default}`";
                faults.add_with_help(
                    node.mark,
                    "this `${` is not the beginning of a variable",
                    help,
                );
            } else if is_secret_here && !text.is_secret_free() {
                let help = "write `${NAME}`, and set NAME in the environment";
                faults.hide(node.mark);
                faults.add_with_help(node.mark, "a secret must not stand in a script", help);
            }
        }
    }
}

/// Checks text that is recorded and shown as it is written.
pub(crate) fn check_text(text: &str, mark: Mark, faults: &Faults) {
    if Variables::of(text).found > 0 {
        let help = "`${…}` works in the settings of models and tools only";
        faults.add_with_help(mark, "a variable would not be replaced here", help);
    }
}

/// Whether a key's last word names a secret: `key`, `api_key`, `x-api-key`, `apiKey`, `Authorization`.
fn is_secret(key: &str) -> bool {
    let mut last = String::new();
    for c in key.chars() {
        let is_border =
            !c.is_alphanumeric() || c.is_uppercase() && last.ends_with(char::is_lowercase);
        if is_border {
            last.clear();
        }
        if c.is_alphanumeric() {
            last.push(c);
        }
    }
    SECRETS.contains(&last.to_lowercase().as_str())
}

/// The variables in a text.
struct Variables {
    found: usize,
    /// Whether a `${` begins no variable.
    is_broken: bool,
    /// The text without its variables.
    rest: String,
    /// Whether a variable has a default.
    has_default: bool,
}

impl Variables {
    fn of(text: &str) -> Self {
        let mut variables = Self {
            found: 0,
            is_broken: false,
            rest: String::new(),
            has_default: false,
        };
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            variables.rest.push_str(before);
            match after
                .split_once('}')
                .and_then(|(inside, after)| Some((variable(inside)?, after)))
            {
                Some((default, after)) => {
                    variables.found = variables.found.saturating_add(1);
                    variables.has_default |= default.is_some_and(|default| !default.is_empty());
                    rest = after;
                }
                None => {
                    variables.is_broken = true;
                    rest = after;
                }
            }
        }
        variables.rest.push_str(rest);
        variables
    }

    /// Whether a secret, if one is here, is in a variable: all that stands beside it is a scheme like `Bearer `.
    fn is_secret_free(&self) -> bool {
        let scheme = self.rest.trim();
        let is_scheme = scheme.len() <= 8 && scheme.chars().all(|c| c.is_ascii_alphabetic());
        let has_scheme = self.found > 0 && is_scheme && self.rest.ends_with(' ');
        !self.has_default && (self.rest.is_empty() || has_scheme)
    }
}

/// The default inside `NAME` or `NAME:-default`; `None` if it is neither.
fn variable(inside: &str) -> Option<Option<&str>> {
    let (name, default) = inside
        .split_once(":-")
        .map_or((inside, None), |(name, default)| (name, Some(default)));
    let mut chars = name.chars();
    let is_first = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    (is_first && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some(default)
}
