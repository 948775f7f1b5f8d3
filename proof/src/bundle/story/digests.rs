//! The digests that the log has of arguments and of what people were shown, made again.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::CallStory;
use super::facts;
use crate::bundle::report::{BundleVerdict, Check, Checked};

/// SHA-256 over the length in bytes, as 8 bytes little-endian, and the bytes; in hexadecimal
/// digits.
fn digest(bytes: &[u8]) -> String {
    let hasher = Sha256::new()
        // The form of `Digest::of` in core, which hashes several pieces and tells them apart so.
        .chain_update((bytes.len() as u64).to_le_bytes())
        .chain_update(bytes);
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The digest of arguments: over their canonical JSON, or over their bytes if they are no JSON.
pub(super) fn of_arguments(arguments: &str) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => {
            let mut canonical = String::with_capacity(arguments.len());
            write(&value, &mut canonical);
            digest(canonical.as_bytes())
        }
        // A model may write arguments that are no JSON. The log has their digest all the same.
        Err(_) => digest(arguments.as_bytes()),
    }
}

/// Writes JSON without white space, with the keys of each object in the order of their code points.
fn write(value: &Value, into: &mut String) {
    match value {
        Value::Array(items) => {
            into.push('[');
            for (place, item) in items.iter().enumerate() {
                into.push_str(if place > 0 { "," } else { "" });
                write(item, into);
            }
            into.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            // `serde_json` keeps the order in which they were written, if any crate of the program
            // asks for it.
            members.sort_unstable_by_key(|(key, _)| *key);
            into.push('{');
            for (place, (key, value)) in members.into_iter().enumerate() {
                into.push_str(if place > 0 { "," } else { "" });
                into.push_str(&Value::String(key.clone()).to_string());
                into.push(':');
                write(value, into);
            }
            into.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            into.push_str(&value.to_string())
        }
    }
}

/// The text that people were shown of a request, and its digest.
pub(super) fn of_shown(asked: &facts::ApprovalRequested, arguments: &str) -> (String, String) {
    let facts::ApprovalRequested {
        agent,
        tool,
        effect,
        warnings,
        ..
    } = asked;
    let warned =
        |warning: &facts::Warning| format!("\nwarning: {} at {:?}", warning.code, warning.path);
    let warnings: String = warnings.iter().map(warned).collect();
    let text = format!("{agent} asks to run {tool} ({effect}) with {arguments}{warnings}");
    let digest = digest(text.as_bytes());
    (text, digest)
}

/// Checks the digests of all calls; `None` if there was nothing to compare.
pub(super) fn check(calls: &[CallStory]) -> Option<Check> {
    let shown = calls.iter().filter_map(|call| {
        Some((
            call,
            call.shown.as_ref()?.is_recorded?,
            "what people were shown",
        ))
    });
    let arguments = calls
        .iter()
        .filter_map(|call| Some((call, call.arguments_are_recorded?, "its arguments")));
    let (fine, wrong): (Vec<_>, Vec<_>) = shown
        .chain(arguments)
        .partition(|(_, is_recorded, _)| *is_recorded);
    if fine.is_empty() && wrong.is_empty() {
        return None;
    }
    let told = |(call, _, what): &(&CallStory, bool, &str)| {
        format!(
            "call {}: {what} has another digest than recorded",
            call.call
        )
    };
    if wrong.is_empty() {
        let why = format!(
            "{} digests of arguments and of what people were shown are what was recorded",
            fine.len()
        );
        return Some(Check {
            what: Checked::Digests,
            verdict: BundleVerdict::Intact,
            why: vec![why],
        });
    }
    Some(Check {
        what: Checked::Digests,
        verdict: BundleVerdict::Damaged,
        why: wrong.iter().take(20).map(told).collect(),
    })
}
