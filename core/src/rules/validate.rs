//! The validators of a call's arguments, from cheap to dear. What they find has a path and a code, and never a value.

use jsonschema::Validator;
use serde_json::Value;

use super::Rules;
use crate::event::{Finding, Severity};
use crate::ids::ToolName;

mod text;

/// The most findings that one call's arguments are answered with.
pub(super) const FINDINGS_MAX: usize = 8;
/// The most bytes of one call's arguments.
pub(crate) const ARGUMENTS_BYTES_MAX: usize = 1024 * 1024;
/// How deep lists and objects may stand in one another.
pub(crate) const ARGUMENTS_DEPTH_MAX: usize = 64;

impl Rules {
    /// What is to be said about `arguments` for `tool`: errors, which end the call, and warnings, which whoever is asked
    /// about it is told. At most eight of each; empty if all is well.
    ///
    /// Size, depth, form, characters, schema: the first three end the search.
    #[must_use]
    pub fn findings(&self, tool: &ToolName, arguments: &str) -> Vec<Finding> {
        let whole = |code: &str| vec![Finding::error("", code)];
        if arguments.len() > ARGUMENTS_BYTES_MAX {
            return whole("too_large");
        }
        if depth(arguments) > ARGUMENTS_DEPTH_MAX {
            return whole("too_deep");
        }
        let Ok(value) = serde_json::from_str::<Value>(arguments) else { return whole("not_json") };
        if !value.is_object() {
            return whole("not_an_object");
        }
        let validator = self.schemas.get(tool).and_then(|schema| schema.validator.as_ref());
        let Some(validator) = validator else { return whole("no_schema") };
        let (warnings, hidden): (Vec<Finding>, Vec<Finding>) =
            text::findings(&value).into_iter().partition(|finding| finding.severity == Severity::Warning);
        let errors = hidden.into_iter().chain(misfits(validator, &value)).take(FINDINGS_MAX);
        errors.chain(warnings.into_iter().take(FINDINGS_MAX)).collect()
    }
}

/// Where `value` does not fit the schema, and which keyword of it.
fn misfits<'v>(validator: &'v Validator, value: &'v Value) -> impl Iterator<Item = Finding> + 'v {
    let finding = |error: jsonschema::ValidationError<'_>| {
        Finding::error(error.instance_path().to_string(), error.kind().keyword())
    };
    validator.iter_errors(value).map(finding)
}

/// How deep brackets stand in one another, strings aside: before anything is parsed.
fn depth(arguments: &str) -> usize {
    let (mut depth, mut deepest, mut is_string, mut is_escaped) = (0_usize, 0, false, false);
    for byte in arguments.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'[' | b'{' if !is_string => {
                depth = depth.saturating_add(1);
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !is_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
