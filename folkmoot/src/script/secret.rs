//! Variables and secrets: `${NAME}` where it may stand, and no literal where a secret belongs.

use std::ops::Range;

use super::fault::{Faults, Mark};
use super::node::{Kind, Node};
use super::scalar;

/// The last words of keys that hold secrets.
const SECRETS: &[&str] = &["key", "token", "authorization", "password"];
/// Keys of settings that hold data for scripted tools, not settings.
const DATA: &[&str] = &["schema", "results"];
/// The key under which a server has its tools.
const TOOLS: &str = "tools";

/// Checks the settings of a model or tool.
pub(crate) fn check_settings(node: &Node, faults: &Faults) {
    for (key, value) in node
        .entries()
        .filter(|(key, _)| !DATA.contains(&key.text()))
    {
        if key.text() == TOOLS {
            // Each has data of its own.
            let tools = value.entries();
            tools.for_each(|(_, tool)| check_settings(tool, faults));
        } else {
            check_setting(value, is_secret(key.text()), faults);
        }
    }
}

fn check_setting(node: &Node, is_secret_here: bool, faults: &Faults) {
    match &node.kind {
        Kind::List(items) => items
            .iter()
            .for_each(|item| check_setting(item, is_secret_here, faults)),
        Kind::Map(_) => node.entries().for_each(|(key, value)| {
            check_setting(value, is_secret_here || is_secret(key.text()), faults);
        }),
        // No value is no secret: `key: null` sends none.
        Kind::Scalar(scalar) if scalar::json(scalar).is_null() => {}
        Kind::Scalar(scalar) => {
            let text = Variables::of(&scalar.text);
            if is_secret_here && (text.is_broken || !text.is_secret_free()) {
                faults.hide(node.mark);
            }
            if text.is_broken {
                let help = "write `${NAME}` or `${NAME:-default}`";
                faults.add_with_help(
                    node.mark,
                    "this `${` is not the beginning of a variable",
                    help,
                );
            } else if is_secret_here && !text.is_secret_free() {
                let help = "write `${NAME}`, and set NAME in the environment";
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

/// Tells whether a key's last word names a secret: `key`, `api_key`, `x-api-key`, `apiKey`,
/// `Authorization`.
pub(crate) fn is_secret(key: &str) -> bool {
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
    /// True if a `${` begins no variable.
    is_broken: bool,
    /// The text without its variables.
    rest: String,
    /// True if a variable has a default.
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
                    variables.found += 1;
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

    /// Tells whether a secret, if one is here, is in a variable: all that stands beside it is a
    /// scheme like `Bearer `.
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

/// Returns where a line of a script seems to hold secrets, whether or not it can be parsed: the
/// values of keys that are called so, also in the query of a URL, and the password of a URL.
/// Variables are none.
pub(crate) fn seeming_secrets(line: &str) -> Vec<Range<usize>> {
    let behind_keys = line.match_indices([':', '=']).filter_map(|(at, sign)| {
        let key = line.get(..at)?.trim_end_matches(['"', '\'', ' ']);
        let is_of_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let start = key.rfind(|c| !is_of_key(c)).map_or(0, |before| before + 1);
        let is_rights = || is_holder_of_rights(line.get(start..).unwrap_or_default());
        (is_secret(key.get(start..)?) && !is_rights())
            .then(|| value_behind(line, at + 1, sign == "="))
    });
    let of_urls = line.match_indices("://").filter_map(|(at, sign)| {
        let start = at + sign.len();
        let host = line.get(start..)?.split(['/', ' ', '"', '\'']).next()?;
        let user = host.rfind('@')?;
        Some(start..(start + user))
    });
    let is_written = |range: &Range<usize>| {
        line.get(range.clone()).is_some_and(|value| {
            !value.is_empty() && !value.starts_with(['{', '[']) && !is_variable(value)
        })
    };
    behind_keys.chain(of_urls).filter(is_written).collect()
}

/// Tells whether the proof of a person or a service begins here, to whom rights are given:
/// `token:ada: [read]`, also with its end of quotes, or with the rights below it. A secret behind
/// `token:` without a blank is none, because no list stands behind it.
fn is_holder_of_rights(text: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@');
    let rights = text.strip_prefix("token:").and_then(|text| {
        let (name, rest) = text.split_at(text.find(|c| !is_of_name(c))?);
        let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
        rest.strip_prefix(':').filter(|_| !name.is_empty())
    });
    rights.is_some_and(|rights| rights.trim().is_empty() || rights.trim_start().starts_with('['))
}

/// A value from `start` on, without blanks, an anchor and a quote in front of it.
fn value_behind(line: &str, start: usize, is_of_query: bool) -> Range<usize> {
    let rest = line.get(start..).unwrap_or_default();
    let blank = rest.len().saturating_sub(rest.trim_start().len());
    let value = rest.trim_start();
    let anchor = value
        .split_once(' ')
        .filter(|(anchor, _)| anchor.starts_with('&'));
    let anchor = anchor.map_or(0, |(anchor, _)| anchor.len() + 1);
    let value = value.get(anchor..).unwrap_or_default();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let skipped = usize::from(quote.is_some());
    let value = value.get(skipped..).unwrap_or_default();
    let end = match quote {
        Some(quote) => value.find(quote),
        None if is_of_query => {
            value.find(|c: char| matches!(c, '&' | '"' | '\'' | ',' | '}') || c.is_whitespace())
        }
        None if value.starts_with("${") => value.find('}').map(|end| end + 1),
        None => value.find([',', '}', ']', '"', '\'']),
    };
    let start = start + blank + anchor + skipped;
    start..(start + end.unwrap_or(value.trim_end().len()))
}

fn is_variable(value: &str) -> bool {
    value
        .strip_prefix("${")
        .and_then(|name| name.strip_suffix('}'))
        .is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}
