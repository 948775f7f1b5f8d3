//! Findings about the arguments of calls.

use serde::{Deserialize, Serialize};

/// A fault of a call's arguments: where it is and which rule says so, never the value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentFinding {
    /// JSON pointer into the arguments; empty is the whole.
    pub path: String,
    /// The schema keyword that is not met; or `too_large`, `too_deep`, `not_json`, `repeated_key`,
    /// `not_an_object`, `hidden_characters`, `control_characters`, `not_a_path`, or the
    /// [code](crate::tool::constraint::path::PathFault::code) of a path that is not plain.
    /// `ran_before` and `restored` warn of calls that would have an effect twice.
    pub code: String,
    /// The gravity: an error ends the call, a warning does not.
    #[serde(default, skip_serializing_if = "Severity::is_error")]
    pub severity: Severity,
}

impl ArgumentFinding {
    /// Something that ends the call.
    #[must_use]
    pub fn error(path: impl Into<String>, code: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            code: code.into(),
            severity: Severity::Error,
        }
    }

    /// Something that whoever is asked about the call is told.
    #[must_use]
    pub fn warning(path: impl Into<String>, code: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            code: code.into(),
            severity: Severity::Warning,
        }
    }

    /// A warning that the tool ran already, in a turn that another one takes the place of: decision
    /// 28.
    pub(crate) fn ran_before() -> Self {
        Self::warning("", RAN_BEFORE)
    }

    /// A warning that the call was allowed in the store that this one is a copy of: decision 28.
    pub(crate) fn restored() -> Self {
        Self::warning("", RESTORED)
    }

    /// The line that people are shown of a warning.
    #[must_use]
    pub fn to_line(&self) -> String {
        match self.code.as_str() {
            RAN_BEFORE => {
                "warning: this tool ran already for what was asked before the change; it would run again".to_owned()
            }
            RESTORED => {
                "warning: this was allowed before the store was copied; it may have run in the other one".to_owned()
            }
            code => format!("warning: {code} at {:?}", self.path),
        }
    }
}

const RAN_BEFORE: &str = "ran_before";

const RESTORED: &str = "restored";

/// The gravity of a finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Whoever is asked about the call is told; it may go on.
    Warning,
    /// The call ends.
    #[default]
    Error,
}

impl Severity {
    /// Tells whether the call ends.
    #[must_use]
    pub fn is_error(&self) -> bool {
        *self == Self::Error
    }
}
