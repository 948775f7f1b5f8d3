//! The validators of a call's arguments, from cheap to dear. What they find has a path and a code,
//! and never a value.

use jsonschema::Validator;
use serde_json::Value;

use super::Rules;
use crate::content::canonical::{JsonFault, read};
use crate::ids::ToolName;
use crate::spec::limits::{ARGUMENTS_BYTES_MAX, ARGUMENTS_DEPTH_MAX};
use crate::tool::constraint::path;
use crate::tool::{ArgumentFinding, PathArguments, Severity};

mod text;

/// The most findings that one call's arguments are answered with.
pub(super) const FINDINGS_MAX: usize = 8;

/// The most bytes that the paths of all values in a call's arguments have together. Whatever is
/// found in them has its path, and a validator finds everything at once: under one long key, many
/// values would take more memory than there is.
const PATHS_BYTES_MAX: usize = 64 * 1024 * 1024;

impl Rules {
    /// Returns what is to be said about `arguments` for `tool`: errors, which end the call, and
    /// warnings, which whoever is asked about it is told. At most eight of each; empty if all is
    /// well.
    ///
    /// Size, depth, form, characters, paths, schema: the first three end the search.
    #[must_use]
    pub fn findings(&self, tool: &ToolName, arguments: &str) -> Vec<ArgumentFinding> {
        let whole = |code: &str| vec![ArgumentFinding::error("", code)];
        if arguments.len() > ARGUMENTS_BYTES_MAX {
            return whole("too_large");
        }
        if depth(arguments) > ARGUMENTS_DEPTH_MAX {
            return whole("too_deep");
        }
        let value = match read(arguments) {
            Ok(value) => value,
            // A person reads the first of two values, and the tool runs with the second
            // (decision 0030).
            Err(JsonFault::RepeatedKey(_)) => return whole("repeated_key"),
            Err(JsonFault::NotJson(_)) => return whole("not_json"),
        };
        if !value.is_object() {
            return whole("not_an_object");
        }
        if path_bytes(&value, 0) > PATHS_BYTES_MAX {
            return whole("too_large");
        }
        let validator = self
            .schemas
            .get(tool)
            .and_then(|schema| schema.validator.as_ref());
        let Some(validator) = validator else {
            return whole("no_schema");
        };
        let (warnings, hidden): (Vec<ArgumentFinding>, Vec<ArgumentFinding>) =
            text::findings(&value)
                .into_iter()
                .partition(|finding| finding.severity == Severity::Warning);
        let paths = self.spec.tools.get(tool).map(|tool| &tool.paths);
        let errors = hidden
            .into_iter()
            .chain(paths.into_iter().flat_map(|paths| odd_paths(paths, &value)));
        let errors = errors.chain(misfits(validator, &value)).take(FINDINGS_MAX);
        errors
            .chain(warnings.into_iter().take(FINDINGS_MAX))
            .collect()
    }
}

/// Returns the arguments that are to be paths and are not plain ones: two spellings of one place
/// could be two to rules and to people.
fn odd_paths<'v>(
    paths: &'v PathArguments,
    value: &'v Value,
) -> impl Iterator<Item = ArgumentFinding> + 'v {
    let odd = |place: &String| {
        let code = match value.pointer(place)? {
            Value::String(path) => path::parts(path).err()?.code(),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => "not_a_path",
        };
        Some(ArgumentFinding::error(place, code))
    };
    paths.at.iter().filter_map(odd)
}

/// Returns the places where `value` does not fit the schema, and the keyword of each.
fn misfits<'v>(
    validator: &'v Validator,
    value: &'v Value,
) -> impl Iterator<Item = ArgumentFinding> + 'v {
    let finding = |error: jsonschema::ValidationError<'_>| {
        ArgumentFinding::error(error.instance_path().to_string(), error.kind().keyword())
    };
    validator.iter_errors(value).map(finding)
}

/// Returns the bytes that the paths of `value` and of all values in it have together. Their depth
/// is bounded by then.
fn path_bytes(value: &Value, path: usize) -> usize {
    let below = |len: usize| (path + len) + 1;
    let inner = match value {
        Value::Array(items) => items
            .iter()
            .map(|item| path_bytes(item, below(8)))
            .sum::<usize>(),
        // An escaped character has two bytes.
        Value::Object(entries) => entries
            .iter()
            .map(|(key, item)| path_bytes(item, below(key.len().saturating_mul(2))))
            .sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    inner + path
}

/// Returns how deep brackets stand in one another, strings aside: before anything is parsed.
fn depth(arguments: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    let mut is_string = false;
    let mut is_escaped = false;
    for byte in arguments.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'[' | b'{' if !is_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !is_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
