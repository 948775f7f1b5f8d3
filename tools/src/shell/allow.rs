use std::fmt;

use folkmoot_core::ids::Digest;
use folkmoot_core::tool::constraint::{self, Constraint};
use folkmoot_core::tool::{CallRule, EffectClass};
use serde::Deserialize;
use serde_json::Value;

/// A line of the allow-list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AllowedCommand {
    /// The listed words, the program first; never empty.
    argv: Vec<String>,
    /// The effect of the command.
    pub(super) effect: EffectClass,
    /// The words that may follow.
    args: Args,
    /// SHA-256 of the program's file; `None`: whatever is there under the name.
    #[serde(default)]
    pub(super) pin: Option<Digest>,
}

/// The words that may follow the listed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Args {
    /// No further words.
    Exact,
    /// Whatever the model writes.
    Any,
}

/// A reason why an entry of the allow-list is no line of it.
#[derive(Debug, thiserror::Error)]
pub(super) enum AllowError {
    /// The entry does not fit its form.
    #[error(transparent)]
    Malformed(#[from] serde_json::Error),
    /// The long form without an effect.
    #[error("a command needs an effect: add `effect: read | write | destructive`")]
    NoEffect,
    /// Neither a list nor the long form.
    #[error("write the command as a list, e.g. [wc, -l, notes.md]; no shell splits it")]
    NotAList,
    /// No words, or an empty first one.
    #[error("the command is empty: begin it with the name of a program")]
    NoProgram,
}

impl AllowedCommand {
    /// Reads the short form `[wc, -l, notes.md]` or the long one with `argv`, `effect` and `args`.
    pub(super) fn read(entry: &Value) -> Result<Self, AllowError> {
        let allowed: Self = match entry {
            // The short form says nothing of effects, so the worst one is taken.
            Value::Array(_) => Self {
                argv: serde_json::from_value(entry.clone())?,
                effect: EffectClass::Destructive,
                args: Args::Exact,
                pin: None,
            },
            Value::Object(keys) if !keys.contains_key("effect") => {
                return Err(AllowError::NoEffect);
            }
            Value::Object(_) => serde_json::from_value(entry.clone())?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err(AllowError::NotAList);
            }
        };
        match allowed.argv.first().map(String::as_str) {
            None | Some("") => Err(AllowError::NoProgram),
            Some(_) => Ok(allowed),
        }
    }

    /// The same as a rule of the tool: what is not listed is refused or asked about when the call is taken up.
    pub(super) fn rule(&self) -> CallRule {
        let words = Value::from(self.argv.clone());
        let allowed = match self.args {
            Args::Exact => constraint::Allowed::Equals(words),
            Args::Any => constraint::Allowed::Prefix(words),
        };
        CallRule {
            when: vec![Constraint {
                path: "/argv".to_owned(),
                allowed,
            }],
            effect: self.effect,
        }
    }

    /// Tells whether this line lists `argv`.
    pub(super) fn allows(&self, argv: &[String]) -> bool {
        match self.args {
            Args::Exact => self.argv == argv,
            Args::Any => argv.starts_with(&self.argv),
        }
    }
}

impl fmt::Display for AllowedCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = match self.args {
            Args::Exact => "",
            Args::Any => " and any arguments",
        };
        write!(f, "{}{rest}", Value::from(self.argv.clone()))
    }
}
